/** Reads all pages of a list of an MCP server, in its order, and ends where the server's cursors do not. */

import { METHOD_NOT_FOUND, RpcError } from './rpc-session.ts';
import type { RequestOptions } from './rpc-session.ts';

const MAX_PAGES = 100;
const MAX_ITEMS = 2_000;

export interface PagedList<T> {
  method: string;
  /** The field of a page that holds the items. */
  key: string;
  /** What the items are called in messages. */
  noun: string;
  /** Undefined for an item that is unusable. */
  read(item: unknown): T | undefined;
}

export type AskServer = (
  method: string,
  params: Record<string, unknown>,
  options: RequestOptions,
) => Promise<Record<string, unknown>>;

export interface ListedItems<T> {
  items: T[];
  /** A sentence on what was not read. */
  cut?: string;
}

/** A server that does not know the method has no items. What is too much is left out, with a sentence. */
export async function listPages<T>(
  ask: AskServer,
  list: PagedList<T>,
  options: RequestOptions,
): Promise<ListedItems<T>> {
  const { method, key, noun, read } = list;
  const items: T[] = [];
  const cursors = new Set<string>();
  for (let cursor: unknown; ;) {
    const page = await ask(method, cursor === undefined ? {} : { cursor }, options).catch((error: unknown) => {
      if (error instanceof RpcError && error.code === METHOD_NOT_FOUND) return {} as Record<string, unknown>;
      throw error;
    });
    const listed = page[key] ?? [];
    if (!Array.isArray(listed)) throw new Error(`The server's answer to ${method} has no list of ${noun}.`);
    for (const item of listed as unknown[]) {
      const usable = read(item);
      if (usable !== undefined) items.push(usable);
    }
    cursor = page['nextCursor'];
    if (typeof cursor !== 'string' || cursor === '' || cursors.has(cursor)) return { items };
    cursors.add(cursor);
    const isOver = cursors.size >= MAX_PAGES;
    if (!isOver && items.length <= MAX_ITEMS) continue;
    const limit = isOver ? `its list has more than ${MAX_PAGES} pages` : `it lists more than ${MAX_ITEMS}`;
    return { items, cut: `Castor read ${items.length} ${noun} and no more: ${limit}.` };
  }
}
