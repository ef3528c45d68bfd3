/**
 * What a run begins with, as lines of a recording: the user's and the project's own files that shape a run, and the variables that Castor
 * reads. Values of secrets, sessions, caches and whatever would start a program are left out.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isSecretVariable, PROVIDERS, SECRET_NAME, toContent } from '@castor/core/program';
import type { FileLine } from '@castor/core/program';
import { createMask } from '../mask-secrets.ts';

const MAX_BYTES = 256 * 1024;
const MOST_FILES = 2_000;
/** In the user's folder. */
const LEFT_OUT =
  /^(?:tmp|history|antigravity.*|node_modules|\.env.*|.*oauth.*|.*cred.*|.*token.*|.*accounts?.*|.*installation.*|.*\.lock|.*\.sqlite.*|projects\.json|extension_integrity\.json)$/i;
/** Anywhere in the workspace. */
const SHAPING = /^(?:GEMINI|AGENTS|CLAUDE)\.md$|^\.(?:git|gemini|ai)ignore$|^\.aiexclude$/;
const SKIPPED = new Set(['.git', 'node_modules', 'dist', 'build', 'target', '.venv', 'vendor']);
const MOST_FOLDERS = 4_000;
/** They start programs or reach the network. */
const REMOVED = ['mcpServers', 'mcp', 'hooks', 'telemetry'];
/** Accepted where a key is needed, and never sent. */
export const NO_KEY = 'no-key-in-a-replay';
const READ = /^(?:CASTOR|GEMINI|GOOGLE|VERTEX|OLLAMA)_|_(?:BASE_URL|API_KEY)$|^(?:LANG|LC_ALL|CI|NO_COLOR)$/;
const UNREAD =
  /^(?:CASTOR_LIFELINE|CASTOR_TASK|GEMINI_CLI_HOME|GOOGLE_APPLICATION_CREDENTIALS|GEMINI_WRITE_SYSTEM_MD|GEMINI_TELEMETRY_.*|.*SANDBOX.*)$/;

export function filesOf(home: string, root: string, named: readonly string[]): FileLine[] {
  const own = walk(join(home, '.gemini'), (name) => !LEFT_OUT.test(name)).map((path) => lineOf('home', home, path));
  const shaping = walk(root, (name, isFolder) => (isFolder ? !SKIPPED.has(name) : SHAPING.test(name)));
  const project = walk(join(root, '.gemini'), (name) => !LEFT_OUT.test(name));
  const given = named.filter((path) => path.startsWith(root + sep));
  const paths = new Set([...shaping, ...project, ...given]);
  return [...own, ...[...paths].map((path) => lineOf('workspace', root, path))].flatMap((line) => line ?? []);
}

/** Values by name, without secrets. `provider` needs a key where its key is not a variable. */
export function environmentOf(
  environment: Readonly<Record<string, string | undefined>>,
  provider: string | undefined,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || !isRecorded(name)) return [];
    return [[name, SECRET_NAME.test(name) ? NO_KEY : value]];
  });
  const variables = PROVIDERS.find(({ id }) => id === provider)?.keyVariables ?? [];
  const isGiven = variables.some(({ name }) => kept.some(([known]) => known === name));
  const [first] = variables;
  return Object.fromEntries(first && !isGiven ? [...kept, [first.name, NO_KEY]] : kept);
}

/** Whether a variable is part of a recording; in a replay, a file of a stranger sets no other. */
export function isRecorded(name: string): boolean {
  return READ.test(name) && !UNREAD.test(name);
}

/** Whether a variable that a recording names with a stand-in may be set: it holds a secret, and no program loads code by it. */
export function isSecretOnly(name: string, standIn: string): boolean {
  const isSecret = SECRET_NAME.test(name) || isSecretVariable(name, standIn);
  return isSecret && !UNREAD.test(name) && !/^(?:NODE_(?!AUTH_TOKEN$)|LD_|DYLD_)/.test(name);
}

function lineOf(root: FileLine['root'], base: string, path: string): FileLine | undefined {
  try {
    if (statSync(path).size > MAX_BYTES) return undefined;
    const bytes = readFileSync(path);
    const name = relative(base, path).split(sep).join('/');
    const content = path.endsWith('settings.json') ? Buffer.from(harmless(bytes.toString('utf8'))) : bytes;
    return { type: 'file', root, ...toContent(name, content) };
  } catch {
    // Gone, or not readable: the run could not read it either.
    return undefined;
  }
}

/** Settings without what starts programs, and without secrets. Settings that are not JSON stay as they are. */
function harmless(text: string): string {
  try {
    const settings = JSON.parse(text) as Record<string, unknown>;
    for (const name of REMOVED) delete settings[name];
    return JSON.stringify(createMask({})('', settings), null, 2);
  } catch {
    // With comments, or broken: the scrubber removes secrets by their form.
    return text;
  }
}

function walk(directory: string, isWanted: (name: string, isFolder: boolean) => boolean): string[] {
  const found: string[] = [];
  const waiting = [directory];
  for (let read = 0; waiting.length > 0 && read < MOST_FOLDERS && found.length < MOST_FILES; read += 1) {
    const folder = waiting.shift() ?? '';
    for (const entry of entriesOf(folder)) {
      if (!isWanted(entry.name, entry.isDirectory())) continue;
      if (entry.isDirectory()) waiting.push(join(folder, entry.name));
      else if (entry.isFile()) found.push(join(folder, entry.name));
    }
  }
  return found;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Missing: nothing to keep.
    return [];
  }
}
