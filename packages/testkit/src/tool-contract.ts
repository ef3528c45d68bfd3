/**
 * The suite every tool passes, as cases any test runner can loop over. It knows a tool by its shape only. The contract:
 * invalid arguments are rejected by name, an abort ends the call, and whatever happens, the tool returns a result or
 * throws a ToolError.
 */

import assert from 'node:assert/strict';
import { isAbsolute } from 'node:path';
import {
  checkFullDisk,
  checkMissingFile,
  checkNamedPipe,
  checkOutsidePath,
  checkPermissionDenied,
  checkUnicodeName,
  checkVanishingFile,
} from './contract-file-checks.ts';
import { assertAborted, assertInvalid, assertResult, assertSettled, context, settle } from './contract-outcome.ts';
import type { ContractSubject, ContractTool } from './contract-tool.ts';

export interface ContractCase {
  title: string;
  run(): Promise<void>;
}

type Check = (subject: ContractSubject) => Promise<void>;

/** Long enough for a slow machine, short enough to detect a hang. */
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
  assert.equal(tool.schema.name, tool.name);
  assert.equal(tool.schema.description, tool.description);
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

interface Schema {
  type?: string;
  required?: string[];
  properties: Record<string, { type?: string }>;
}

function schemaOf(tool: ContractTool): Schema {
  const schema = tool.schema.parametersJsonSchema as Partial<Schema>;
  return { ...schema, properties: schema.properties ?? {} };
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
