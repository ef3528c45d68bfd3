/** Cuts a list into pages with cursors, honestly or as a script lets it deviate. */

import { INVALID_PARAMS, RpcError } from './rpc-error.ts';
import type { McpPages } from './script.ts';

interface Page {
  readonly items: readonly unknown[];
  readonly nextCursor?: string;
}

export function pageOf(items: readonly unknown[], pages: McpPages | undefined, cursor: unknown): Page {
  if (pages === undefined) {
    if (cursor !== undefined) throw new RpcError(INVALID_PARAMS, `Invalid cursor: ${JSON.stringify(cursor)}`);
    return { items };
  }
  const { size, cursors = 'end' } = pages;
  if (cursors === 'same') return { items: items.slice(0, size), nextCursor: 'again' };
  const offset = cursor === undefined ? 0 : offsetOf(cursor);
  const next = offset + size;
  const page = items.slice(offset, next);
  if (next < items.length || cursors === 'endless') return { items: page, nextCursor: cursorOf(next) };
  return cursors === 'loop' ? { items: page, nextCursor: cursorOf(0) } : { items: page };
}

/** Opaque to the client, as cursors are. */
function cursorOf(offset: number): string {
  return Buffer.from(`offset:${offset}`).toString('base64url');
}

function offsetOf(cursor: unknown): number {
  const [, digits] =
    /^offset:(\d+)$/.exec(Buffer.from(typeof cursor === 'string' ? cursor : '', 'base64url').toString()) ?? [];
  if (digits === undefined) throw new RpcError(INVALID_PARAMS, `Invalid cursor: ${JSON.stringify(cursor)}`);
  return Number(digits);
}
