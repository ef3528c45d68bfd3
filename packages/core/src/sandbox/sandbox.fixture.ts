/** A workspace with a real sandbox around it; tests without bubblewrap are skipped, with the reason. */

import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
    'granted' | 'needed' | 'decideHost' | 'allowsAddress' | 'lookup' | 'onPort' | 'limits' | 'onStopped'
  >
> {
  /** In the home folder. */
  homeFiles?: Record<string, string>;
  /** In the workspace. */
  files?: Record<string, string>;
  profile?: SandboxProfile;
  /** Default: below the system's folder for temporary files. */
  base?: string;
}

/** Outside /tmp, which a sandbox replaces. */
export function baseOutsideTmp(): string {
  const base = join(homedir(), '.cache');
  mkdirSync(base, { recursive: true });
  return base;
}

export async function openTestSandbox(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const base = realpathSync(mkdtempSync(join(options.base ?? tmpdir(), 'castor-box-')));
  const home = join(base, 'home');
  const root = join(base, 'work');
  mkdirSync(home);
  mkdirSync(root);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  for (const [path, text] of Object.entries(options.homeFiles ?? {})) write(join(home, path), text);
  for (const [path, text] of Object.entries(options.files ?? {})) write(join(root, path), text);
  const { profile = 'workspace-write', granted = () => ({ writable: [], readable: [] }), needed } = options;
  const sandbox = await Sandbox.open({
    ...{ home, roots: [root], environment: process.env, granted, needed },
    ...{ decideHost: options.decideHost, allowsAddress: options.allowsAddress, lookup: options.lookup },
    ...{ onPort: options.onPort, limits: options.limits, onStopped: options.onStopped },
    profile: () => profile,
    quarantineDirectory: join(base, 'quarantine'),
  });
  return {
    sandbox,
    home,
    root,
    write,
    async run(line, { profile: wanted = profile, environment = {}, directory = root } = {}) {
      const network = await sandbox.networkOf(wanted);
      const {
        file,
        args,
        environment: env,
      } = sandbox.wrap(
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
      return new Promise((resolve) => {
        execFile(file, [...args], { cwd: directory, env: { ...env }, encoding: 'utf8' }, (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
          resolve({ code, stdout, stderr });
        });
      });
    },
    [Symbol.dispose]() {
      sandbox.dispose();
      chmodSync(base, 0o700);
      rmSync(base, { recursive: true, force: true });
    },
  };
}
