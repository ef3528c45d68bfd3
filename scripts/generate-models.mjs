/**
 * Writes packages/core/src/provider/catalogue/models-data.ts: what is known of the models of hosted providers, from
 * models.dev (MIT). Run it by hand and read the diff; a build never runs it.
 *
 *   node scripts/generate-models.mjs https://models.dev/api.json
 *   node scripts/generate-models.mjs path/to/api.json --date 2026-09-30
 *   node scripts/generate-models.mjs path/to/opencode --date 2026-09-30
 *
 * The last form reads the copy of the same table inside the opencode program (npm: opencode-linux-x64), for machines that
 * reach only a package registry. Numbers are copied, never guessed: a fact the source lacks stays unknown.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEmbeddedTable } from './embedded-table.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const TARGET = join(ROOT, 'packages', 'core', 'src', 'provider', 'catalogue', 'models-data.ts');
const UNKNOWN = '-';
/** As EFFORT_LETTERS of bundled-models.ts reads them. */
const LEVELS = { none: 'n', minimal: 'i', low: 'l', medium: 'm', high: 'h', xhigh: 'x', max: 'a' };

/** Our id of a provider, its id there, and the models that are taken. */
const PROVIDERS = [
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

const [source, flag, date = new Date().toISOString().slice(0, 10)] = process.argv.slice(2);
if (source === undefined || (flag !== undefined && flag !== '--date')) {
  throw new Error(
    'Usage: node scripts/generate-models.mjs <api.json, its URL or an opencode program> [--date YYYY-MM-DD]',
  );
}
const table = await readTable(source);
const blocks = PROVIDERS.map(
  ([id, there, taken = /./]) => `  ${quoteKey(id)}: \`\n${linesOf(there, taken).join('\n')}\n\`,\n`,
);
writeFileSync(TARGET, `${header(date)}${blocks.join('')}};\n`);

async function readTable(from) {
  if (/^https?:/.test(from)) return (await fetch(from)).json();
  const bytes = readFileSync(from);
  return bytes[0] === 0x7b ? JSON.parse(bytes.toString('utf8')) : parseEmbeddedTable(bytes);
}

function linesOf(provider, taken) {
  const models = Object.values(table[provider]?.models ?? {});
  if (models.length === 0) throw new Error(`The source has no models of ${provider}.`);
  const lines = new Map();
  for (const model of models.filter((each) => taken.test(each.id) && isForAgents(each))) {
    const facts = factsOf(model);
    lines.set(model.id, facts);
    // Vertex names a version behind `@`; its newest also answers to the bare name.
    const bare = model.id.replace(/@.*/, '');
    if (!lines.has(bare)) lines.set(bare, facts);
  }
  return [...lines].sort(([one], [other]) => (one < other ? -1 : 1)).map(([id, facts]) => `${id} ${facts}`);
}

/** Text in, text out, and not withdrawn; of the many models of a router only those with tools. */
function isForAgents({ id, modalities, status, limit, tool_call: tools }) {
  const { input = [], output = [] } = modalities ?? {};
  const isChat = input.includes('text') && output.join() === 'text' && limit?.context > 0;
  return isChat && status !== 'deprecated' && (tools || !id.includes('/')) && !/\s|embed|guard/.test(id);
}

function factsOf({ id, limit, cost, modalities, tool_call: tools, reasoning, reasoning_options: options = [] }) {
  const { input } = modalities;
  // The family says how a Claude is asked to think: the source does not tell its two ways apart.
  const knob = id.includes('claude') ? UNKNOWN : knobOf(reasoning, options);
  const abilities = [tools && 't', input.includes('image') && 'i', input.includes('pdf') && 'd']
    .filter(Boolean)
    .join('');
  return [limit.context, limit.output || UNKNOWN, priceOf(cost), abilities || UNKNOWN, knob].join(' ');
}

/** Dollars per million: input/output/cached/written, and behind `+tokens:` those of longer prompts. */
function priceOf(cost) {
  if (cost?.input === undefined || cost.output === undefined) return UNKNOWN;
  const tiers = (cost.tiers ?? []).filter(({ tier }) => tier?.type === 'context');
  const last = tiers.at(-1);
  // One step is kept: the highest rates from the first limit on, so that a cost is never understated.
  return last === undefined ? ratesOf(cost) : `${ratesOf(cost)}+${tiers[0].tier.size}:${ratesOf(last)}`;
}

function ratesOf({ input, output, cache_read: cached, cache_write: written }) {
  return [input, output, cached, written]
    .map((rate) => rate ?? '')
    .join('/')
    .replace(/\/+$/, '');
}

function knobOf(reasoning, options) {
  if (!reasoning) return UNKNOWN;
  const types = options.map(({ type }) => type);
  const effort = options.find(({ type }) => type === 'effort');
  if (effort) return ['effort', levelsOf(effort)].filter((word) => word !== '').join(':');
  if (types.includes('budget_tokens')) return 'budget';
  return types.includes('toggle') ? 'switch' : 'always';
}

/** The levels a model takes, a letter each. */
function levelsOf({ values = [] }) {
  return Object.keys(LEVELS)
    .filter((level) => values.includes(level))
    .map((level) => LEVELS[level])
    .join('');
}

function quoteKey(id) {
  return /^\w+$/.test(id) ? id : `'${id}'`;
}

function header(day) {
  return `/**
 * The models of hosted providers. Generated by scripts/generate-models.mjs from models.dev (MIT, see NOTICES.txt); do not
 * edit. One line per model: name, context window, output limit, price (input/output/cached/written, \`+tokens:\` for longer
 * prompts), abilities (t tools, i images, d documents) and how it is asked to think,
 * with the levels of an effort (none, mInimal, low, medium, high, xhigh, mAx); \`-\` is unknown. bundled-models.ts parses it.
 */

export const MODELS_DATE = '${day}';

export const MODELS: Readonly<Record<string, string>> = {
`;
}
