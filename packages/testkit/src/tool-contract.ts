/**
 * The suite every tool passes, as cases any test runner can loop over. It knows a
 * tool by its shape only. What it holds a tool to: bad arguments are refused by name,
 * an abort ends it, and whatever the world does, it answers or throws a ToolError.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

/** What the suite needs of the runtime's `ServerTool`. */
export interface ContractTool {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly declaration: { name?: string; description?: string; parametersJsonSchema?: unknown };
  build(args: Record<string, unknown>): ContractInvocation;
}

interface ContractInvocation {
  readonly params: Record<string, unknown>;
  describe(): string;
  locations(): { path: string }[];
  confirm(signal: AbortSignal): Promise<unknown>;
  execute(context: ContractContext): Promise<ContractResult>;
}

interface ContractContext {
  callId: string;
  signal: AbortSignal;
  onOutput(chunk: string): void;
  onPid(pid: number): void;
}

interface ContractResult {
  llmContent: unknown;
  returnDisplay: unknown;
  error?: { message: string; type?: string };
}

/** A tool with a project of its own, made anew for each case. */
export interface ContractSubject extends AsyncDisposable {
  tool: ContractTool;
  /** A directory of the workspace; files named below it may be created by the suite. */
  project: string;
  /** Arguments of a call that succeeds. */
  args: Record<string, unknown>;
  /** The argument that names a file or directory, where there is one, and what it names. */
  path?: { parameter: string; kind: 'file' | 'directory' };
  /** Arguments of a call with as much to say as there can be. */
  hugeArgs?(): Promise<Record<string, unknown>>;
  /** For a tool that writes: arguments that put more than 64 KiB into a file that holds `old text`. */
  growingArgs?(path: string): Record<string, unknown>;
}

export interface ContractCase {
  title: string;
  run(): Promise<void>;
}

type Check = (subject: ContractSubject) => Promise<void>;

/** Long enough for a slow machine, short enough to tell a hang. */
const PATIENCE_MS = 20_000;
const MAX_DESCRIPTION = 1_000;
const MAX_TEXT = 30_000_000;

export function toolContractCases(open: () => Promise<ContractSubject>): ContractCase[] {
  return Object.entries(CHECKS).map(([title, check]) => ({
    title,
    async run() {
      await using subject = await open();
      await inTime(check(subject), title);
    },
  }));
}

const CHECKS: Readonly<Record<string, Check>> = {
  'declares a name and an object schema the service takes': checkDeclaration,
  'answers a good call in JSON and describes it in words': checkGoodCall,
  'leaves the arguments it is given alone': checkFrozenArguments,
  'refuses a call without a required argument': checkMissingArguments,
  'refuses arguments of the wrong type': checkWrongTypes,
  'refuses arguments it does not know': checkUnknownArguments,
  'takes the scheduler argument wait_for_previous': checkWaitForPrevious,
  'answers or refuses any text': checkHostileText,
  'is ended by an abort before it starts': checkAbortBefore,
  'is ended by an abort while it runs': checkAbortDuring,
  'answers when there is too much to say': checkHugeOutput,
  'names a missing file': checkMissingFile,
  'works with a name in any script': checkUnicodeName,
  'stays in the workspace': checkOutsidePath,
  'refuses a named pipe without waiting for it': checkNamedPipe,
  'survives a file that vanishes before it runs': checkVanishingFile,
  'says when permission is denied': checkPermissionDenied,
  'leaves the old content whole when the disk is full': checkFullDisk,
};

async function checkDeclaration({ tool }: ContractSubject): Promise<void> {
  assert.match(tool.name, /^[A-Za-z_][\w.:-]{0,63}$/);
  assert.equal(tool.declaration.name, tool.name);
  assert.equal(tool.declaration.description, tool.description);
  assert.ok(tool.displayName.length > 0);
  assert.ok(tool.description.length > 0 && tool.description.length <= MAX_DESCRIPTION);
  const { type, required = [], properties } = schemaOf(tool);
  assert.equal(type, 'object');
  for (const name of required) assert.ok(Object.hasOwn(properties, name), `required but not declared: ${name}`);
}

async function checkGoodCall({ tool, args }: ContractSubject): Promise<void> {
  const invocation = tool.build(args);
  const description = invocation.describe();
  assert.ok(description.length > 0);
  for (const { path } of invocation.locations()) assert.ok(isAbsolute(path), `location is not absolute: ${path}`);
  const details = await invocation.confirm(new AbortController().signal);
  assert.deepEqual(JSON.parse(JSON.stringify(details)), details);
  const result = await invocation.execute(context());
  assert.equal(result.error, undefined, result.error?.message);
  assertResult(result);
}

