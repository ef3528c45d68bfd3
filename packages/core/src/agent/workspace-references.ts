/** The files that a prompt refers to with `@path`. What finds and reads them is loaded by the first reference. */

import { stat } from 'node:fs/promises';
import type { FileReferences, ReadReferences } from '../context/file-references.ts';
import { readUnsaved } from '../tools/files/file-store.ts';
import type { FileStore } from '../tools/files/file-store.ts';
import type { Workspace } from '../tools/files/workspace.ts';

/** `mayGuess`: whether to look for a missing name everywhere. */
export function openReferences(store: FileStore, mayGuess = true): FileReferences {
  const read = readReferences(store);
  let opened: Promise<FileReferences> | undefined;
  const open = () =>
    (opened ??= import('../context/file-references.ts').then((room) =>
      room.createFileReferences(store.workspace, read, mayGuess),
    ));
  return {
    exists: async (name) => (await open()).exists(name),
    resolve: async (name, signal, options) => (await open()).resolve(name, signal, options),
    read,
  };
}

/** Files the user referred to count as read by the model. */
function readReferences({ workspace, ledger }: FileStore): ReadReferences {
  return async (patterns, signal) => {
    const [{ readManyFiles }, { createReadFileTool }] = await Promise.all([
      import('../tools/builtin/read-many-files.ts'),
      import('../tools/builtin/read-file.ts'),
    ]);
    const dependencies = { workspace, readFile: createReadFileTool({ workspace, ledger }) };
    const execution = { callId: '', signal, onOutput: () => undefined, onPid: () => undefined };
    // A named file is read without a search: pasted pictures are outside the project, others where no search looks.
    const named = await filter(patterns, (path) => isFile(workspace, path));
    const include = patterns.filter((pattern) => !named.includes(pattern));
    const { files, problems } = await readManyFiles(dependencies, { include, named }, execution);
    return { files: files.map(({ path, parts }) => ({ name: workspace.relative(path), parts })), problems };
  };
}

async function filter(names: readonly string[], test: (name: string) => Promise<boolean>): Promise<string[]> {
  const answers = await Promise.all(names.map(test));
  return names.filter((_name, index) => answers[index]);
}

async function isFile(workspace: Workspace, path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found) return found.isFile();
  const real = await workspace.checkPath(path).catch(() => undefined);
  return real !== undefined && (await readUnsaved(workspace, real)) !== undefined;
}
