/** `/model`: chooses the model from the next turn on, of the Gemini API, of another provider, or on this machine. */

import { GEMINI_CATALOGUE } from '@castor/core';
import { describeWithHint } from '../../start/describe-with-hint.ts';
import type { CommandContext } from '../../slash/command.ts';
import type { App } from '../app/app.ts';

const MODELS = ['auto', 'pro', 'flash', 'flash-lite', 'offline'];
/** Not names of models. */
const OTHERS = ' others';
const LOCAL = ' local';

export async function chooseModel(app: App, context: CommandContext): Promise<void> {
  const current = context.agent.requestedModel();
  const names = [...new Set([...MODELS, current])];
  const hintOf = await describer(app);
  const answer = await app.dialogs.choose(
    {
      title: 'Model',
      options: [
        ...names.map((each) => ({
          label: each,
          value: each,
          hint: hintOf(each),
          mark: each === current ? '✓' : '·',
        })),
        { label: 'Models of other providers …', value: OTHERS, hint: 'Anthropic, OpenAI, OpenRouter, …' },
        { label: 'Look for models on this machine …', value: LOCAL, hint: 'Ollama, LM Studio, llama.cpp, vLLM' },
      ],
      initial: Math.max(0, names.indexOf(current)),
    },
    context.signal,
  );
  try {
    const name = await nameOf(app, answer, context);
    if (name === undefined) return;
    const model = (await context.services?.prepareModel?.(name)) ?? name;
    context.agent.setModel(model);
    app.info(`The model is ${model} for this session.`);
  } catch (error) {
    app.fail(describeWithHint(error));
  }
}

/** What is known of a model of the first page, and what is missing to reach it. */
async function describer(app: App): Promise<(name: string) => string | undefined> {
  const [{ placesOf }, { geminiMissingOf }, { listKnownModels }, { describeModel }] = await Promise.all([
    import('./access.ts'),
    import('../../providers/load-places.ts'),
    import('../../providers/reachable-models.ts'),
    import('../../providers/describe-model.ts'),
  ]);
  const { start } = app.state;
  const missing = start && geminiMissingOf(start.settings, start.environment);
  const models = listKnownModels(placesOf(app), { missing });
  return (name) => {
    if (name === 'offline') return 'fixed rules, no network';
    const meant = GEMINI_CATALOGUE.aliases[name]?.preview ?? name;
    const found = models.find(({ id }) => id === meant);
    return found && `${meant === name ? '' : `${meant} · `}${describeModel(found)}`;
  };
}

/** Undefined when the user goes back, or when another dialog has changed the model. */
async function nameOf(app: App, answer: string | undefined, context: CommandContext): Promise<string | undefined> {
  if (answer !== OTHERS && answer !== LOCAL) return answer;
  const { placesOf, connect } = await import('./access.ts');
  const places = placesOf(app);
  if (answer === LOCAL) {
    const { connectLocally } = await import('./connect.ts');
    return connectLocally(app, places, context.signal);
  }
  const [{ listKnownModels }, { describeModel }] = await Promise.all([
    import('../../providers/reachable-models.ts'),
    import('../../providers/describe-model.ts'),
  ]);
  const models = listKnownModels(places, { missing: undefined })
    .filter(({ provider }) => provider !== 'gemini')
    .toSorted((left, right) => Number(right.reachable) - Number(left.reachable));
  const id = await app.dialogs.choose(
    {
      title: 'Model',
      search: true,
      options: models.map((model) => ({ label: model.id, value: model.id, hint: describeModel(model) })),
      whenSearched: (query) => ({ label: `Use "${query}" as provider/model`, value: query.trim() }),
    },
    context.signal,
  );
  const chosen = models.find((model) => model.id === id);
  if (!chosen || chosen.reachable) return id;
  await connect(app, chosen.provider, context, chosen.id);
  return undefined;
}
