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
  /** Ends the program and its children. */
  readonly signal: AbortSignal;
}

const MAX_OUTPUT = 4_000;

/** How a run ended: what the program complained about, undefined for a success, and whether it was still running at its limit. */
export interface FormatterRun {
  readonly problem: string | undefined;
  readonly isLate: boolean;
}

/** Rejects when the program could not be started, and with AbortError on abort. */
export async function runFormatter(
  { command, args }: Formatter,
  path: string,
  { root: cwd, environment, guard, confine, limitMs: timeoutMs, signal }: FormatterPlace,
): Promise<FormatterRun> {
  const hasPlace = args.some((each) => each.includes('{file}'));
  const all = hasPlace ? args.map((each) => each.replaceAll('{file}', path)) : [...args, path];
  // The mark finds children that left the group.
  const env = { ...environment, ...guard?.prepare() };
  let output = '';
  const { code, ended, stderr } = await runChild({
    ...{ command, args: all, cwd, env, guard, confine, timeoutMs, signal },
    onStdout(chunk) {
      output = (output + chunk.toString()).slice(0, MAX_OUTPUT);
      return true;
    },
  });
  if (ended === 'timeout') return { problem: `it took longer than ${timeoutMs / 1000} s and was ended.`, isLate: true };
  const complaint = `${output}\n${stderr}`.trim().slice(0, MAX_OUTPUT) || `exit code ${code}`;
  return { problem: code === 0 ? undefined : complaint, isLate: false };
}

export async function describeFormatting(name: string, path: string, before: Buffer, after: Buffer): Promise<string> {
  const { createUnifiedDiff } = await import('../tools/files/diff.ts');
  const labels = { fileName: path, oldHeader: 'Written', newHeader: 'Now' };
  const patch = await createUnifiedDiff(before.toString('utf8'), after.toString('utf8'), labels);
  return `${name} changed ${path} after this edit. The file on disk now differs from what you wrote:\n${patch}`;
}
