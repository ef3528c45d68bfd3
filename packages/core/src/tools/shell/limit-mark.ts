/**
 * Marks processes with a value that survives any change of group, parent or environment:
 * their soft limit of resident memory, set to a number no other program uses. No Linux
 * version of this century enforces that limit, but it is inherited and readable. Other
 * systems have no such mark.
 */

import type { ShellInvocation } from './shell-program.ts';

/** Far above any real memory size, so that a kernel that enforces the limit never reaches it. */
const LEAST_KILOBYTES = 2 ** 40;
const RANGE = 2 ** 46;

/** The number that identifies this program's commands; undefined on systems where it could not be read back. */
export function createLimitMark(platform: NodeJS.Platform = process.platform): number | undefined {
  return platform === 'linux' ? LEAST_KILOBYTES + Math.floor(Math.random() * RANGE) : undefined;
}

/** In bytes, as the kernel reports it. */
export function limitInBytes(mark: number): string {
  return String(BigInt(mark) * 1024n);
}

/**
 * Wraps the command in a shell that sets the limit and replaces itself with it. If the
 * limit is not permitted, the command runs without it.
 */
export function withLimitMark(invocation: ShellInvocation, mark: number | undefined): ShellInvocation {
  if (mark === undefined) return invocation;
  const script = 'ulimit -S -m "$0" 2>/dev/null; exec "$@"';
  const { file, args } = invocation;
  return { ...invocation, file: '/bin/sh', args: ['-c', script, String(mark), file, ...args] };
}
