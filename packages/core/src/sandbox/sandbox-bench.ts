/** Opens a sandbox outside a session, to describe its plan or to run one command in the caller's terminal. */

import { join } from 'node:path';
import { builtin } from '../util/builtin-modules.ts';
import { BoundsDesk } from './bounds-desk.ts';
import { describeDenials } from './describe-denials.ts';
import { findDenials } from './find-denials.ts';
import { isWithin } from './hidden-paths.ts';
import { watchPlanted } from './planted-files.ts';
import { Sandbox } from './sandbox.ts';
import { boundsOfMode, readSandboxFile } from './sandbox-file.ts';
import { chooseProfile } from './sandbox-profile.ts';
import type { SandboxProfile } from './sandbox-profile.ts';
import { startInvocation } from '../util/start-invocation.ts';

export interface BenchOptions {
  home: string;
  root: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Absent: that of a session in default mode. */
  profile?: SandboxProfile | undefined;
  isTrusted?: boolean | undefined;
  isAirgapped?: boolean | undefined;
  borrowsRepository?: boolean | undefined;
  writable: readonly string[];
  /** Whether it reaches package registries. */
  networkAccess: boolean;
}

export interface PlanDescription {
  profile: SandboxProfile;
  writable: string[];
  /** Protected paths inside what is writable. */
  readOnly: string[];
  hidden: string[];
  watched: readonly string[];
  network: string;
}

/** Throws SandboxError. */
export async function openSandboxBench(options: BenchOptions) {
  const { home, root, environment, writable, networkAccess, isAirgapped = false, isTrusted = true } = options;
  const file = await readSandboxFile(home);
  const { isReadOnly, hasNetwork } = boundsOfMode(file, 'default');
  const reachesRegistries = () => networkAccess || hasNetwork || options.profile === 'workspace-write+net';
  const desk = new BoundsDesk({ home, root, writable, reachesRegistries, isAirgapped });
  const profile =
    options.profile ?? chooseProfile({ mode: 'default', isTrusted, hasNetwork: desk.hosts.length > 0, isReadOnly });
  const sandbox = await Sandbox.open({
    ...{ home, roots: [root], environment, borrowsRepository: options.borrowsRepository },
    profile: () => profile,
    granted: () => desk.granted(),
    decideHost: (host, port) => desk.decideHost(host, port),
    quarantineDirectory: join(home, '.gemini', 'tmp', 'quarantine'),
  });
  return {
    program: sandbox.bubblewrap.file,
    warnings: sandbox.warnings,
    describe: () => describe(sandbox, profile, isAirgapped ? undefined : desk.hosts),
    run: (words: readonly string[], signal?: AbortSignal) => run(sandbox, words, { root, environment, signal }),
    dispose: () => sandbox.dispose(),
  };
}

function describe(sandbox: Sandbox, profile: SandboxProfile, hosts: readonly string[] | undefined): PlanDescription {
  const { mounts } = sandbox.planOf(profile);
  const of = (kinds: readonly string[]) => mounts.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  const writable = [...new Set(of(['writable']))].map((path) => (path === '/tmp' ? '/tmp (of the session)' : path));
  const roots = of(['writable']);
  const readOnly = of(['read-only']).filter((path) => roots.some((root) => path !== root && isWithin(path, root)));
  const outer = (paths: string[]) =>
    paths.filter((path) => !paths.some((other) => other !== path && isWithin(path, other)));
  return {
    profile,
    writable: outer(writable),
    readOnly,
    hidden: [...new Set(of(['hidden-folder', 'hidden-file', 'empty-folder']))],
    watched: profile === 'read-only' ? [] : sandbox.watched(),
    network: describeNetwork(profile, hosts),
  };
}

function describeNetwork(profile: SandboxProfile, hosts: readonly string[] | undefined): string {
  if (profile === 'read-only') return 'none';
  if (hosts === undefined) return 'localhost of the session, and no host: airgap';
  const listed = hosts.length === 0 ? '' : ` and ${hosts.join(', ')}`;
  return `localhost of the session${listed}; a session asks about other hosts`;
}

interface RunPlace {
  root: string;
  environment: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal | undefined;
}

async function run(
  sandbox: Sandbox,
  [file = '', ...args]: readonly string[],
  { root, environment, signal }: RunPlace,
): Promise<{ code: number; notes: string[] }> {
  const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const invocation = { file, args, directory: root, environment: Object.fromEntries(given) };
  const confined = sandbox.wrap(invocation, 'tool', sandbox.profile, await sandbox.networkOf(sandbox.profile));
  const takePlanted = watchPlanted(sandbox, [root]);
  const child = startInvocation(confined, { cwd: root, stdio: ['inherit', 'inherit', 'inherit'], signal });
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exit, by) => resolve(exit ?? 128 + (builtin.os.constants.signals[by ?? 'SIGTERM'] ?? 0)));
  });
  const moved = takePlanted();
  const denied = describeDenials(findDenials({ output: '', exitCode: code }, sandbox.planOf(), sandbox.log.since(0)));
  const planted = moved.map(({ path, movedTo }) => `castor: ${path} is protected; it was moved to ${movedTo}.`);
  return { code, notes: [...planted, ...(denied === undefined ? [] : [denied])] };
}
