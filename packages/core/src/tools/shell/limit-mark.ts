/**
 * A mark that a process keeps whatever group, parents or environment it leaves: its soft
 * limit of resident memory, a number no other program has. Linux has heeded that limit
 * in no version of this century, but it is inherited and can be read. Elsewhere there is none.
 */

import { builtin } from '../../util/builtin-modules.ts';
import type { ShellInvocation } from './shell-program.ts';

/** Far above any real memory size, so that a kernel that enforces the limit never reaches it. */
const LEAST_KILOBYTES = 2 ** 40;
const RANGE = 2 ** 46;

/** The number a program's commands are known by; undefined where it could not be found again. */
export function createLimitMark(platform: NodeJS.Platform = process.platform): number | undefined {
  return platform === 'linux' ? LEAST_KILOBYTES + builtin.crypto.randomInt(RANGE) : undefined;
}

/** As the kernel tells it. */
export function limitInBytes(mark: number): string {
  return String(BigInt(mark) * 1024n);
}

/** The same command, by a shell that sets the limit and becomes it. Where it may not, the command runs all the same. */
export function withLimitMark({ file, args, environment }: ShellInvocation, mark: number | undefined): ShellInvocation {
  if (mark === undefined) return { file, args, environment };
  const script = 'ulimit -S -m "$0" 2>/dev/null; exec "$@"';
  return { file: '/bin/sh', args: ['-c', script, String(mark), file, ...args], environment };
}
