/** Writes one call of a Chat Completions stream as its fragments, in any of the ways servers do it. */

import type { Block } from './planned-turn.ts';
import { argumentsText } from './planned-turn.ts';
import { inPieces } from './quirks.ts';
import type { Quirks } from './quirks.ts';

type Fragment = Record<string, unknown>;

/** The fragments, each an entry of `delta.tool_calls`. */
export function chatFragments(block: Block, id: string, quirks: Quirks): Fragment[] {
  const bodies = functionBodies(block, quirks);
  const last = bodies.length - 1;
  return bodies.map((body, position) => ({
    ...indexOf(block, quirks),
    ...(hasId(quirks, position, last) && { id: quirks.ids === 'empty' ? '' : id }),
    ...(position === 0 && { type: 'function' }),
    function: body,
    ...(position === 0 && signatureOf(block)),
  }));
}

/** The call as an unstreamed message holds it. */
export function chatCall(block: Block, id: string, quirks: Quirks): Fragment {
  return {
    ...(quirks.ids !== 'none' && { id: quirks.ids === 'empty' ? '' : id }),
    type: 'function',
    function: {
      ...(block.call?.name !== undefined && { name: block.call.name }),
      ...(quirks.argumentsAs !== 'omitted' && { arguments: wholeArguments(block, quirks) }),
    },
    ...signatureOf(block),
  };
}

function signatureOf({ signature }: Block): Fragment {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

function wholeArguments(block: Block, quirks: Quirks): unknown {
  return quirks.argumentsAs === 'object' ? block.call?.args : argumentsText(block);
}

function functionBodies(block: Block, quirks: Quirks): Fragment[] {
  const name = block.call?.name;
  const named = name === undefined ? {} : { name };
  if (quirks.argumentsAs === 'omitted') return [named];
  if (quirks.argumentsAs !== undefined) return [{ ...named, arguments: wholeArguments(block, quirks) }];
  const pieces = inPieces(argumentsText(block), quirks.argumentPieces).map((piece) => ({ arguments: piece }));
  if (quirks.names === 'repeated') return pieces.map((piece) => ({ ...named, ...piece }));
  if (quirks.names === 'pieces' && name !== undefined) {
    const middle = Math.ceil(name.length / 2);
    return [{ name: name.slice(0, middle), arguments: '' }, { name: name.slice(middle) }, ...pieces];
  }
  return [{ ...named, arguments: '' }, ...pieces];
}

function indexOf({ callIndex }: Block, { indexes }: Quirks): Fragment {
  if (indexes === 'none') return {};
  return { index: indexes === 'null' ? null : indexes === 'zero' ? 0 : callIndex };
}

function hasId({ ids }: Quirks, position: number, last: number): boolean {
  if (ids === 'none') return false;
  if (ids === 'every') return true;
  return position === (ids === 'late' ? last : 0);
}
