/** A workspace with a real sandbox around it; tests without bubblewrap are skipped, with the reason. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Invocation } from '../util/invocation.ts';
import { startInvocation } from '../util/start-invocation.ts';
import { probeBubblewrap } from './probe-bubblewrap.ts';
import { Sandbox } from './sandbox.ts';
import type { SandboxOptions } from './sandbox.ts';
import type { SandboxProfile } from './sandbox-profile.ts';

const INSTALL_TIMEOUT_MS = 300_000;

/** Installs bubblewrap on a machine of continuous integration, as root on Debian; never on a user's computer. */
async function installWhereItMay(): Promise<void> {
  const mayInstall = process.env['CI'] === 'true' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!mayInstall || existsSync('/usr/bin/bwrap')) return;
  const install = 'apt-get update -q && apt-get install -q -y --no-install-recommends bubblewrap';
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive' };
  // Test files run side by side: one installs, the others wait. Without the network they are skipped.
  await new Promise<void>((resolve) => {
    const words = ['/tmp/castor-install-bubblewrap.lock', '/bin/sh', '-c', `test -x /usr/bin/bwrap || (${install})`];
    execFile('/usr/bin/flock', words, { timeout: INSTALL_TIMEOUT_MS, env }, () => resolve());
  });
}

/** The sentence why real sandboxes are not tested here; undefined where they are. */
export async function reasonToSkip(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `bubblewrap does not exist on ${process.platform}`;
  await installWhereItMay();
  const probe = await probeBubblewrap(process.env);
  return probe.works ? undefined : probe.reason;
}

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface TestSandbox {
  sandbox: Sandbox;
  home: string;
  root: string;
  /** Runs a line of bash inside. */
  run(
    line: string,
    more?: { profile?: SandboxProfile; environment?: Record<string, string>; directory?: string },
  ): Promise<Ran>;
  write(path: string, text: string): string;
  [Symbol.dispose](): void;
}

export interface TestSandboxOptions extends Partial<
  Pick<
    SandboxOptions,
    | 'granted'
    | 'needed'
    | 'borrowsRepository'
    | 'decideHost'
    | 'allowsAddress'
    | 'lookup'
    | 'onPort'
    | 'limits'
    | 'onStopped'
  >
> {
  /** In the home folder. */
  homeFiles?: Record<string, string>;
  /** In the workspace. */
  files?: Record<string, string>;
  profile?: SandboxProfile;
  /** Default: below the system's folder for temporary files. */
  base?: string;
  /** The workspace is the home folder. */
  rootIsHome?: boolean;
  /** Default: beside the workspace. */
  quarantineDirectory?: string;
}

/** Outside /tmp, which a sandbox replaces. */
export function baseOutsideTmp(): string {
  const base = join(homedir(), '.cache');
  mkdirSync(base, { recursive: true });
  return base;
}

/** Rejects when it cannot be started. */
export async function runInvocation(invocation: Invocation): Promise<Ran> {
  const child = startInvocation(invocation, { cwd: invocation.directory, stdio: ['pipe', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')]);
  return { code: code as number | null, stdout, stderr };
}

export async function openTestSandbox(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const base = realpathSync(mkdtempSync(join(options.base ?? tmpdir(), 'castor-box-')));
  const home = join(base, 'home');
  const root = options.rootIsHome ? home : join(base, 'work');
  for (const folder of new Set([home, root])) mkdirSync(folder);
  const write = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  for (const [path, content] of Object.entries(options.homeFiles ?? {})) write(join(home, path), content);
  for (const [path, content] of Object.entries(options.files ?? {})) write(join(root, path), content);
  const { profile = 'workspace-write', granted = () => ({ writable: [], readable: [] }), needed } = options;
  const sandbox = await Sandbox.open({
    ...{ home, roots: [root], environment: process.env, granted, needed },
    borrowsRepository: options.borrowsRepository,
    ...{ decideHost: options.decideHost, allowsAddress: options.allowsAddress, lookup: options.lookup },
    ...{ onPort: options.onPort, limits: options.limits, onStopped: options.onStopped },
    profile: () => profile,
    quarantineDirectory: options.quarantineDirectory ?? join(base, 'quarantine'),
  });
  return {
    sandbox,
    home,
    root,
    write,
    async run(line, { profile: wanted = profile, environment = {}, directory = root } = {}) {
      const network = await sandbox.networkOf(wanted);
      const invocation = sandbox.wrap(
        {
          file: '/bin/bash',
          args: ['-c', line],
          directory,
          environment: { PATH: process.env['PATH'] ?? '', HOME: home, LC_ALL: 'C', ...environment },
        },
        'command',
        wanted,
        network,
      );
      return runInvocation(invocation);
    },
    [Symbol.dispose]() {
      sandbox.dispose();
      chmodSync(base, 0o700);
      rmSync(base, { recursive: true, force: true });
    },
  };
}
