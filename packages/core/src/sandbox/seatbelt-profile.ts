/**
 * Writes a plan as a profile of macOS's seatbelt. Pure. The last rule that matches decides there, so the rules follow the
 * order of the mounts. Generated and tested as text; untried on a Mac.
 */

import { isWithin } from './hidden-paths.ts';
import type { Mount, SandboxPlan } from './sandbox-plan.ts';

export interface SeatbeltOptions {
  /** The workspace and its additional folders. */
  roots: readonly string[];
  /** Protected paths that do not exist or are links: a rule holds for them all the same. */
  watched: readonly string[];
  /** The port of our proxy on localhost; undefined: no network. */
  proxyPort?: number | undefined;
}

/** What programs need to start at all: services that know users, time zones and fonts of the system. */
const SERVICES = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.system.notification_center',
  'com.apple.system.logger',
  'com.apple.logd',
  'com.apple.bsd.dirhelper',
  'com.apple.SystemConfiguration.configd',
  'com.apple.trustd.agent',
];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/tty', '/dev/ptmx', '/dev/dtracehelper', '/dev/stdout', '/dev/stderr'];

export function toSeatbeltProfile({ mounts, profile }: SandboxPlan, options: SeatbeltOptions): string {
  const { roots, watched, proxyPort } = options;
  const canWrite = profile !== 'read-only';
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow process-info* signal (target same-sandbox))',
    '(allow sysctl-read)',
    `(allow mach-lookup ${SERVICES.map((name) => `(global-name ${quote(name)})`).join(' ')})`,
    '(allow ipc-posix-shm ipc-posix-sem pseudo-tty)',
    '(allow file-ioctl (regex #"^/dev/tty"))',
    ...mounts.flatMap((mount) => rulesOf(mount)),
    `(allow file-read* file-write* ${DEVICES.map((path) => literal(path)).join(' ')} (regex #"^/dev/ttys[0-9]+$"))`,
    // A folder above a protected path cannot be renamed away.
    ...(canWrite ? ancestorsOf(mounts, roots).map((path) => `(deny file-write-unlink ${literal(path)})`) : []),
    ...(canWrite ? watched.map((path) => `(deny file-write* ${subpath(path)})`) : []),
    ...(proxyPort === undefined ? [] : networkRules(proxyPort)),
    '',
  ].join('\n');
}

function rulesOf({ kind, path, source }: Mount): string[] {
  switch (kind) {
    case 'read-only':
      return [`(allow file-read* ${subpath(path)})`, `(deny file-write* ${subpath(path)})`];
    case 'writable':
      // Nothing can be mounted over /tmp: the session's own folder takes its place, and TMPDIR names it.
      return [`(allow file-read* file-write* ${subpath(source ?? path)})`];
    case 'empty-folder':
    case 'hidden-folder':
      return [`(deny file-read* file-write* ${subpath(path)})`];
    case 'hidden-file':
      return [`(deny file-read* file-write* ${literal(path)})`];
  }
}

/** The folders between a root and each read-only path inside it, and that path itself. */
function ancestorsOf(mounts: readonly Mount[], roots: readonly string[]): string[] {
  const found = new Set<string>();
  for (const { kind, path } of mounts) {
    const root = roots.find((each) => path !== each && isWithin(path, each));
    if (kind !== 'read-only' || root === undefined) continue;
    for (let above = path; above !== root; above = above.slice(0, above.lastIndexOf('/'))) found.add(above);
  }
  return [...found];
}

/** Servers of a command are reachable on this computer; a command itself reaches our proxy alone. */
function networkRules(port: number): string[] {
  return [
    '(allow network-bind network-inbound (local ip "localhost:*"))',
    `(allow network-outbound (remote ip "localhost:${port}"))`,
  ];
}

function subpath(path: string): string {
  return `(subpath ${quote(path)})`;
}

function literal(path: string): string {
  return `(literal ${quote(path)})`;
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
