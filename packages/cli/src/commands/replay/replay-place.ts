/**
 * The place of a replay: a temporary home and workspace made of what a recording holds, and the environment of the run in it. Nothing of
 * the user's own files, keys or variables is in it.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { restorePaths, writeContents } from '@castor/core/program';
import type { FileContent, FileLine, Recording } from '@castor/core/program';
import { isRecorded, isSecretOnly } from '../../recording/start-state.ts';

export interface ReplayPlace {
  directory: string;
  workspace: string;
  environment: Record<string, string>;
  argv: string[];
  remove(): void;
}

/** Variables of this machine that a run needs to start at all. */
const PASSED = ['PATH', 'SHELL', 'LD_LIBRARY_PATH', 'SystemRoot'];

/** Throws an Error for a recording that names a file outside its folders. */
export function makePlace(recording: Recording, given: Readonly<Record<string, string | undefined>>): ReplayPlace {
  const { start } = recording;
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'castor-replay-')));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const home = join(directory, 'home');
  const workspace = join(directory, 'workspace', oneName(start.folder));
  const restore = (text: string) => restorePaths(text, { workspace, home });
  try {
    writeFiles(recording, { workspace, home, restore });
  } catch (error) {
    remove();
    throw error;
  }
  const passed = PASSED.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  const recorded = Object.entries(start.environment)
    .filter(([name]) => isRecorded(name))
    .map(([name, value]) => [name, restore(value)]);
  const secrets = recording.lines.flatMap((line) =>
    line.type === 'secret' && line.variable !== undefined && isSecretOnly(line.variable, line.standIn)
      ? [[line.variable, line.standIn]]
      : [],
  );
  return {
    ...{ directory, workspace, remove, argv: start.argv.map(restore) },
    environment: {
      ...(Object.fromEntries([...recorded, ...secrets, ...passed]) as Record<string, string>),
      ...{ HOME: home, GEMINI_CLI_HOME: home, TMPDIR: directory, TZ: start.timezone, TERM: 'dumb' },
      GEMINI_TELEMETRY_ENABLED: 'false',
    },
  };
}

interface Where {
  workspace: string;
  home: string;
  restore: (text: string) => string;
}

function writeFiles({ start, lines }: Recording, { workspace, home, restore }: Where): void {
  const write = (root: string, contents: readonly FileContent[]) => writeContents(root, contents, restore);
  const files = lines.filter((line): line is FileLine => line.type === 'file');
  const below = (name: FileLine['root']) => files.filter(({ root }) => root === name);
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(workspace, { recursive: true });
  const empty = start.names.map((path) => ({ path, text: '' }));
  write(workspace, [...empty, ...below('workspace')]);
  if (start.isGitRepository) write(workspace, [{ path: '.git/HEAD', text: 'ref: refs/heads/main\n' }]);
  const registry = JSON.stringify({ projects: { [workspace]: oneName(start.slug) } });
  write(home, [...below('home'), { path: '.gemini/projects.json', text: registry }]);
}

/** A name of one folder, whatever a recording says. */
function oneName(text: string): string {
  const name = basename(text);
  return name === '' || name.startsWith('.') ? 'project' : name;
}
