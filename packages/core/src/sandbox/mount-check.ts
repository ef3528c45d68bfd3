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
 * The arguments are how many copies of the computer's own /dev/null come first, how many mounts may be there, how many have to be,
 * and all of these. Of the mounts that bubblewrap makes after its own /dev/null, no other may be writable; those before it are
 * copies of the computer's, some of which it cannot change because the user cannot reach them. An `own` mount is new and empty, and
 * may be there once. Bash alone, without the user's functions and start files: each further program costs time.
 */
const SCRIPT = String.raw`refuse() { echo 'castor: a folder of the workspace was replaced while the sandbox was made, so the command did not run.' >&2; exit 126; }
check() { local K=$1 A=$2 B=$3 e k l; local -A X; local -a L
for e in "${'$'}{@:4:A}"; do X[$e]=may; done; for e in "${'$'}{@:4 + A:B}"; do X[$e]=must; done
mapfile -t L </proc/self/mountinfo; for l in "${'$'}{L[@]}"; do
[[ $K == -1 || $l == *' /dev/null '* ]] || continue; set -- $l; [[ $5 != /dev/null ]] || ((K -= 1)); [[ $K == -* ]] || continue
k="${'$'}{6%%,*} $3 $4 $5"; case ${'$'}{X[$k]} in must) X[$k]=may; ((B -= 1));; may) ;;
*) [[ $6 != rw* ]] || { k="own $5"; [[ ${'$'}{X[$k]} ]] || refuse; X[$k]=; };; esac; done; [[ $B$K == 0-1 ]] || refuse; }
set -f; check "$@"; shift $((3 + $2 + $3)); set +f; exec "$@"`;

interface Expected {
  /** What the kernel said about the mounts of the computer when the words were made. */
  host: string;
  words: string[];
}

export class MountCheck {
  private readonly roots: readonly string[];
  private readonly script: string;
  private readonly canCheck = existsSync(BASH);
  private readonly expected = new WeakMap<SandboxPlan, Expected>();

  /** `closing`: redirections that close descriptors which the command must not get. */
  constructor(roots: readonly string[], closing = '') {
    this.roots = roots;
    this.script = `${SCRIPT}${closing}`;
  }

  /** The words before those of a command; none where nothing can be swapped, or bash is somewhere else. */
  wordsOf(plan: SandboxPlan): readonly string[] {
    if (plan.profile === 'read-only' || !this.canCheck) return [];
    const host = readFileSync('/proc/self/mountinfo', 'utf8');
    const known = this.expected.get(plan);
    if (known?.host === host) return known.words;
    const words = [BASH, '-p', '-c', this.script, 'castor', ...checkWords(plan, this.roots, parseMounts(host))];
    this.expected.set(plan, { host, words });
    return words;
  }
}

function checkWords(plan: SandboxPlan, roots: readonly string[], host: readonly HostMount[]): string[] {
  const copies = host.filter(({ path }) => path === '/dev/null').length;
  const { may, must } = expectedMounts(plan, roots, host);
  const counts = [copies, may.length, must.length].map(String);
  return [...counts, ...may, ...must];
}

function expectedMounts(
  plan: SandboxPlan,
  roots: readonly string[],
  host: readonly HostMount[],
): { may: string[]; must: string[] } {
  const writable = plan.mounts.filter(({ kind }) => kind === 'writable');
  const kept = plan.mounts.filter(
    ({ kind, path }) => kind === 'read-only' && roots.some((root) => path !== root && isWithin(path, root)),
  );
  const fresh = plan.mounts.filter(({ kind }) => kind === 'empty-folder' || kind === 'hidden-folder');
  const inner = host.filter(({ path }) => writable.some((mount) => path !== mount.path && isWithin(path, mount.path)));
  const must = [
    ...writable.flatMap((mount) => describe(mount, host)),
    ...kept.flatMap((mount) => describe(mount, host, 'ro')),
  ];
  const may = [
    ...inner.map(({ device, root, path }) => `rw ${device} ${root} ${escape(path)}`),
    ...[...OWN, ...DEVICES, ...fresh.map(({ path }) => path)].map((path) => `own ${escape(path)}`),
  ];
  return { may, must: [...new Set(must)] };
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

function parseMounts(text: string): HostMount[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
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
