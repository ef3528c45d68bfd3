/**
 * Routes keys through a stack of handlers, the last pushed first. A key that none of them takes goes to the bottom, the
 * composer. Routing only.
 */

import { nextBoundary } from '../text/graphemes.ts';
import { characterKey } from './key.ts';
import type { Key } from './key.ts';
import type { InputToken } from './key-parser.ts';

export interface KeyConsumer {
  /** Returns whether it took the key; false passes it on. */
  onKey(key: Key): boolean;
  /** A run of text at once; without it the characters arrive as keys. */
  onText?(text: string): boolean;
  /** Without it a paste arrives as text. */
  onPaste?(text: string): boolean;
}

export type TypedToken = Extract<InputToken, { type: 'key' | 'text' | 'paste' }>;

export interface KeyRouter {
  push(consumer: KeyConsumer): () => void;
  route(token: TypedToken): void;
}

export function createKeyRouter(bottom: KeyConsumer): KeyRouter {
  const stack: KeyConsumer[] = [bottom];

  /** From `level` downwards until a handler takes it. */
  const routeFrom = (level: number, token: TypedToken): void => {
    for (let index = level; index >= 0; index--) {
      const consumer = stack[index];
      if (consumer === undefined) continue;
      if (token.type === 'text' && consumer.onText === undefined) {
        // One character may close the dialog: the rest goes to the handler that is then on top.
        for (const key of toKeys(token.text)) routeFrom(Math.min(index, stack.length - 1), { type: 'key', key });
        return;
      }
      if (offer(consumer, token)) return;
    }
  };

  return {
    push(consumer) {
      stack.push(consumer);
      return () => {
        const index = stack.indexOf(consumer);
        if (index > 0) stack.splice(index, 1);
      };
    },
    route: (token) => routeFrom(stack.length - 1, token),
  };
}

function offer(consumer: KeyConsumer, token: TypedToken): boolean {
  if (token.type === 'key') return consumer.onKey(token.key);
  if (token.type === 'text') return consumer.onText!(token.text);
  if (consumer.onPaste !== undefined) return consumer.onPaste(token.text);
  if (consumer.onText !== undefined) return consumer.onText(token.text);
  // A list does not take a paste, and its letters are not choices.
  return true;
}

/** The keys that would insert a text. */
export function toKeys(text: string): Key[] {
  const keys: Key[] = [];
  for (let offset = 0; offset < text.length;) {
    const next = nextBoundary(text, offset);
    keys.push(characterKey(text.slice(offset, next)));
    offset = next;
  }
  return keys;
}