async function checkFrozenArguments({ tool, args }: ContractSubject): Promise<void> {
  const before = JSON.stringify(args);
  assertSettled(await settle(tool, deepFreeze(structuredClone(args))));
  assert.equal(JSON.stringify(args), before);
}

async function checkMissingArguments({ tool, args }: ContractSubject): Promise<void> {
  for (const name of schemaOf(tool).required ?? []) {
    const { [name]: _left, ...rest } = args;
    assertInvalid(tool, rest, `without ${name}`);
  }
}

const VALUES: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 1.5,
  boolean: true,
  array: ['text', 1],
  object: { some: 'thing' },
  null: null,
};

async function checkWrongTypes({ tool, args }: ContractSubject): Promise<void> {
  for (const [name, { type }] of Object.entries(schemaOf(tool).properties)) {
    for (const [kind, value] of Object.entries(VALUES)) {
      if (kind === type) continue;
      assertInvalid(tool, { ...args, [name]: value }, `${name} as ${kind}`);
    }
  }
}

async function checkUnknownArguments({ tool, args }: ContractSubject): Promise<void> {
  assertInvalid(tool, { ...args, no_such_argument: 'x' }, 'an unknown argument');
  assertInvalid(tool, { ...args, constructor: 'x' }, 'an argument named constructor');
}

async function checkWaitForPrevious({ tool, args }: ContractSubject): Promise<void> {
  assert.deepEqual(tool.build({ ...args, wait_for_previous: true }).params, tool.build(args).params);
}

const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\uD800',
  'a\u2028b\u2029c',
  '\u001b]0;title\u0007',
  '../'.repeat(50),
  '('.repeat(500),
  '{a,b}'.repeat(8),
  '-rf',
  '--help',
  'ünï·文字·🦫',
  'x'.repeat(100_000),
];

async function checkHostileText({ tool, args }: ContractSubject): Promise<void> {
  for (const [name, { type }] of Object.entries(schemaOf(tool).properties)) {
    if (type !== 'string') continue;
    for (const text of HOSTILE_TEXTS) assertSettled(await settle(tool, { ...args, [name]: text }));
  }
}

async function checkAbortBefore({ tool, args }: ContractSubject): Promise<void> {
  const controller = new AbortController();
  controller.abort();
  assertAborted(await settle(tool, args, controller.signal));
}

async function checkAbortDuring({ tool, args }: ContractSubject): Promise<void> {
  const controller = new AbortController();
  const running = settle(tool, args, controller.signal);
  setImmediate(() => controller.abort());
  assertAborted(await running);
}

async function checkHugeOutput({ tool, hugeArgs }: ContractSubject): Promise<void> {
  if (!hugeArgs) return;
  const outcome = await settle(tool, await hugeArgs());
  assertSettled(outcome);
  if (outcome.result) assert.ok(JSON.stringify(outcome.result.llmContent).length <= MAX_TEXT);
}

async function checkMissingFile({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path) return;
  assertSettled(await settle(tool, { ...args, [path.parameter]: join(project, 'no', 'such', 'thing') }));
}

async function checkUnicodeName({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path) return;
  const target = join(project, 'données · 文字 🦫');
  await createTarget(target, path.kind);
  assertSettled(await settle(tool, { ...args, [path.parameter]: target }));
}

async function checkOutsidePath({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path) return;
  const outside = path.kind === 'file' ? '/etc/hostname' : '/etc';
  for (const target of [outside, join('..', '..', '..', '..', '..', outside), `${project}-evil/x`]) {
    const outcome = await settle(tool, { ...args, [path.parameter]: target });
    assert.equal(typeOf(outcome), 'path_not_in_workspace', `${target}: ${describeOutcome(outcome)}`);
  }
}

