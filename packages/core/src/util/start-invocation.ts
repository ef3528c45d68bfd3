/** Starts an invocation, with the files that it reads as descriptors of its own. */

// oxlint-disable-next-line no-restricted-imports -- the rooms that start processes share no other place
import { closeSync, openSync } from 'node:fs';
// oxlint-disable-next-line no-restricted-imports -- types
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { getErrorMessage } from '../protocol/errors.ts';
import { builtin } from './builtin-modules.ts';
import type { Invocation } from './invocation.ts';

interface StartOptions {
  cwd: string;
  stdio: readonly [Standard, Standard, Standard];
  detached?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

type Standard = 'pipe' | 'ignore' | 'inherit' | number;

/** Throws when a file of the invocation is gone; all else that fails is an event of the child. */
export function startInvocation(
  { file, args, environment, files = [] }: Omit<Invocation, 'directory'>,
  { stdio, signal, ...options }: StartOptions,
): ChildProcess {
  const opened: number[] = [];
  try {
    for (const path of files) opened.push(open(path));
    return builtin.childProcess.spawn(file, [...args], {
      ...options,
      ...(signal && { signal }),
      env: { ...environment },
      windowsHide: true,
      stdio: [...stdio, ...opened] satisfies StdioOptions,
    });
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** Without the code of the system's error: it would say that the program is missing. */
function open(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new Error(`A file that starts the program cannot be read: ${getErrorMessage(error)}`, { cause: error });
  }
}
