/**
 * The check that a command makes of its own mounts before it begins: bubblewrap follows links, and a program that still runs could
 * have swapped a folder for one while the mounts were made. It compares what the kernel says with what the plan means.
 */

import { existsSync, readFileSync } from 'node:fs';
import { isWithin } from './hidden-paths.ts';
import type { Mount, SandboxPlan } from './sandbox-plan.ts';

interface HostMount {
  device: string;
  /** Which folder of the file system is mounted. */
  root: string;
  path: string;
  access: string;
}

const BASH = '/bin/bash';
/** What bubblewrap makes for itself; each may be there once. */
const OWN = ['/proc', '/dev', '/dev/pts', '/dev/console'];
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`);

/**
 * `rw` and `ro` lines have to be there; `may` lines are mounts that the computer has inside writable folders; `own` lines are new
 * and empty. Of the mounts that bubblewrap makes after its own /dev/null, no other may be writable; those before it are copies of
 * the computer's, some of which it cannot change because the user cannot reach them. Bash alone: each further program costs time.
 */
const SCRIPT = String.raw`X=$1 K=$2; shift 2; set -f; N=$'\n'; M=$N; R=$N; mapfile -t L </proc/self/mountinfo
refuse() { echo 'castor: a folder of the workspace was replaced while the sandbox was made, so the command did not run.' >&2; exit 126; }
see() { M+="${'$'}{6%%,*} $3 $4 $5$N"; [[ $5 != /dev/null ]] || ((K -= 1)); [[ $K == -* ]] || return
[[ $6 != rw* || $X == *"$N"rw" $3 $4 $5$N"* || $X == *"$N"may" $3 $4 $5$N"* ]] && return
[[ $X == *"$N"own" $5$N"* && $R != *"$N$5$N"* ]] || refuse; R+=$5$N; }
for l in "${'$'}{L[@]}"; do see $l; done; [[ $K == -1 ]] || refuse; IFS=$N
for e in $X; do [[ $e != r[wo]\ * || $M == *"$N$e$N"* ]] || refuse; done; unset IFS; exec "$@"`;

/** The words before those of a command; none where nothing can be swapped, or bash is somewhere else. */
export function mountCheckWords(plan: SandboxPlan, roots: readonly string[]): string[] {
  if (plan.profile === 'read-only' || !existsSync(BASH)) return [];
  const host = readHostMounts();
  const copies = host.filter(({ path }) => path === '/dev/null').length;
  const expected = `\n${expectedMounts(plan, roots, host).join('\n')}\n`;
  return [BASH, '--norc', '-c', SCRIPT, 'castor', expected, String(copies)];
}

function expectedMounts(plan: SandboxPlan, roots: readonly string[], host: readonly HostMount[]): string[] {
  const writable = plan.mounts.filter(({ kind }) => kind === 'writable');
  const kept = plan.mounts.filter(
    ({ kind, path }) => kind === 'read-only' && roots.some((root) => path !== root && isWithin(path, root)),
  );
  const fresh = plan.mounts.filter(({ kind }) => kind === 'empty-folder' || kind === 'hidden-folder');
  const inner = host.filter(({ path }) => writable.some((mount) => path !== mount.path && isWithin(path, mount.path)));
  return [
    ...writable.flatMap((mount) => describe(mount, host)),
    ...kept.flatMap((mount) => describe(mount, host, 'ro')),
    ...inner.map(({ device, root, path }) => `may ${device} ${root} ${escape(path)}`),
    ...[...OWN, ...DEVICES, ...fresh.map(({ path }) => path)].map((path) => `own ${escape(path)}`),
  ];
}

function describe({ path, source = path }: Mount, host: readonly HostMount[], access?: string): string[] {
  let found: HostMount | undefined;
  for (const mount of host) if (isWithin(source, mount.path)) found = deeper(found, mount);
  if (!found) return [];
  const rest = found.path === '/' ? source : source.slice(found.path.length);
  const root = found.root === '/' ? escape(rest) || '/' : `${found.root}${escape(rest)}`;
  return [`${access ?? found.access} ${found.device} ${root} ${escape(path)}`];
}

/** Of two mounts on the same path the later one is seen. */
function deeper(one: HostMount | undefined, other: HostMount): HostMount {
  return one && one.path.length > other.path.length ? one : other;
}

function readHostMounts(): HostMount[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [, , device = '', root = '', path = '', options = ''] = line.split(' ');
    return { device, root, path: unescape(path), access: options.split(',')[0] ?? '' };
  });
}

/** As the kernel writes paths: a space is \040. */
function escape(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function unescape(path: string): string {
  return path.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
