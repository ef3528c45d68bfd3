/**
 * Creates a home and a project for one test, in a temporary folder that is removed on dispose. Nothing outside that
 * folder is touched.
 */

import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Workspace extends AsyncDisposable {
  /** Contains `home` and `project`. */
  readonly root: string;
  readonly home: string;
  readonly project: string;
  /** Writes below the project, folders included; returns the absolute path. */
  write(path: string, content: string | Uint8Array): Promise<string>;
  /** Reads text below the project. */
  read(path: string): Promise<string>;
  dispose(): Promise<void>;
}

export interface WorkspaceOptions {
  /** Relative path to content, below the project. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Relative path to content, below the home. */
  readonly homeFiles?: Readonly<Record<string, string | Uint8Array>>;
}

export async function createWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  // The real path, so that the program's output can be compared with it.
  const root = await realpath(await mkdtemp(join(tmpdir(), 'castor-test-')));
  const home = join(root, 'home');
  const project = join(root, 'project');
  await Promise.all([mkdir(home), mkdir(project)]);
  await Promise.all([...writeAll(home, options.homeFiles), ...writeAll(project, options.files)]);
  // A process beside the program may still write its last file when the program has ended.
  const dispose = () => rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  return {
    root,
    home,
    project,
    write: (path, content) => writeBelow(project, path, content),
    read: (path) => readFile(join(project, path), 'utf8'),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

function writeAll(folder: string, files: WorkspaceOptions['files'] = {}): Promise<string>[] {
  return Object.entries(files).map(([path, content]) => writeBelow(folder, path, content));
}

async function writeBelow(folder: string, path: string, content: string | Uint8Array): Promise<string> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
  return target;
}
