/**
 * `error.type` of a run that could not begin, or could not go on: names scripts know from Gemini CLI. The short form has
 * every case in one format, and a sample of them in the other.
 */

import { fakeModel, fault, runCli, createWorkspace } from '@castor/testkit';
import type { Script } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';
import { variants } from '../house/variants.ts';

interface Case {
  why: string;
  args: string[];
  /** Absent: GEMINI_API_KEY is not set. */
  script?: Script;
  settings?: object;
  code: number;
  type: string;
  /** Of a request that failed. */
  failed?: { status?: number; attempts: number };
}

const CASES: Case[] = [
  { why: 'no key', args: ['-p', 'hi'], code: 41, type: 'FatalAuthenticationError' },
  {
    why: 'a key that is refused',
    args: ['-p', 'hi'],
    script: [fault(401)],
    code: 41,
    type: 'FatalAuthenticationError',
    failed: { status: 401, attempts: 1 },
  },
  {
    why: 'a service that stays away',
    args: ['-p', 'hi', '-m', 'gemini-2.5-flash'],
    script: [fault(503)],
    settings: { general: { maxAttempts: 1 } },
    code: 1,
    type: 'ApiError',
    failed: { status: 503, attempts: 1 },
  },
  {
    why: 'an answer that is blocked',
    args: ['-p', 'hi'],
    script: [fault('prompt_blocked')],
    code: 1,
    type: 'InvalidStreamError',
    failed: { attempts: 1 },
  },
  { why: 'no prompt', args: [], script: [], code: 42, type: 'FatalInputError' },
  { why: 'a session that is not there', args: ['-r', '99', '-p', 'hi'], script: [], code: 42, type: 'FatalInputError' },
  { why: 'a command that needs a screen', args: ['-p', '/theme'], script: [], code: 42, type: 'FatalInputError' },
  {
    why: 'a sandbox',
    args: ['-s', '-p', 'hi'],
    script: [],
    settings: { tools: { sandbox: 'qemu' } },
    code: 44,
    type: 'FatalSandboxError',
  },
  {
    why: 'telemetry to a place that cannot be meant',
    args: ['-p', 'hi'],
    script: [],
    settings: { telemetry: { enabled: true, otlpEndpoint: 'collector' } },
    code: 52,
    type: 'FatalConfigError',
  },
];

/** Before the request, during it, and before the flags have an effect. */
const STREAMED = inject('isEndurance') ? CASES : CASES.filter((_, index) => index % 4 === 0);

async function run({ args, script, settings = {} }: Case, format: string) {
  await using workspace = await createWorkspace({
    homeFiles: { '.gemini/settings.json': JSON.stringify(settings) },
  });
  await using model = await fakeModel(script ?? []);
  return await runCli([...args, '-o', format], { workspace, ...(script && { model }) });
}

describe('the type of an error', () => {
  variants.each(CASES)('is $type in the one object of JSON: $why', async (one) => {
    const { stdout, code } = await run(one, 'json');
    expect([JSON.parse(stdout), code]).toMatchObject([
      { error: { type: one.type, code: one.code, ...one.failed } },
      one.code,
    ]);
  });

  it.each(STREAMED)('is $type in the last line of stream-json: $why', async (one) => {
    const { stdout, code } = await run(one, 'stream-json');
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as object;
    expect([last, code]).toMatchObject([
      { type: 'result', status: 'error', error: { type: one.type, ...one.failed } },
      one.code,
    ]);
  });
});

describe('JSON for what could not begin', () => {
  const last = (text: string) => JSON.parse(text.trimEnd().split('\n').at(-1)!) as object;

  variants.each([
    ['json', ['-o', 'json', '--frobnicate']],
    ['json', ['--output-format=json', '-p', 'a', 'b']],
    ['stream-json', ['-p', 'a', '-i', 'b', '--output-format', 'stream-json']],
    ['stream-json', ['--input-format', 'stream-json', '--max-turns', 'none']],
  ])('is %s also when the flags are wrong: %j', async (format, args) => {
    const { stdout, code } = await runCli(args);
    const error = { type: 'FatalError', code: 1 };
    expect(code).toBe(1);
    if (format === 'json') expect(JSON.parse(stdout)).toMatchObject({ error });
    else expect(last(stdout)).toMatchObject({ type: 'result', status: 'error', error, stats: { total_tokens: 0 } });
  });

  variants.each<[string, string[], number]>([
    ['there is no key', ['-p', 'hi'], 41],
    ['there is nothing to answer', ['-m', 'offline'], 42],
    ['there is no such session', ['-p', 'hi', '-r', '9', '-m', 'offline'], 42],
    ['the flags are wrong', ['-p', 'hi', '--frobnicate'], 1],
    ['a rule cannot be read', ['-p', 'hi', '--policy', '/nowhere', '-m', 'offline'], 52],
  ])('is what the settings say when %s', async (_, args, code) => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': '{"output":{"format":"json"}}' },
    });
    const result = await runCli(args, { workspace });
    expect([JSON.parse(result.stdout), result.code]).toMatchObject([{ error: { code } }, code]);
    expect(result.stderr).toContain(result.stdout);
    if (inject('isEndurance') || code === 41)
      expect(await runCli([...args, '-o', 'text'], { workspace })).toMatchObject({ stdout: '', code });
  });
});
