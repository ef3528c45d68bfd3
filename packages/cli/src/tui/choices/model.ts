/** `/model`: chooses the model from the next turn on. */

import { describeWithHint } from '../../start/describe-with-hint.ts';
import type { CommandContext } from '../../slash/command.ts';
import type { App } from '../app.ts';

const MODELS = ['auto', 'pro', 'flash', 'flash-lite', 'offline'];

export async function chooseModel(app: App, { agent, services, signal }: CommandContext): Promise<void> {
  const current = agent.requestedModel();
  const names = [...new Set([...MODELS, current])];
  const name = await app.dialogs.choose(
    {
      title: 'Model',
      options: names.map((each) => ({ label: each, value: each })),
      initial: Math.max(0, names.indexOf(current)),
    },
    signal,
  );
  if (name === undefined) return;
  try {
    const model = (await services?.prepareModel?.(name)) ?? name;
    agent.setModel(model);
    app.info(`The model is ${model} for this session.`);
  } catch (error) {
    app.fail(describeWithHint(error));
  }
}
