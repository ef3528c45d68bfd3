/**
 * Reads a suite: a folder with `tasks/<name>/` (a prompt, a check and, if it begins with files of its own, these), `prompts/` and
 * `suite.json`. What is wrong is named with its file before anything runs. A task has a fingerprint, so that results of a changed
 * task are never compared.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseTask } from '@castor/batch';
import type { Task, TaskDefaults } from '@castor/batch';
import { isRecord } from '@castor/core/program';
import { ExitCode } from '../../exit-codes.ts';
import { BatchProblem } from '../batch/batch-context.ts';

export interface SuiteTask {
  name: string;
  task: Task;
  /** Its own files, which become the repository that it begins with. */
  files?: string;
  /** The script that is its check. */
  script?: string;
  fingerprint: string;
}

export interface SuitePrompt {
  name: string;
  /** `{{prompt}}` is the prompt of the task. */
  template: string;
}

export interface Suite {
  name: string;
  directory: string;
  tasks: SuiteTask[];
  prompts: SuitePrompt[];
  models: string[];
  tries: number;
  /** For castor. */
  flags: string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/;
const SETTINGS = ['name', 'models', 'tries', 'flags', 'folder', 'repo', 'ref', 'limits', 'env', 'check'];
const PLAIN: SuitePrompt = { name: 'plain', template: '{{prompt}}' };
const MAX_TRIES = 100;

export function readSuite(directory: string): Suite {
  const tasksIn = join(directory, 'tasks');
  if (!isFolder(directory)) throw problem(`${directory} is not a folder. A suite is a folder with tasks/.`);
  if (!isFolder(tasksIn)) throw problem(`${directory} is not a suite: it has no folder tasks/. See docs/evals.md.`);
  const settings = readSettings(join(directory, 'suite.json'));
  const { name = basename(directory), models = [], tries = 1, flags = [], ...defaults } = settings;
  const names = foldersIn(tasksIn);
  if (names.length === 0) throw problem(`${tasksIn} holds no task. A task is a folder with prompt.md and check.sh.`);
  const where = join(directory, 'suite.json');
  return {
    directory,
    name: text(name, 'name', where),
    models: list(models, 'models', where),
    tries: typeof tries === 'number' && Number.isInteger(tries) && tries > 0 && tries <= MAX_TRIES ? tries : badTries(),
    flags: list(flags, 'flags', where),
    tasks: names.map((each) => readTask(join(tasksIn, each), each, { defaults, suite: directory })),
    prompts: readPrompts(join(directory, 'prompts')),
  };

  function badTries(): never {
    throw problem(`${where}: "tries" must be a whole number from 1 to ${MAX_TRIES}.`);
  }
}

/** A template from a file. */
export function readPrompt(path: string): SuitePrompt {
  const written = readText(path).trim();
  const template = written.includes('{{prompt}}') ? written : `${written}\n\n{{prompt}}`;
  return { name: basename(path).replace(/\.\w+$/, ''), template };
}

export function fillPrompt({ template }: SuitePrompt, prompt: string): string {
  return template.split('{{prompt}}').join(prompt);
}

function readPrompts(directory: string): SuitePrompt[] {
  if (!isFolder(directory)) return [PLAIN];
  const files = readdirSync(directory).filter((name) => name.endsWith('.md'));
  return files.length === 0 ? [PLAIN] : files.sort().map((name) => readPrompt(join(directory, name)));
}

function readTask(
  directory: string,
  name: string,
  { defaults, suite }: { defaults: Record<string, unknown>; suite: string },
): SuiteTask {
  if (!NAME.test(name))
    throw problem(`${directory}: "${name}" is not a valid name: use letters, digits, dashes and underscores.`);
  const own = join(directory, 'task.json');
  const given = existsSync(own) ? readObject(own) : {};
  const script = join(directory, 'check.sh');
  const prompt = join(directory, 'prompt.md');
  const fields = { ...defaults, ...given };
  if (fields['prompt'] === undefined && existsSync(prompt)) fields['prompt'] = readText(prompt).trim();
  const isScript = given['check'] === undefined && existsSync(script);
  if (isScript) fields['check'] = `sh ${quoted(script)}`;
  if (fields['check'] === undefined)
    throw problem(`${directory}: the check is missing. Write check.sh, or "check" in task.json.`);
  for (const field of ['id', 'model', 'tries'])
    if (given[field] !== undefined) throw problem(`${own}: "${field}" belongs to the suite, not to a task.`);
  const files = join(directory, 'files');
  const hasFiles = isFolder(files);
  if (hasFiles) delete fields['folder'];
  const needsPlace = !hasFiles && fields['folder'] === undefined && fields['repo'] === undefined;
  const base: TaskDefaults = { directory: needsPlace ? repositoryAround(suite, directory) : suite };
  const task = parseTask(fields, {
    ...{ where: existsSync(own) ? own : directory, id: name, defaults: base },
    // What the suite says counts from the suite, what the task says from the task.
    resolve: (path) => resolve(given['folder'] === path || given['schema'] === path ? directory : suite, path),
  });
  const content = [JSON.stringify(fields), existsSync(script) ? readText(script) : '', ...contentsOf(files, hasFiles)];
  // The place of the suite on this machine is no part of a task.
  const fingerprint = hash(content.join('\0').replaceAll(suite, ''));
  return { name, task, ...(hasFiles && { files }), ...(isScript && { script }), fingerprint };
}

/** The top of the repository that holds the suite: where a task begins unless it says otherwise. */
function repositoryAround(suite: string, task: string): string {
  for (let at = suite; dirname(at) !== at; at = dirname(at)) if (existsSync(join(at, '.git'))) return at;
  throw problem(`${task}: the suite is in no git repository. Put it into one, or give the task a folder files/.`);
}

function contentsOf(directory: string, exists: boolean): string[] {
  if (!exists) return [];
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return paths.flatMap((path) => [path.slice(directory.length), readFileSync(path, 'latin1')]);
}

function readSettings(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  const settings = readObject(path);
  const unknown = Object.keys(settings).find((name) => !SETTINGS.includes(name));
  if (unknown !== undefined)
    throw problem(`${path}: "${unknown}" is an unknown field. A suite has: ${SETTINGS.join(', ')}.`);
  return settings;
}

function readObject(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readText(path));
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw problem(`${path}: the file is not valid JSON (${error.message}).`);
  }
  throw problem(`${path}: the file must hold an object.`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw problem(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function text(value: unknown, name: string, where: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw problem(`${where}: "${name}" must be a text.`);
}

function list(value: unknown, name: string, where: string): string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw problem(`${where}: "${name}" must be a list of strings.`);
}

function foldersIn(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : [])).sort();
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function hash(content: string): string {
  // Not an import: its name would become a part of every start.
  return process.getBuiltinModule('node:crypto').hash('sha256', content).slice(0, 16);
}

/** A word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function problem(sentence: string): BatchProblem {
  return new BatchProblem(sentence, ExitCode.Input);
}
