/**
 * Finds `@server:uri` among the references of a prompt. An address may contain signs that end a file's name, so the
 * known addresses decide where it ends.
 */

import type { Part, WorkspaceAgent } from '@castor/core';
import type { TextReference } from './text-reference.ts';

type Servers = NonNullable<WorkspaceAgent['servers']>;

export interface FoundResource {
  /** As it stands in the prompt, without the `@`. */
  name: string;
  /** Rejects with a ToolError that names the server. */
  read(signal: AbortSignal): Promise<{ name: string; parts: Part[] }>;
}

export interface SplitReferences {
  /** Each once, in the order of the text. */
  resources: FoundResource[];
  /** Everything else. */
  rest: TextReference[];
  /** Sentences on addresses that stay text. */
  notes: string[];
}

/** A prompt is short; a pasted log may refer to the same address many times. */
const MAX_RESOURCES = 20;
/** How far behind the name of a server its address may reach. */
const MAX_LENGTH = 2_000;
/** Signs that may end a sentence behind an address. */
const BEHIND = /[.,;:!?)\]}'"`*_>]+$/;

/** Waits for servers that are still connecting, as the prompt itself does. */
export async function findResources(
  text: string,
  found: readonly TextReference[],
  servers: Servers,
  signal: AbortSignal,
): Promise<SplitReferences> {
  const names = new Set(servers.states.map(({ name }) => name));
  const isOfServer = ({ name }: TextReference) => [...names].some((server) => name.startsWith(`${server}:`));
  if (!found.some(isOfServer)) return { resources: [], rest: [...found], notes: [] };
  await servers.settle(signal);
  const resources = new Map<string, FoundResource>();
  const rest: TextReference[] = [];
  const notes = new Set<string>();
  let end = 0;
  for (const reference of found) {
    // Part of an address that is already found.
    if (reference.start < end) continue;
    const known = isOfServer(reference) ? locate(text, reference, servers) : undefined;
    if (!known || (resources.size >= MAX_RESOURCES && !resources.has(known.name))) {
      rest.push(reference);
      if (!known && isOfServer(reference) && reference.name.includes('://')) notes.add(noteOn(reference.name, servers));
      continue;
    }
    ({ end } = known);
    resources.set(known.name, {
      name: known.name,
      read: async (stop) => ({
        name: known.name,
        parts: (await servers.contents.readResource(known.address, stop)).parts,
      }),
    });
  }
  return { resources: [...resources.values()], rest, notes: [...notes] };
}

function noteOn(name: string, { states }: Servers): string {
  const server = states.find((state) => name.startsWith(`${state.name}:`))!;
  const why = server.status === 'ready' ? 'lists no such resource' : 'is not connected';
  return `@${name} stays text: the MCP server ${server.name} ${why}.`;
}

/** The longest beginning of the text that is a known address; of a template's addresses without what ends a sentence. */
function locate(text: string, { start, end, name }: TextReference, { contents }: Servers) {
  const isQuoted = text[start + 1] === '"';
  const run = /^\S*/.exec(text.slice(start + 1, start + 1 + MAX_LENGTH))?.[0] ?? '';
  const whole = isQuoted ? name : run;
  const behind = BEHIND.exec(whole)?.[0].length ?? 0;
  // Templates fit almost every text: of the two readings the shorter one is a sentence that ends.
  const lengths = [whole.length, ...Array.from({ length: behind }, (_, index) => whole.length - index - 1)];
  const candidates = lengths.map((length) => ({ length, address: contents.findReference(whole.slice(0, length)) }));
  const best = candidates.find(({ address }) => address?.isTemplated === false) ??
    candidates.findLast(({ address }) => address !== undefined) ?? {
      length: name.length,
      address: contents.findReference(name),
    };
  if (!best.address) return undefined;
  return {
    address: best.address,
    name: `${best.address.server}:${best.address.uri}`,
    end: isQuoted ? end : start + 1 + best.length,
  };
}