async function checkNamedPipe({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path || process.platform === 'win32') return;
  const pipe = join(project, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const outcome = await settle(tool, { ...args, [path.parameter]: pipe });
  assert.notEqual(typeOf(outcome), undefined, 'a named pipe was accepted');
}

async function checkVanishingFile({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path) return;
  const target = join(project, 'vanishing');
  await createTarget(target, path.kind);
  let invocation: ContractInvocation;
  try {
    invocation = tool.build({ ...args, [path.parameter]: target });
    await invocation.confirm(new AbortController().signal);
  } catch (error) {
    assertSettled({ error });
    return;
  }
  await rm(target, { recursive: true });
  assertSettled(await settleInvocation(invocation));
}

async function checkPermissionDenied({ tool, args, path, project }: ContractSubject): Promise<void> {
  if (!path || process.platform === 'win32') return;
  const target = join(project, 'locked');
  await createTarget(target, path.kind);
  await chmod(target, 0o000);
  const outcome = await asOrdinaryUser(project, () => settle(tool, { ...args, [path.parameter]: target }));
  await chmod(target, 0o700);
  assertSettled(outcome);
  assert.notEqual(typeOf(outcome), undefined, `what nobody may read was taken: ${describeOutcome(outcome)}`);
}

const NOBODY = 65_534;

/** Nothing is denied to root, so a suite that runs as root lends the folder to nobody for the call. */
async function asOrdinaryUser<T>(project: string, run: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run();
  await Promise.all([chmod(dirname(project), 0o755), chown(project, NOBODY, NOBODY)]);
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

async function checkFullDisk({ tool, growingArgs, project }: ContractSubject): Promise<void> {
  if (!growingArgs) return;
  const disk = join(project, 'small-disk');
  await mkdir(disk);
  const run = promisify(execFile);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk]);
  } catch {
    // Only some machines let a test have a disk of its own.
    return;
  }
  try {
    const path = join(disk, 'file.txt');
    await writeFile(path, 'old text\n');
    const outcome = await settle(tool, growingArgs(path));
    assert.equal(typeOf(outcome), 'no_space_left', describeOutcome(outcome));
    assert.equal(await readFile(path, 'utf8'), 'old text\n');
    assert.deepEqual(await readdir(disk), ['file.txt']);
  } finally {
    await run('umount', [disk]);
  }
}

async function createTarget(path: string, kind: 'file' | 'directory'): Promise<void> {
  if (kind === 'directory') await mkdir(path);
  else await writeFile(path, 'some text\n');
}

interface Schema {
  type?: string;
  required?: string[];
  properties: Record<string, { type?: string }>;
}

function schemaOf({ declaration }: ContractTool): Schema {
  const schema = declaration.parametersJsonSchema as Partial<Schema>;
  return { ...schema, properties: schema.properties ?? {} };
}

function context(signal = new AbortController().signal): ContractContext {
  return { callId: 'contract-1', signal, onOutput: () => undefined, onPid: () => undefined };
}

interface Outcome {
  result?: ContractResult;
  error?: unknown;
}

async function settle(tool: ContractTool, args: Record<string, unknown>, signal?: AbortSignal): Promise<Outcome> {
  try {
    return await settleInvocation(tool.build(args), signal);
  } catch (error) {
    return { error };
  }
}

async function settleInvocation(invocation: ContractInvocation, signal?: AbortSignal): Promise<Outcome> {
  try {
    return { result: await invocation.execute(context(signal)) };
  } catch (error) {
    return { error };
  }
}

/** The failure's type; undefined for a success. */
function typeOf({ result, error }: Outcome): string | undefined {
  if (result) return result.error && (result.error.type ?? 'unknown');
  return isToolError(error) ? error.type : undefined;
}

function isToolError(error: unknown): error is Error & { type: string } {
  return error instanceof Error && error.name === 'ToolError' && typeof (error as { type?: unknown }).type === 'string';
}

function assertInvalid(tool: ContractTool, args: Record<string, unknown>, what: string): void {
  let thrown: unknown;
  try {
    tool.build(args);
  } catch (error) {
    thrown = error;
  }
  assert.ok(thrown !== undefined, `accepted: ${what}`);
  assert.ok(isToolError(thrown), `${what}: ${describeOutcome({ error: thrown })}`);
  assert.equal(thrown.type, 'invalid_tool_params', what);
}

/** A result or a ToolError; anything else thrown is a bug of the tool. */
function assertSettled(outcome: Outcome): void {
  if (outcome.result) assertResult(outcome.result);
  else assert.ok(isToolError(outcome.error), `threw ${describeOutcome(outcome)}`);
}

/** A tool with nothing to wait for may have its result all the same. */
function assertAborted(outcome: Outcome): void {
  if (outcome.result) assertResult(outcome.result);
  else {
    const isAbort = outcome.error instanceof Error && outcome.error.name === 'AbortError';
    assert.ok(isAbort, `an abort became ${describeOutcome(outcome)}`);
  }
}

function assertResult(result: ContractResult): void {
  assert.ok(result.llmContent !== undefined, 'no llmContent');
  assert.ok(result.returnDisplay !== undefined, 'no returnDisplay');
  assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
}

function describeOutcome({ result, error }: Outcome): string {
  if (!result) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  return (JSON.stringify(result.error ?? result.llmContent) ?? '').slice(0, 500);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) deepFreeze(each);
    Object.freeze(value);
  }
  return value;
}

async function inTime(work: Promise<void>, title: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not end: ${title}`)), PATIENCE_MS);
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
