/**
 * Finds out once whether bubblewrap works here, with the whole recipe and the program `true`, and says exactly why not.
 * The message of bubblewrap decides; nothing is guessed.
 */

import { accessSync, constants, existsSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { builtin } from '../util/builtin-modules.ts';
import { isWithin } from './hidden-paths.ts';

export interface Bubblewrap {
  file: string;
  canDisableNamespaces: boolean;
  hasOwnProc: boolean;
  /** What is weaker than usual, as a sentence. */
  weakness?: string | undefined;
}

export type ProbeResult = { works: true; bubblewrap: Bubblewrap } | { works: false; reason: string };

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 10_000;
const RECIPE = ['--unshare-user', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--unshare-net'];
const ROOT = ['--cap-drop', 'ALL', '--ro-bind', '/', '/', '--dev', '/dev'];
const OWN_PROC = ['--unshare-pid', '--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'];

/** A program that lies in one of `roots` is not used: a project could have put it there. */
export async function probeBubblewrap(environment: Environment, roots: readonly string[] = []): Promise<ProbeResult> {
  const file = findOnPath('bwrap', environment, roots);
  if (file === undefined) return { works: false, reason: describeMissing(readOsRelease()) };
  const whole = await run(file, ['--disable-userns', ...RECIPE, ...ROOT, ...OWN_PROC]);
  if (whole.isFine) return works({ file, canDisableNamespaces: true, hasOwnProc: true });
  if (/disable-userns/.test(whole.stderr)) {
    const older = await run(file, [...RECIPE, ...ROOT, ...OWN_PROC]);
    if (older.isFine) return works({ file, canDisableNamespaces: false, hasOwnProc: true });
    return { works: false, reason: describeFailure(older.stderr, process.getuid?.()) };
  }
  if (/Can't mount proc on/.test(whole.stderr)) {
    const weaker = await run(file, ['--disable-userns', ...RECIPE, ...ROOT, '--ro-bind', '/proc', '/proc']);
    const weakness =
      'The system masks /proc, so commands see the names of the processes of this computer; their environment stays readable to the same user.';
    if (weaker.isFine) return works({ file, canDisableNamespaces: true, hasOwnProc: false, weakness });
  }
  return { works: false, reason: describeFailure(whole.stderr, process.getuid?.()) };
}

function works(bubblewrap: Bubblewrap): ProbeResult {
  return { works: true, bubblewrap };
}

/** Pure: the sentence for what bubblewrap printed. */
export function describeFailure(stderr: string, uid: number | undefined): string {
  const said = stderr.trim().split('\n').at(-1) ?? '';
  const known = FAILURES.find(({ pattern }) => pattern.test(stderr));
  if (!known) return `bubblewrap does not start: ${said || 'it printed no reason'}.`;
  return `${typeof known.says === 'string' ? known.says : known.says(uid)} (${said})`;
}

const APPARMOR =
  'AppArmor keeps bubblewrap from creating user namespaces (Ubuntu 23.10 and later): sudo apt install apparmor-profiles, then sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ and sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict.';

const FAILURES: readonly { pattern: RegExp; says: string | ((uid: number | undefined) => string) }[] = [
  { pattern: /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR/, says: APPARMOR },
  {
    pattern: /setting up uid map: Operation not permitted/,
    says: 'This root has no CAP_SETFCAP and cannot create user namespaces: run Castor as an ordinary user.',
  },
  {
    pattern: /No permissions to create (?:a )?new namespace/,
    says: 'This system does not let users create namespaces: sudo sysctl kernel.unprivileged_userns_clone=1; in a container, start it with --security-opt seccomp=unconfined.',
  },
  {
    pattern: /max_\*_namespaces exceeded|ENOSPC|No space left on device/,
    says: 'No more user namespaces are allowed: sudo sysctl user.max_user_namespaces=15000, or Castor already runs inside another sandbox.',
  },
  {
    pattern: /Can't mount proc on/,
    says: 'The container masks /proc, and bubblewrap does not start without it either: start the container with --security-opt systempaths=unconfined.',
  },
];

/** Pure: which command installs bubblewrap on a system with this os-release. */
export function describeMissing(osRelease: string): string {
  const ids = /^ID(?:_LIKE)?=.*$/gm;
  const family = (osRelease.match(ids) ?? []).join(' ');
  const commands: [RegExp, string][] = [
    [/debian|ubuntu/, 'sudo apt install bubblewrap'],
    [/fedora|rhel|centos/, 'sudo dnf install bubblewrap'],
    [/arch/, 'sudo pacman -S bubblewrap'],
    [/suse/, 'sudo zypper install bubblewrap'],
    [/alpine/, 'sudo apk add bubblewrap'],
  ];
  const command = commands.find(([pattern]) => pattern.test(family))?.[1] ?? 'install the package bubblewrap';
  return `bubblewrap (bwrap) is not installed: ${command}.`;
}

function readOsRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

/** Skips what lies in one of `roots`, also behind a link. */
export function findOnPath(name: string, environment: Environment, roots: readonly string[] = []): string | undefined {
  const entries = (environment['PATH'] ?? '').split(':').filter((entry) => isAbsolute(entry));
  const places = [...new Set([...roots, ...roots.map(real)])];
  const isInside = (path: string) => places.some((place) => isWithin(path, place));
  return [...entries, '/usr/bin', '/bin']
    .map((folder) => join(folder, name))
    .find((file) => !isInside(file) && isExecutable(file) && (places.length === 0 || !isInside(real(file))));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isExecutable(file: string): boolean {
  // Most folders do not have it, and an exception takes long.
  if (!existsSync(file)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function run(file: string, args: readonly string[]): Promise<{ isFine: boolean; stderr: string }> {
  return new Promise((resolve) => {
    builtin.childProcess.execFile(
      file,
      [...args, '--', '/bin/true'],
      { timeout: TIMEOUT_MS, env: { LC_ALL: 'C' } },
      (error, _stdout, stderr) => resolve({ isFine: error === null, stderr: stderr || (error?.message ?? '') }),
    );
  });
}
