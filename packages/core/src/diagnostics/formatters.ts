/** Runs a formatter or linter of the settings on one file, and tells what it changed. */

import { runChild } from '../tools/run-child.ts';
import type { ChildGuard } from '../tools/run-child.ts';
import type { Confine } from '../util/invocation.ts';

export interface Formatter {
  readonly name: string;
  readonly command: string;
  /** `{file}` stands for the path; without it the path comes last. */
  readonly args: readonly string[];
  readonly extensions: readonly string[];
}

export interface FormatterPlace {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly guard?: ChildGuard | undefined;
  readonly confine?: Confine | undefined;
  readonly limitMs: number;
}

const MAX_OUTPUT = 4_000;

/** What the program complained about when it failed; undefined when it succeeded. Rejects when it could not be started. */
export async function runFormatter(
  { command, args }: Formatter,
  path: string,
  { root: cwd, environment: env, guard, confine, limitMs: timeoutMs }: FormatterPlace,
): Promise<string | undefined> {
  const hasPlace = args.some((each) => each.includes('{file}'));
  const all = hasPlace ? args.map((each) => each.replaceAll('{file}', path)) : [...args, path];
  let output = '';
  const { code, ended, stderr } = await runChild({
    ...{ command, args: all, cwd, env, guard, confine, timeoutMs },
    signal: new AbortController().signal,
    onStdout(chunk) {
      output = (output + chunk.toString()).slice(0, MAX_OUTPUT);
      return true;
    },
  });
  if (ended === 'timeout') return `it took longer than ${timeoutMs} ms and was ended.`;
  return code === 0 ? undefined : `${output}\n${stderr}`.trim().slice(0, MAX_OUTPUT) || `exit code ${code}`;
}

export async function describeFormatting(name: string, path: string, before: Buffer, after: Buffer): Promise<string> {
  const { createUnifiedDiff } = await import('../tools/files/diff.ts');
  const labels = { fileName: path, oldHeader: 'Written', newHeader: 'Now' };
  const patch = await createUnifiedDiff(before.toString('utf8'), after.toString('utf8'), labels);
  return `${name} changed ${path} after this edit. The file on disk now differs from what you wrote:\n${patch}`;
}
