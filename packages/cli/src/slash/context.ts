import { countOf } from '@castor/core/program';
import { shortCount } from '../short-numbers.ts';
import { info } from './command.ts';
import type { CommandContext, SlashCommand } from './command.ts';

/** `/context`: what fills the window of the model, by kind, and what would free it. */
export const context: SlashCommand = {
  name: 'context',
  description: 'Shows what fills the context window of the model, and how much is free.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: ({ agent }) => info(describeContext(agent)),
};

type Agent = CommandContext['agent'];

interface Share {
  readonly name: string;
  readonly about: string;
  readonly tokens: number;
}

/** A token of English text or code has about this many characters. */
const CHARACTERS_PER_TOKEN = 4;
const BAR_CELLS = 20;
/** An estimate is not further off than this; a count that is, is of another request. */
const MOST_ERROR = 3;

function describeContext(agent: Agent): string {
  const model = agent.requestedModel();
  const limit = agent.tokenLimit(model);
  const shares = sharesOf(agent);
  const estimated = shares.reduce((sum, { tokens }) => sum + tokens, 0);
  const counted = agent.chat.getLastPromptTokenCount();
  // The last request was counted by the provider; the kinds are only estimated.
  const ratio = estimated === 0 ? 1 : counted / estimated;
  const scale = ratio > 1 / MOST_ERROR && ratio < MOST_ERROR ? ratio : 1;
  const used = Math.round(estimated * scale);
  const scaled = shares.map((share) => ({ ...share, tokens: share.tokens * scale }));
  const most = Math.max(1, ...scaled.map(({ tokens }) => tokens));
  const widest = Math.max(...scaled.map(({ about }) => about.length));
  const rows = scaled.map(({ name, about, tokens }) => {
    const bar = '█'.repeat(tokens === 0 ? 0 : Math.max(1, Math.round((tokens / most) * BAR_CELLS)));
    return `${name.padEnd(14)}${about.padEnd(widest)}  ${shortCount(tokens).padStart(7)}  ${bar}`.trimEnd();
  });
  const free = `${'free'.padEnd(14)}${' '.repeat(widest)}  ${shortCount(Math.max(limit - used, 0)).padStart(7)}`;
  return [
    `Context  ${model} · ${shortCount(used)} of ${shortCount(limit)} · ${Math.round((used / limit) * 100)} %`,
    ...[...rows, free].map((row) => `  ${row}`),
    '  /compress replaces the conversation and its results with a summary',
  ].join('\n');
}

function sharesOf(agent: Agent): Share[] {
  const { chat, context: loaded } = agent;
  const tools = chat.getTools().flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const history = chat.getHistory();
  let conversation = 0;
  const results = new Map<string, number>();
  for (const part of history.flatMap(({ parts = [] }) => parts)) {
    if (part.functionResponse === undefined) conversation += lengthOf(part);
    else {
      const name = part.functionResponse.name ?? 'tool';
      results.set(name, (results.get(name) ?? 0) + lengthOf(part));
    }
  }
  const largest = [...results].toSorted(([, one], [, other]) => other - one).slice(0, 2);
  return [
    {
      name: 'instructions',
      about:
        loaded.files.length === 0 ? 'system prompt' : `system prompt, ${countOf(loaded.files.length, 'context file')}`,
      tokens: toTokens(chat.getSystemInstruction().length),
    },
    { name: 'tools', about: countOf(tools.length, 'tool'), tokens: toTokens(lengthOf(tools)) },
    { name: 'conversation', about: countOf(history.length, 'message'), tokens: toTokens(conversation) },
    {
      name: 'results',
      about: largest.map(([name, length]) => `${name} ${shortCount(toTokens(length))}`).join(' · '),
      tokens: toTokens([...results.values()].reduce((sum, length) => sum + length, 0)),
    },
  ];
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

function toTokens(characters: number): number {
  return Math.round(characters / CHARACTERS_PER_TOKEN);
}
