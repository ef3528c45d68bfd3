/** `/auth` and `/connect`: switch to another key, provider or the offline model from now on; `/auth signout` removes the key. */

import { getErrorMessage } from '@castor/core';
import { parseProviderModel } from '@castor/core/program';
import { loadPlaces } from '../../providers/load-places.ts';
import { forgetGeminiKey } from '../../providers/gemini-key.ts';
import { prepareStart } from '../../start/start.ts';
import type { Start } from '../../start/start.ts';
import type { CommandContext } from '../../slash/command.ts';
import type { App } from '../app/app.ts';
import { askForAccess } from '../dialogs/first-run.ts';
import { reopenSession } from '../app/session-change.ts';
import type { HeldKeyboard } from '../dialogs/dialog-host.ts';
import { atLogin, connectLocally, connectProvider } from './connect.ts';

/** Keeps the session and its conversation. */
export function chooseAccess(app: App, context: CommandContext): Promise<void> {
  return atLogin(app, (keyboard) => choose(app, keyboard, context));
}

async function choose(app: App, keyboard: HeldKeyboard, context: CommandContext): Promise<void> {
  const answer = await askForAccess(keyboard, context.signal, { leave: 'Keep the current key' });
  switch (answer.kind) {
    case 'leave':
      return;
    case 'offline':
      return restart(app, { model: 'offline' }, {}, 'Castor now uses the offline model.');
    case 'local':
      return telling(app, async () => {
        const model = await connectLocally(keyboard, placesOf(app), context.signal);
        if (model !== undefined) await changeModel(app, model, context);
      });
    case 'key':
      return connectWith(app, keyboard, { id: answer.provider }, context);
  }
}

/** `wanted` precedes the default of the provider. */
export async function connect(app: App, argument: string, context: CommandContext, wanted?: string): Promise<void> {
  const id = argument.trim().toLowerCase();
  if (id === '') return chooseAccess(app, context);
  return atLogin(app, (keyboard) => connectWith(app, keyboard, { id, wanted }, context));
}

function connectWith(
  app: App,
  keyboard: HeldKeyboard,
  { id, wanted = modelInUse(app, id) }: { id: string; wanted?: string | undefined },
  context: CommandContext,
): Promise<void> {
  return telling(app, async () => {
    const connection = await connectProvider(app, keyboard, id, placesOf(app), context.signal, wanted);
    if (!connection) return;
    const { model, variables, isKept } = connection;
    if (model === undefined) {
      const current = app.state.start?.choice.model;
      return restart(
        app,
        { model: current === 'offline' ? 'auto' : current },
        variables,
        'Castor now uses the new key.',
      );
    }
    return changeModel(app, model, context, isKept);
  });
}

async function changeModel(app: App, name: string, { agent, services }: CommandContext, isKept = true): Promise<void> {
  const model = (await services?.prepareModel?.(name)) ?? name;
  agent.setModel(model);
  app.info(
    isKept
      ? `The model is ${model} for this session. To keep it: /model ${model} --persist`
      : `The model is ${model}, until you exit.`,
  );
}

/**
 * Reopens the session to change to the offline model or from it: its agent has no instructions and sends nothing.
 * Resolves to the name of the model; throws an Error with a sentence, and the session stays.
 */
export async function reopenWith(app: App, model: string): Promise<string> {
  const { start } = app.state;
  if (!start) return model;
  if (start.settings.model.offline) {
    throw new Error('CASTOR_OFFLINE or the setting model.offline is on, so Castor uses no model but the offline one.');
  }
  if (app.store.getSnapshot().prompt) throw new Error(`Castor changes to ${model} when the agent is idle.`);
  const again = prepareStart({ ...start, args: { ...start.args, model }, isAttended: true });
  const { requireProviderKey } = await import('../../providers/require-provider-key.ts');
  await requireProviderKey(model, again);
  useStart(app, again);
  await reopenSession(app);
  return app.state.agent?.requestedModel() ?? model;
}

function useStart(app: App, start: Start): void {
  app.state.start = start;
  app.state.model = start.choice.model;
}

async function restart(
  app: App,
  { model }: { model: string | undefined },
  variables: Readonly<Record<string, string>>,
  message: string,
): Promise<void> {
  const { start } = app.state;
  if (!start) return;
  const environment = { ...start.environment, ...variables };
  try {
    const args = { ...start.args, ...(model !== undefined && { model }) };
    useStart(app, prepareStart({ ...start, environment, args, isAttended: true }));
  } catch (error) {
    return app.fail(getErrorMessage(error));
  }
  await reopenSession(app);
  app.info(message);
}

/** A new key for the provider in use changes nothing else. */
function modelInUse({ state }: App, id: string): string | undefined {
  const model = state.agent?.requestedModel() ?? '';
  return parseProviderModel(model)?.provider === id ? model : undefined;
}

async function telling(app: App, connecting: () => Promise<void>): Promise<void> {
  try {
    await connecting();
  } catch (error) {
    app.fail(getErrorMessage(error));
  }
}

export function placesOf({ options: { cwd, home, environment } }: App) {
  return loadPlaces({ cwd, home, environment }).places;
}

export async function signOut(app: App): Promise<void> {
  const problem = await forgetGeminiKey(app.options.home);
  if (problem !== undefined) return app.fail(problem);
  const isElsewhere = app.options.environment['GEMINI_API_KEY'] !== undefined;
  app.info(`The key in ~/.gemini/.env was deleted.${isElsewhere ? ' GEMINI_API_KEY in your shell is still set.' : ''}`);
}
