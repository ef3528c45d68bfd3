/** Writes a plan as the arguments of bubblewrap. Pure. */

import type { Mount, SandboxPlan } from './sandbox-plan.ts';

export interface BubblewrapOptions {
  emptyFile: string;
  /** Versions before 0.8 cannot close nested user namespaces; the filter does it for them. */
  canDisableNamespaces: boolean;
  /** False: the system masks /proc, and the sandbox sees the processes of the computer, read-only. */
  hasOwnProc: boolean;
  /** Whether the network is that of the process that starts it: the session's own. */
  sharesNetwork: boolean;
  /** The file that names our resolver, and the file of the system that it covers. */
  resolver?: { file: string; over: string } | undefined;
}

export function toBubblewrapArguments({ mounts }: SandboxPlan, options: BubblewrapOptions): string[] {
  return [
    '--unshare-user',
    ...(options.hasOwnProc ? ['--unshare-pid'] : []),
    ...['--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(options.sharesNetwork ? [] : ['--unshare-net']),
    ...(options.canDisableNamespaces ? ['--disable-userns'] : []),
    ...['--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev'],
    ...(options.hasOwnProc
      ? ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys']
      : ['--ro-bind', '/proc', '/proc']),
    ...mounts.slice(1).flatMap((mount) => toArguments(mount, options.emptyFile)),
    ...(options.resolver ? ['--ro-bind', options.resolver.file, options.resolver.over] : []),
  ];
}

function toArguments({ kind, path, source = path, isPassed = false }: Mount, emptyFile: string): string[] {
  switch (kind) {
    case 'read-only':
      return ['--ro-bind', source, path];
    case 'writable':
      return ['--bind', source, path];
    case 'empty-folder':
      return ['--tmpfs', path];
    case 'hidden-folder':
      return ['--perms', isPassed ? '0111' : '0000', '--tmpfs', path];
    case 'hidden-file':
      return ['--ro-bind', source === path ? emptyFile : source, path];
  }
}
