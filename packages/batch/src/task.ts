/** Task: one prompt of a batch with its folder, limits and check, and the parser that names what is wrong with one. */

/** Where a task works: a folder of this machine, or a repository that is cloned for it. */
export type TaskPlace = { kind: 'folder'; folder: string } | { kind: 'repository'; url: string };

export interface TaskLimits {
  /** Seconds. */
  time?: number | undefined;
  /** US dollars. */
  cost?: number | undefined;
  tokens?: number | undefined;
  turns?: number | undefined;
}

export interface Task {
  id: string;
  prompt: string;
  place: TaskPlace;
  /** The commit, tag or branch to begin with. Default: the working tree as it is, or the repository's default branch. */
  ref?: string;
  model?: string;
  /** The path of a JSON schema of the answer. */
  schema?: string;
  /** The schema itself, as it was when the batch was submitted. */
  schemaText?: string;
  /** Paths in the folder that the prompt refers to. */
  files: string[];
  /** Names of variables that the task needs; never their values. */
  environment: string[];
  limits: TaskLimits;
  /** A command that decides whether the work is good. */
  check?: string;
  /** How often the task may be attempted. */
  tries: number;
  /** Only workers with all of these take the task. */
  labels: string[];
  /** Tasks of a higher one start first in their batch; without one it is 0. */
  priority?: number;
}

/** Defaults for what a task does not say. */
export interface TaskDefaults {
  /** Relative folders and files count from here. */
  directory: string;
  prompt?: string | undefined;
  place?: TaskPlace | undefined;
  ref?: string | undefined;
  model?: string | undefined;
  schema?: string | undefined;
  check?: string | undefined;
  tries?: number | undefined;
  limits?: TaskLimits | undefined;
  environment?: readonly string[] | undefined;
  /** Throws for a schema that no answer can be asked with. */
  checkSchema?: ((path: string) => void) | undefined;
}

/** An invalid task, with its place in the file. */
export class TaskError extends Error {
  constructor(where: string, sentence: string) {
    super(`${where}: ${sentence}`);
    this.name = 'TaskError';
  }
}

const FIELDS: ReadonlySet<string> = new Set(
  'id prompt folder repo ref model schema files env limits check tries labels priority'.split(' '),
);
const LIMITS = ['time', 'cost', 'tokens', 'turns'] as const;
/** A task's id names files. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_TRIES = 100;
/** Few: on a queue, each that a batch uses is a queue of its own. */
const MAX_PRIORITY = 10;

/** Throws TaskError. `resolve` makes a path of the file absolute. */
export function parseTask(
  value: Readonly<Record<string, unknown>>,
  { where, id, defaults, resolve }: ParseOptions,
): Task {
  const fail = (sentence: string): never => {
    throw new TaskError(where, sentence);
  };
  const unknown = Object.keys(value).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) fail(`"${unknown}" is an unknown field. A task has: ${[...FIELDS].join(', ')}.`);
  const text = (name: string): string | undefined => {
    const found = value[name];
    if (found === undefined || found === null || found === '') return undefined;
    return typeof found === 'string' ? found : fail(`"${name}" must be a string.`);
  };
  const list = (name: string): string[] => {
    const found = value[name] ?? [];
    const isList = Array.isArray(found) && found.every((each) => typeof each === 'string');
    return isList ? found : fail(`"${name}" must be a list of strings.`);
  };
  const taskId = text('id') ?? id;
  if (!ID.test(taskId)) fail(`"${taskId}" is not a valid id: use letters, digits, dots, dashes and underscores.`);
  const prompt = text('prompt') ?? defaults.prompt ?? fail('"prompt" is missing.');
  const [folder, url] = [text('folder'), text('repo')];
  if (folder !== undefined && url !== undefined) fail('give "folder" or "repo", not both.');
  const environment = list('env');
  const invalid = wrongVariable(environment);
  if (invalid !== undefined) fail(`"env" ${invalid}`);
  const tries = value['tries'] ?? defaults.tries ?? 1;
  if (typeof tries !== 'number' || !Number.isInteger(tries) || tries < 1 || tries > MAX_TRIES)
    fail(`"tries" must be a whole number from 1 to ${MAX_TRIES}.`);
  const priority = value['priority'] ?? 0;
  if (typeof priority !== 'number' || !Number.isInteger(priority) || Math.abs(priority) > MAX_PRIORITY)
    fail(`"priority" must be a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}.`);
  const place: TaskPlace | undefined =
    url !== undefined
      ? { kind: 'repository', url }
      : folder !== undefined
        ? { kind: 'folder', folder: resolve(folder) }
        : defaults.place;
  const schema = text('schema');
  return {
    id: taskId,
    prompt,
    place: place ?? { kind: 'folder', folder: defaults.directory },
    ...given('ref', text('ref') ?? defaults.ref),
    ...given('model', text('model') ?? defaults.model),
    ...given('schema', schema === undefined ? defaults.schema : resolve(schema)),
    ...given('check', text('check') ?? defaults.check),
    files: list('files'),
    environment: [...new Set([...(defaults.environment ?? []), ...environment])],
    limits: { ...defaults.limits, ...parseLimits(value['limits'], fail) },
    tries: tries as number,
    labels: list('labels'),
    ...given('priority', priority === 0 ? undefined : (priority as number)),
  };
}

/** Says what is wrong with names of variables. Only the name is repeated: what follows it may be a secret. */
export function wrongVariable(names: readonly string[]): string | undefined {
  const invalid = names.find((name) => !VARIABLE.test(name));
  if (invalid === undefined) return undefined;
  const [name = '', ...value] = invalid.split('=');
  return `holds names of variables, never values; "${name}${value.length > 0 ? '=…' : ''}" is not a name.`;
}

/** In the order in which they start: equal ones as they came. */
export function byPriority(tasks: readonly Task[]): Task[] {
  return tasks.toSorted((one, other) => (other.priority ?? 0) - (one.priority ?? 0));
}

export interface ParseOptions {
  /** Such as `tasks.jsonl:3`. */
  where: string;
  /** Used without an id of its own. */
  id: string;
  defaults: TaskDefaults;
  resolve: (path: string) => string;
}

function parseLimits(value: unknown, fail: (sentence: string) => never): TaskLimits {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) fail('"limits" must be an object.');
  const limits: TaskLimits = {};
  for (const [name, amount] of Object.entries(value)) {
    if (!(LIMITS as readonly string[]).includes(name))
      fail(`"limits.${name}" is unknown. Limits are: ${LIMITS.join(', ')}.`);
    if (typeof amount !== 'number' || !(amount > 0)) fail(`"limits.${name}" must be a number above 0.`);
    limits[name as keyof TaskLimits] = amount as number;
  }
  return limits;
}

function given<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: Value };
}
