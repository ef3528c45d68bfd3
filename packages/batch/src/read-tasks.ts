/**
 * Reads tasks from what a user has: a JSONL or CSV file, a list of repositories, or one prompt over many files. An
 * invalid task is named with file and line before anything runs; ids are unique in a batch.
 */

import { readFileSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import { parseCsv } from './csv.ts';
import type { CsvError } from './csv.ts';
import { parseTask, TaskError } from './task.ts';
import type { Task, TaskDefaults } from './task.ts';

/** Columns of a CSV file that are fields of a task; every other column fills `{{column}}` in the prompt. */
const COLUMNS: ReadonlySet<string> = new Set('id prompt folder repo ref model schema check tries'.split(' '));
const LISTS: ReadonlySet<string> = new Set(['files', 'env', 'labels']);

/** Throws TaskError for invalid content, and the system's error for an unreadable file. */
export function readTaskFile(path: string, defaults: TaskDefaults): Task[] {
  const text = readFileSync(path, 'utf8');
  const name = basename(path);
  const isCsv = extname(path).toLowerCase() === '.csv';
  if (!isCsv) refusePlaces(defaults.prompt, [], `${name} has no columns: only a CSV file fills them.`);
  const tasks = isCsv ? ofCsv(text, name, path, defaults) : ofJsonLines(text, name, path, defaults);
  if (tasks.length === 0) throw new TaskError(name, 'the file holds no task.');
  return tasks;
}

/** One task for each file; `{{file}}` in the prompt is its path. */
export function tasksOver(files: readonly string[], prompt: string, defaults: TaskDefaults): Task[] {
  const seen = new Set<string>();
  refusePlaces(prompt, ['file'], '--over fills {{file}} only.');
  const tasks = new CheckedTasks(defaults);
  for (const [index, file] of files.entries()) {
    const filled = fill(prompt, { file });
    // Named by its file, so that a table and a branch tell which one it was; a long or repeated name gets a number.
    const name = file.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[._-]+/, '');
    const isUsable = name !== '' && name.length <= LONGEST_NAME && !seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    const options = {
      where: file,
      id: isUsable ? name : `${numbered(index, files.length)}-${name.slice(-LONGEST_NAME)}`.replace(/-$/, ''),
      defaults,
      resolve: resolveFrom(defaults.directory),
    };
    const task = parseTask({ prompt: filled, ...(filled === prompt && { files: [file] }) }, options);
    tasks.add(task, file);
  }
  return tasks.all;
}

/** Of an id: also the names of folders and branches have it. */
const LONGEST_NAME = 80;

/** One task for each line: a git URL or a folder. `{{repo}}` in the prompt is its name. */
export function tasksOfRepositories(path: string, prompt: string, defaults: TaskDefaults): Task[] {
  const base = dirname(resolve(path));
  const name = basename(path);
  const seen = new Map<string, number>();
  const tasks = new CheckedTasks(defaults);
  refusePlaces(prompt, ['repo'], '--repos fills {{repo}} only.');
  for (const [index, raw] of readFileSync(path, 'utf8').split('\n').entries()) {
    const entry = raw.replace(/(^|\s)#.*/, '').trim();
    if (entry === '') continue;
    const [address = '', ref, ...more] = entry.split(/\s+/);
    const where = `${name}:${index + 1}`;
    if (more.length > 0) throw new TaskError(where, 'a line holds a URL or folder and, after a space, a ref.');
    const short =
      basename(address)
        .replace(/\.git$/, '')
        .replace(/[^A-Za-z0-9._-]/g, '-') || 'repository';
    const count = (seen.get(short) ?? 0) + 1;
    seen.set(short, count);
    const place = isAddress(address) ? { repo: address } : { folder: address };
    const value = { prompt: fill(prompt, { repo: short }), ...place, ...(ref !== undefined && { ref }) };
    const id = count === 1 ? short : `${short}-${count}`;
    tasks.add(parseTask(value, { where, id, defaults, resolve: resolveFrom(base) }), where);
  }
  if (tasks.all.length === 0) throw new TaskError(name, 'the file names no repository.');
  return tasks.all;
}

function ofJsonLines(text: string, name: string, path: string, defaults: TaskDefaults): Task[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const tasks = new CheckedTasks(defaults);
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const where = `${name}:${index + 1}`;
    const value = parseObject(line, where);
    const id = numbered(tasks.all.length, lines.length);
    tasks.add(parseTask(value, { where, id, defaults, resolve: resolveFrom(dirname(resolve(path))) }), where);
  }
  return tasks.all;
}

