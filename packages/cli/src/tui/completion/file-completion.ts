/** `@` completion: finds the reference around the caret and offers files and folders for it. */

import { countOf } from '@castor/core/program';
import { escapeReference } from '../input/paste.ts';
import type {
  CompletionInput,
  CompletionProvider,
  CompletionTarget,
  Suggestion,
} from '../input/completion-provider.ts';
import type { FileFacts } from './file-facts.ts';
import type { FileIndex } from './file-index.ts';

/** Longer than any path; text further left is ignored. */
const MAX_REFERENCE = 4096;

/** What else `@` may name: resources of MCP servers, as `server:uri`. */
export type FindResources = (
  typed: string,
  signal: AbortSignal,
) => Promise<readonly { readonly reference: string; readonly about: string }[]>;

export interface FileCompletionOptions {
  readonly findResources?: FindResources;
  /** What is said of each file; without it only folders have a fact. */
  readonly facts?: FileFacts;
}

export function createFileCompletion(
  index: FileIndex,
  { findResources, facts }: FileCompletionOptions = {},
): CompletionProvider {
  return {
    detect: findReference,
    async complete({ query }, signal) {
      const [{ paths, counts, improved }, resources] = await Promise.all([
        index.search(query, signal),
        // Nothing typed yet: the files of the folder are what most users want.
        query === '' ? [] : (findResources?.(query, signal) ?? []),
      ]);
      const read = facts?.read(paths, signal);
      const items = paths.map((path) => {
        const fact = path.endsWith('/') ? toFolderFact(counts?.get(path)) : facts?.of(path);
        return toSuggestion(path, query, fact);
      });
      const found = resources.map(({ reference, about }) => toResource(reference, about, query));
      const better = read && improved ? Promise.race([read, improved]) : (read ?? improved);
      return { items: [...found, ...items], improved: better };
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

function toFolderFact(files: number | undefined): string | undefined {
  return files === undefined ? undefined : `folder, ${countOf(files, 'file')}`;
}

function toSuggestion(path: string, query: string, fact: string | undefined): Suggestion {
  const isFolder = path.endsWith('/');
  // The user may continue from a folder, so no blank ends it.
  const insert = escapeReference(path) + (isFolder ? '' : ' ');
  return { id: path, label: path, ...(fact !== undefined && { fact }), insert, isExact: path === query };
}
