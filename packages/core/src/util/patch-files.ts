/** Finds the files that a patch in the V4A format changes: one header line for each. */

export interface PatchedFile {
  kind: 'add' | 'update' | 'delete';
  path: string;
}

const HEADER = /^\*\*\* (Add|Update|Delete) File: ?(.*)$/;

export function readPatchHeader(line: string): PatchedFile | undefined {
  const [, verb, path] = HEADER.exec(line) ?? [];
  if (verb === undefined || path === undefined) return undefined;
  return { kind: verb.toLowerCase() as PatchedFile['kind'], path: path.trim() };
}

/** In the order of the patch; a text that is not a patch has none. */
export function patchedFiles(patch: unknown): PatchedFile[] {
  if (typeof patch !== 'string') return [];
  return patch.split(/\r?\n/).flatMap((line) => readPatchHeader(line) ?? []);
}