function parseObject(line: string, where: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    // The parser counts from the line itself, which would contradict the number in front.
    const why = (error as Error).message.replace(/ \(line 1 column \d+\)$/, '');
    throw new TaskError(where, `the line is not valid JSON (${why}). Write one object on each line.`);
  }
  throw new TaskError(where, 'the line is not an object. Write one object on each line.');
}

function ofCsv(text: string, name: string, path: string, defaults: TaskDefaults): Task[] {
  let rows;
  try {
    rows = parseCsv(text);
  } catch (error) {
    const { message, line } = error as CsvError;
    throw new TaskError(`${name}:${line}`, message);
  }
  const header = rows[0]?.fields.map((field) => field.trim()) ?? [];
  const twice = header.find((column, at) => column !== '' && header.indexOf(column) !== at);
  if (twice !== undefined)
    throw new TaskError(`${name}:1`, `there are two columns "${twice}". Give each its own name.`);
  refusePlaces(defaults.prompt, header, `the columns are: ${header.join(', ')}.`);
  const tasks = new CheckedTasks(defaults);
  for (const [index, { line, fields }] of rows.slice(1).entries()) {
    const where = `${name}:${line}`;
    if (fields.length > header.length)
      throw new TaskError(where, `the row has ${fields.length} fields and the header ${header.length}.`);
    const named = Object.fromEntries(header.map((column, at) => [column, fields[at] ?? '']));
    const value: Record<string, unknown> = {};
    for (const [column, field] of Object.entries(named)) {
      if (field === '') continue;
      if (LISTS.has(column)) value[column] = field.split(/\s+/).filter(Boolean);
      else if (column === 'tries') value[column] = Number(field);
      // A list of issues may have such a column with words.
      else if (column === 'priority' && /^-?\d+$/.test(field)) value[column] = Number(field);
      else if (COLUMNS.has(column)) value[column] = field;
    }
    const prompt = (value['prompt'] as string | undefined) ?? defaults.prompt;
    if (prompt !== undefined) value['prompt'] = fill(prompt, named);
    const id = numbered(index, rows.length);
    tasks.add(parseTask(value, { where, id, defaults, resolve: resolveFrom(dirname(resolve(path))) }), where);
  }
  return tasks.all;
}

const PLACE = /\{\{\s*([\w.-]+)\s*\}\}/g;

function placesIn(prompt: string): string[] {
  return [...prompt.matchAll(PLACE)].map(([, name = '']) => name);
}

/** The model would get what nothing fills. */
function refusePlaces(prompt: string | undefined, known: readonly string[], why: string): void {
  const unknown = placesIn(prompt ?? '').find((place) => !known.includes(place));
  if (unknown !== undefined) throw new TaskError('--prompt', `it names {{${unknown}}}, and ${why}`);
}

/** `{{name}}` is replaced once; what a value contains is not read again. */
function fill(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replaceAll(PLACE, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : whole,
  );
}

const places = new WeakMap<Task, string>();

/** Where a task was read: a file with its line, or the file that it is for. */
export function whereOf(task: Task): string {
  return places.get(task) ?? task.id;
}

/** What has to hold among the tasks of a file, and on this machine. */
class CheckedTasks {
  readonly all: Task[] = [];
  private readonly places = new Map<string, string>();
  private readonly schemas = new Set<string>();
  private readonly checkOther: TaskDefaults['checkSchema'];

  constructor({ checkSchema }: TaskDefaults) {
    this.checkOther = checkSchema;
  }

  add(task: Task, where: string): void {
    const other = this.places.get(task.id);
    if (other !== undefined)
      throw new TaskError(where, `the id "${task.id}" is that of ${other} already. Give each task its own.`);
    if (JSON.stringify(task).includes('\\u0000'))
      throw new TaskError(where, 'a text holds a null character, which no program takes.');
    this.places.set(task.id, where);
    this.checkSchema(task.schema, where);
    places.set(task, where);
    this.all.push(task);
  }

  private checkSchema(path: string | undefined, where: string): void {
    if (path === undefined || this.schemas.has(path)) return;
    try {
      JSON.parse(readFileSync(path, 'utf8'));
      this.checkOther?.(path);
    } catch (error) {
      throw new TaskError(where, `the schema ${path} cannot be used: ${(error as Error).message}`);
    }
    this.schemas.add(path);
  }
}

/** As many digits as the largest has, so that names sort. */
function numbered(index: number, count: number): string {
  return `t${String(index + 1).padStart(String(count).length, '0')}`;
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[^/\s]+@[^/\s]+:/.test(text);
}

function resolveFrom(base: string): (path: string) => string {
  return (path) => resolve(base, path);
}
