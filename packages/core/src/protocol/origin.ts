/**
 * The origin of a model turn: the provider that answered and the opaque state it must receive back with that turn
 * (signed thinking, encrypted reasoning, item ids). It stands beside the parts under a symbol, so that a spread copies
 * it and no JSON form of the content contains it. A turn that was rewritten has no origin.
 */

import type { Content } from './content.ts';

/** The key on `Content`. Object spread copies it; JSON and `structuredClone` omit it. */
export const ORIGIN: unique symbol = Symbol.for('castor.origin');

/** Opaque to everything but the adapter that made it. */
export interface OriginBlock {
  /**
   * The index of the part it stands in front of, thoughts not counted; the number of parts if it is the last. Texts on
   * both sides of a thought are two parts if any block of the turn is behind the first part, else one. For a block
   * without text, an adapter yields the part `{thought: true}`, which shows nothing.
   */
  before: number;
  type: string;
  [key: string]: unknown;
}

export interface Origin {
  provider: string;
  protocol: string;
  model: string;
  /** The host that answered. */
  endpoint: string;
  blocks?: readonly OriginBlock[];
  /** State of single calls, by `functionCall.id`; the chat renames the key with the id. */
  calls?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  message?: Readonly<Record<string, unknown>>;
}

interface ContentWithOrigin extends Content {
  [ORIGIN]?: Origin;
}

export function originOf(content: Content): Origin | undefined {
  return (content as ContentWithOrigin)[ORIGIN];
}

/** A copy with this origin; without any if `origin` is undefined. */
export function withOrigin(content: Content, origin: Origin | undefined): Content {
  const copy: ContentWithOrigin = { ...content };
  if (origin) copy[ORIGIN] = origin;
  else delete copy[ORIGIN];
  return copy;
}
