/** `/model`: chooses the model from the next turn on, of the Gemini API, of another provider, or on this machine. */

import { GEMINI_CATALOGUE } from '@castor/core';
import { describeWithHint } from '../../start/describe-with-hint.ts';
import type { CommandContext } from '../../slash/command.ts';
import type { App } from '../app/app.ts';
import { saveChoice } from '../app/save-choice.ts';
import { MODEL_HEADING, modelHint } from './model-columns.ts';
import type { ModelRow } from './model-columns.ts';

const MODELS = ['auto', 'pro', 'flash', 'flash-lite', 'offline'];
/** Not names of models. */
const OTHERS = ' others';
const LOCAL = ' local';

interface Choice {
  readonly name: string;
  /** Saved as the model of later sessions, too. */
  readonly isKept?: boolean;
}

export async function chooseModel(app: App, context: CommandContext): Promise<void> {
  const current = context.agent.requestedModel();
  const names = [...new Set([...MODELS, current])];
  const rowOf = await describer(app, current, context);
  const rows = names.map(rowOf);
  const answer = await app.dialogs.choose<Choice>(
    {
      title: 'Model',
      search: true,
      heading: MODEL_HEADING,
      options: [
        ...rows.map((row) => ({
          label: row.label,
          value: { name: row.label },
          hint: modelHint(row),
          about: row.about,
        })),
        { label: 'of other providers …', value: { name: OTHERS }, hint: 'Anthropic, OpenAI, OpenRouter, …', about: '' },
        { label: 'on this machine …', value: { name: LOCAL }, hint: 'Ollama, LM Studio, llama.cpp, vLLM', about: '' },
      ],
      initial: Math.max(0, names.indexOf(current)),
      keyed: { 'ctrl+s': ({ name }) => ({ name, isKept: true }) },
      keys: [['ctrl+s', 'from now on']],
      enters: 'for this session',
    },
    context.signal,
  );
  try {
    const name = await nameOf(app, answer?.name, context);
    if (name === undefined) return;
    const model = (await context.services?.prepareModel?.(name)) ?? name;
    context.agent.setModel(model);
    if (answer?.isKept) saveChoice(app, keyFor(context), model, `The model is ${model} from now on.`);
    else app.info(`The model is ${model} for this session.`);
  } catch (error) {
    app.fail(describeWithHint(error));
  }
}

/** The setting that decides, so that the choice holds. */
function keyFor({ services }: CommandContext): string {
  return services?.prefersOwnModel ? 'castor.model' : 'model.name';
}

type DescribedRow = ModelRow & { readonly about: string };

/** What is known of a model of the first page, and what is missing to reach it. */
async function describer(
  app: App,
  current: string,
  { agent }: CommandContext,
): Promise<(name: string) => DescribedRow> {
  const [{ placesOf }, { geminiMissingOf }, { listKnownModels }] = await Promise.all([
    import('./access.ts'),
    import('../../providers/load-places.ts'),
    import('../../providers/reachable-models.ts'),
  ]);
  const { start } = app.state;
  const missing = start && geminiMissingOf(start.settings, start.environment);
  const models = listKnownModels(placesOf(app), { missing });
  const used = Math.round((agent.chat.getLastPromptTokenCount() / agent.tokenLimit(current)) * 100);
  return (name) => {
    const meant = GEMINI_CATALOGUE.aliases[name]?.preview ?? name;
    const model = models.find(({ id }) => id === meant);
    const isCurrent = name === current;
    const facts = [
      name === 'offline' ? 'Fixed rules, no network.' : meant === name ? '' : `Stands for ${meant}.`,
      isCurrent ? `${used < 1 ? 'Under 1' : used} % of its context is full.` : '',
    ];
    const about = facts.filter(Boolean).join(' ');
    return { label: name, model, note: isCurrent ? 'now' : '', about };
  };
}

/** Undefined when the user goes back, or when another dialog has changed the model. */
async function nameOf(app: App, answer: string | undefined, context: CommandContext): Promise<string | undefined> {
  if (answer !== OTHERS && answer !== LOCAL) return answer;
  const { placesOf, connect } = await import('./access.ts');
  const places = placesOf(app);
  if (answer === LOCAL) {
    const { connectLocally } = await import('./connect.ts');
    return connectLocally(app.dialogs, places, context.signal);
  }
  const { listKnownModels } = await import('../../providers/reachable-models.ts');
  const models = listKnownModels(places, { missing: undefined })
    .filter(({ provider }) => provider !== 'gemini')
    .toSorted((left, right) => Number(right.reachable) - Number(left.reachable));
  const id = await app.dialogs.choose(
    {
      title: 'Model',
      search: true,
      heading: MODEL_HEADING,
      options: models.map((model) => ({
        label: model.id,
        value: model.id,
        hint: modelHint({ label: model.id, model, note: '' }),
      })),
      whenSearched: (query) => ({ label: `Use "${query}" as provider/model`, value: query.trim() }),
    },
    context.signal,
  );
  const chosen = models.find((model) => model.id === id);
  if (!chosen || chosen.reachable) return id;
  await connect(app, chosen.provider, context, chosen.id);
  return undefined;
}
