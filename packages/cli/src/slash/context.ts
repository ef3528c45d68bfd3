import { basename } from 'node:path';
import { countOf } from '@castor/core/program';
import { verbOf } from '../call-words.ts';
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
  run: ({ agent, columns }) => info(describeContext(agent, columns)),
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
const DEFAULT_WIDTH = 79;
/** A summary takes about a sixth of what it replaces; a short conversation is not worth one. */
const COMPRESSED = 5 / 6;
const LEAST_FREED = 1_000;
/** An estimate is not further off than this; a count that is, is of another request. */
const MOST_ERROR = 3;

function describeContext(agent: Agent, width = DEFAULT_WIDTH): string {
  const model = agent.requestedModel();
  const limit = agent.tokenLimit(model);
  const { shares, largest } = sharesOf(agent);
  const estimated = shares.reduce((sum, { tokens }) => sum + tokens, 0);
  const counted = agent.chat.getLastPromptTokenCount();
  // The last request was counted by the provider; the kinds are only estimated.
  const ratio = estimated === 0 ? 1 : counted / estimated;
  const scale = ratio > 1 / MOST_ERROR && ratio < MOST_ERROR ? ratio : 1;
  const used = Math.round(estimated * scale);
  const scaled = shares.map((share) => ({ ...share, tokens: share.tokens * scale }));
  const free: Share = { name: 'free', about: '', tokens: Math.max(limit - used, 0) };
  const frees = scaled.filter(({ name }) => name === 'conversation' || name === 'results');
  const freed = Math.round(frees.reduce((sum, { tokens }) => sum + tokens, 0) * COMPRESSED);
  const hint = [
    ...(freed < LEAST_FREED ? [] : [`/compress would free about ${shortCount(freed)}`]),
    ...(largest === undefined ? [] : [`largest result: ${largest[0]} ${shortCount(largest[1] * scale)}`]),
  ];
  return [
    `Context  ${model} · ${shortCount(used)} of ${shortCount(limit)} · ${percentOf(used, limit)}`,
    ...layOut(scaled, free, width).map((row) => `  ${row}`),
    ...(hint.length === 0 ? [] : [`  ${hint.join(' · ')}`]),
  ].join('\n');
}

/** Name, what it is made of, tokens, bar. What it is made of goes below where a window has no room for the bars. */
function layOut(shares: readonly Share[], free: Share, width: number): string[] {
  const most = Math.max(1, ...shares.map(({ tokens }) => tokens));
  const all = [...shares, free];
  const widest = Math.max(...all.map(({ about }) => about.length));
  const name = Math.max(...all.map((share) => share.name.length)) + 2;
  const numbers = Math.max(...all.map(({ tokens }) => shortCount(tokens).length));
  const besides = 2 + name + 2 + numbers + 2;
  const isWide = besides + widest + BAR_CELLS <= width;
  const cells = Math.max(Math.min(width - besides - (isWide ? widest : 0), BAR_CELLS), 0);
  return all.flatMap((share) => {
    const length = share === free || share.tokens === 0 ? 0 : Math.max(1, Math.round((share.tokens / most) * cells));
    const count = shortCount(share.tokens).padStart(numbers);
    const bar = '█'.repeat(Math.min(length, cells));
    const row = `${share.name.padEnd(name)}${isWide ? share.about.padEnd(widest + 2) : ''}${count}  ${bar}`.trimEnd();
    return isWide || share.about === '' ? [row] : [row, `  ${share.about}`];
  });
}

function percentOf(used: number, limit: number): string {
  const percent = (used / limit) * 100;
  return percent > 0 && percent < 1 ? 'under 1 %' : `${Math.round(percent)} %`;
}

function sharesOf(agent: Agent): { shares: Share[]; largest: readonly [name: string, tokens: number] | undefined } {
  const { chat, context: loaded } = agent;
  const tools = chat.getTools().flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const history = chat.getHistory();
  let conversation = 0;
  const results = new Map<string, number>();
  let largest: readonly [name: string, tokens: number] | undefined;
  for (const part of history.flatMap(({ parts = [] }) => parts)) {
    if (part.functionResponse === undefined) conversation += lengthOf(part);
    else {
      const called = part.functionResponse.name ?? 'tool';
      const name = verbOf(called) ?? called;
      const length = lengthOf(part);
      results.set(name, (results.get(name) ?? 0) + length);
      if (largest === undefined || toTokens(length) > largest[1]) largest = [name, toTokens(length)];
    }
  }
  const first = [...results].toSorted(([, one], [, other]) => other - one).slice(0, 2);
  const shares = [
    {
      name: 'instructions',
      about: ['system prompt', ...[...new Set(loaded.files.map(({ path }) => basename(path)))].slice(0, 2)].join(', '),
      tokens: toTokens(chat.getSystemInstruction().length),
    },
    { name: 'tools', about: countOf(tools.length, 'tool'), tokens: toTokens(lengthOf(tools)) },
    { name: 'conversation', about: countOf(history.length, 'message'), tokens: toTokens(conversation) },
    {
      name: 'results',
      about: first.map(([name, length]) => `${name} ${shortCount(toTokens(length))}`).join(' · '),
      tokens: toTokens([...results.values()].reduce((sum, length) => sum + length, 0)),
    },
  ];
  return { shares, largest };
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

function toTokens(characters: number): number {
  return Math.round(characters / CHARACTERS_PER_TOKEN);
}
