/** `@` completion: finds the reference around the caret and offers files and folders for it. */

import { escapeReference } from '../input/paste.ts';
import type {
  CompletionInput,
  CompletionProvider,
  CompletionTarget,
  Suggestion,
} from '../input/completion-provider.ts';
import type { FileIndex } from './file-index.ts';

/** Longer than any path; text further left is ignored. */
const MAX_REFERENCE = 4096;

/** What else `@` may name: resources of MCP servers, as `server:uri`. */
export type FindResources = (
  typed: string,
  signal: AbortSignal,
) => Promise<readonly { readonly reference: string; readonly about: string }[]>;

export function createFileCompletion(index: FileIndex, findResources?: FindResources): CompletionProvider {
  return {
    detect: findReference,
    async complete({ query }, signal) {
      const [{ paths, improved }, resources] = await Promise.all([
        index.search(query, signal),
        // Nothing typed yet: the files of the folder are what most users want.
        query === '' ? [] : (findResources?.(query, signal) ?? []),
      ]);
      const items = paths.map((path) => toSuggestion(path, query));
      const found = resources.map(({ reference, about }) => toResource(reference, about, query));
      return { items: [...found, ...items], improved };
    },
  };
}

function toResource(reference: string, about: string, query: string): Suggestion {
  // An address that a template begins is continued.
  const isOpen = reference.endsWith('/') || reference.endsWith(':');
  return {
    id: reference,
    label: reference,
    ...(about !== '' && { description: about }),
    insert: escapeReference(reference) + (isOpen ? '' : ' '),
    isExact: reference === query,
  };
}

/** The reference at the caret: from an `@` at the start of a word to the caret. */
function findReference({ line, column }: CompletionInput): CompletionTarget | undefined {
  const before = line.slice(Math.max(0, column - MAX_REFERENCE), column);
  const match = /(?:^|[\s([{"'])@((?:\\.|[^\s\\])*)$/u.exec(before);
  if (match === null) return undefined;
  const written = match[1]!;
  return { start: column - written.length, end: column, query: written.replaceAll(/\\(.)/g, '$1') };
}

function toSuggestion(path: string, query: string): Suggestion {
  const isFolder = path.endsWith('/');
  // The user may continue from a folder, so no blank ends it.
  return { id: path, label: path, insert: escapeReference(path) + (isFolder ? '' : ' '), isExact: path === query };
}
