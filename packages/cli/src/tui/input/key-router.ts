/**
 * Who gets the keys: a stack of consumers, the last pushed asked first. A key that
 * none of them wants goes to the bottom, which is the composer. Routing only.
 */

import { nextBoundary } from './graphemes.ts';
import { characterKey } from './key.ts';
import type { Key } from './key.ts';
import type { InputToken } from './key-parser.ts';

export interface KeyConsumer {
  /** Answers whether it took the key; false lets it fall through. */
  onKey(key: Key): boolean;
  /** A run of text at once; without it the characters come as keys. */
  onText?(text: string): boolean;
  /** Without it a paste comes as text. */
  onPaste?(text: string): boolean;
}

type TypedToken = Extract<InputToken, { type: 'key' | 'text' | 'paste' }>;

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
        // One character may close the dialog: the rest belongs to the handler that is then on top.
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
  // A list has no use for a paste, and its letters are no choices.
  return true;
}

/** The keys that would have written a text. */
export function toKeys(text: string): Key[] {
  const keys: Key[] = [];
  for (let offset = 0; offset < text.length;) {
    const next = nextBoundary(text, offset);
    keys.push(characterKey(text.slice(offset, next)));
    offset = next;
  }
  return keys;
}
