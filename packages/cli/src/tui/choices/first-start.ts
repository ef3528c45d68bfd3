/** The first start: asks until a model can be reached, and remembers the answer for the next start. */

import { getErrorMessage } from '@castor/core';
import { parseProviderModel } from '@castor/core/program';
import type { CliArguments } from '../../args/args.ts';
import type { ExitError } from '../../exit-codes.ts';
import { loadPlaces } from '../../providers/load-places.ts';
import { AccessError } from '../../start/auth-type.ts';
import type { App } from '../app/app.ts';
import { askForAccess } from '../dialogs/first-run.ts';
import { saveChoice } from '../app/save-choice.ts';
import type { HeldKeyboard } from '../dialogs/dialog-host.ts';
import { atLogin, connectLocally, connectProvider } from './connect.ts';

export interface StartInput {
  args: CliArguments;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Undefined when the user leaves. */
export function askUntilConnected(
  app: App,
  input: StartInput & { refused: ExitError },
  signal: AbortSignal,
): Promise<StartInput | undefined> {
  return atLogin(app, (keyboard) => ask(app, keyboard, input, signal));
}

async function ask(
  app: App,
  keyboard: HeldKeyboard,
  { args, environment, refused }: StartInput & { refused: ExitError },
  signal: AbortSignal,
): Promise<StartInput | undefined> {
  // The rest of the message lists the options, and the dialog offers those as choices.
  let problem = refused.message.replace(/\s+Options:.*/s, '').replace(/^./, (first) => first.toUpperCase());
  const isKeyEnough = !(refused instanceof AccessError) || refused.isKeyEnough;
  for (;;) {
    const answer = await askForAccess(keyboard, signal, { problem, isKeyEnough, leave: 'Leave' });
    if (answer.kind === 'leave') return undefined;
    if (answer.kind === 'offline') return { args: { ...args, model: 'offline' }, environment };
    const { cwd, home } = app.options;
    try {
      const { places } = loadPlaces({ cwd, home, environment });
      if (answer.kind === 'local') {
        const model = await connectLocally(keyboard, places, signal);
        if (model !== undefined) return use(app, model, true, { args, environment });
        continue;
      }
      const connection = await connectProvider(app, keyboard, answer.provider, places, signal);
      if (!connection) continue;
      const { model, variables, isKept } = connection;
      const input = { args, environment: { ...environment, ...variables } };
      return model === undefined ? input : use(app, model, isKept, input);
    } catch (error) {
      if (signal.aborted) return undefined;
      problem = getErrorMessage(error);
    }
  }
}

/** A model of the same provider that the user named stays; else the chosen one is used, from now on where possible. */
function use(app: App, model: string, isKept: boolean, { args, environment }: StartInput): StartInput {
  const named = args.model === undefined ? undefined : parseProviderModel(args.model);
  if (named && named.provider === parseProviderModel(model)?.provider) return { args, environment };
  if (isKept) saveChoice(app, 'castor.model', model, `Castor uses ${model} from now on; /model changes it.`);
  return { args: { ...args, model }, environment };
}
