/** One line of what is known of a model: window, tools, images, price, and what is missing or not known. */

import type { ModelPrice } from '@castor/core/program';
import type { ReachableModel } from './reachable-models.ts';

export function describeModel({ known, missing, trainedWindow }: ReachableModel): string {
  const { contextWindow, tools, images, price } = known;
  const facts = [
    describeWindow(contextWindow, trainedWindow),
    describeAbility('tools', tools),
    describeAbility('images', images),
    price ? describePrice(price) : 'price unknown',
    ...(missing === undefined ? [] : [missing]),
  ];
  return facts.join(' · ');
}

function describeAbility(name: string, has: boolean | undefined): string {
  return has === undefined ? `${name} unknown` : has ? name : `no ${name}`;
}

/** What is allotted, and what the model was trained for if that is another number. */
function describeWindow(allotted: number | undefined, trained: number | undefined): string {
  if (allotted === undefined) return trained === undefined ? 'context unknown' : `${shortCount(trained)} context`;
  if (trained === undefined || trained === allotted) return `${shortCount(allotted)} context`;
  return `${shortCount(allotted)} of ${shortCount(trained)} context`;
}

/** Per million tokens. */
function describePrice({ input, output }: ModelPrice): string {
  return input === 0 && output === 0 ? 'free' : `$${input} in, $${output} out`;
}

function shortCount(tokens: number): string {
  if (tokens >= 1_000_000) return `${Math.round(tokens / 100_000) / 10}M`;
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : String(tokens);
}
