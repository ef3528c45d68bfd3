/**
 * Converts the table of models.dev (MIT) into the lines that bundled-models.ts reads, for the providers of ours that it
 * holds. Numbers are copied, never guessed: a fact the source lacks stays unknown. Its only imports are types, so that
 * scripts/generate-models.mjs can run it from source.
 */

const UNKNOWN = '-';
/** As EFFORT_LETTERS of bundled-models.ts reads them. */
const LEVELS = { none: 'n', minimal: 'i', low: 'l', medium: 'm', high: 'h', xhigh: 'x', max: 'a' };

/** Our id of a provider, its id there, and the models that are taken. */
const PROVIDERS: readonly [id: string, there: string, taken?: RegExp][] = [
  ['anthropic', 'anthropic'],
  ['azure', 'azure', /^(?:gpt|o\d|codex|grok|deepseek|kimi|mistral|llama)/],
  ['cerebras', 'cerebras'],
  ['deepseek', 'deepseek'],
  ['fireworks', 'fireworks-ai'],
  ['groq', 'groq'],
  ['mistral', 'mistral'],
  ['moonshot', 'moonshotai'],
  ['openai', 'openai'],
  [
    'openrouter',
    'openrouter',
    /^~?(?:anthropic|deepseek|google|meta-llama|minimax|mistralai|moonshotai|openai|qwen|x-ai|z-ai)\//,
  ],
  ['together', 'togetherai'],
  ['vertex', 'google-vertex', /^gemini-/],
  ['vertex-anthropic', 'google-vertex-anthropic'],
  ['xai', 'xai'],
  ['zai', 'zai'],
];

interface Rates {
  input?: number;
  output?: number;
  cache_read?: number;
  cache_write?: number;
}

interface Model {
  id: string;
  limit?: { context?: number; output?: number };
  cost?: Rates & { tiers?: (Rates & { tier?: { type?: string; size?: number } })[] };
  modalities?: { input?: string[]; output?: string[] };
  status?: string;
  tool_call?: boolean;
  reasoning?: boolean;
  reasoning_options?: { type?: string; values?: string[] }[];
}

/** By our id of a provider, the lines of its models. Throws for a table that lacks the models of a provider. */
export function toModelLines(table: unknown): Record<string, string> {
  const providers = table as Record<string, { models?: Record<string, Model> } | undefined>;
  return Object.fromEntries(
    PROVIDERS.map(([id, there, taken = /./]) => {
      const models = Object.values(providers?.[there]?.models ?? {});
      if (models.length === 0) throw new Error(`The table has no models of ${there}.`);
      return [id, linesOf(models.filter((model) => taken.test(model.id) && isForAgents(model))).join('\n')];
    }),
  );
}

function linesOf(models: readonly Model[]): string[] {
  const lines = new Map<string, string>();
  for (const model of models) {
    const facts = factsOf(model);
    lines.set(model.id, facts);
    // Vertex names a version behind `@`; its newest also answers to the bare name.
    const bare = model.id.replace(/@.*/, '');
    if (!lines.has(bare)) lines.set(bare, facts);
  }
  return [...lines].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([id, facts]) => `${id} ${facts}`);
}

/** Text in, text out, and not withdrawn; of the many models of a router only those with tools. */
function isForAgents({ id, modalities, status, limit, tool_call: tools }: Model): boolean {
  const { input = [], output = [] } = modalities ?? {};
  const isChat = input.includes('text') && output.join() === 'text' && (limit?.context ?? 0) > 0;
  return isChat && status !== 'deprecated' && (tools === true || !id.includes('/')) && !/\s|embed|guard/.test(id);
}

function factsOf({ id, limit, cost, modalities, tool_call: tools, reasoning, reasoning_options: options }: Model) {
  const { input = [] } = modalities ?? {};
  // The family says how a Claude is asked to think: the source does not tell its two ways apart.
  const knob = id.includes('claude') || !reasoning ? UNKNOWN : knobOf(options ?? []);
  const abilities = [tools && 't', input.includes('image') && 'i', input.includes('pdf') && 'd'];
  return [
    limit?.context,
    limit?.output || UNKNOWN,
    priceOf(cost),
    abilities.filter(Boolean).join('') || UNKNOWN,
    knob,
  ].join(' ');
}

/** Dollars per million: input/output/cached/written, and behind `+tokens:` those of longer prompts. */
function priceOf(cost: Model['cost']): string {
  if (cost?.input === undefined || cost.output === undefined) return UNKNOWN;
  const tiers = (cost.tiers ?? []).filter(({ tier }) => tier?.type === 'context');
  const last = tiers.at(-1);
  // One step is kept: the highest rates from the first limit on, so that a cost is never understated.
  return last === undefined ? ratesOf(cost) : `${ratesOf(cost)}+${tiers[0]?.tier?.size}:${ratesOf(last)}`;
}

function ratesOf({ input, output, cache_read: cached, cache_write: written }: Rates): string {
  return [input, output, cached, written]
    .map((rate) => rate ?? '')
    .join('/')
    .replace(/\/+$/, '');
}

function knobOf(options: NonNullable<Model['reasoning_options']>): string {
  const types = options.map(({ type }) => type);
  const effort = options.find(({ type }) => type === 'effort');
  if (effort) return ['effort', levelsOf(effort.values ?? [])].filter((word) => word !== '').join(':');
  if (types.includes('budget_tokens')) return 'budget';
  return types.includes('toggle') ? 'switch' : 'always';
}

/** The levels a model takes, a letter each. */
function levelsOf(values: readonly string[]): string {
  return Object.entries(LEVELS)
    .filter(([level]) => values.includes(level))
    .map(([, letter]) => letter)
    .join('');
}
