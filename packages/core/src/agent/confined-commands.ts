/**
 * Confines the commands of a workspace: opens the sandbox of this system, looks around each command for what was planted or denied, and
 * asks what it needs beyond the bounds. Loaded with the first command where the sandbox was tried before.
 */

import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import type { ApprovalMode } from '../policy/approval-mode.ts';
import type { BoundsDesk } from '../sandbox/bounds-desk.ts';
import type { CommandSandbox } from '../sandbox/command-sandbox.ts';
import { describeDenials, describeRefusedNamespace } from '../sandbox/describe-denials.ts';
import { findDenials } from '../sandbox/find-denials.ts';
import type { CommandEnd, FileDenial } from '../sandbox/find-denials.ts';
import type { ShownPort } from '../sandbox/network/shown-ports.ts';
import { watchPlanted } from '../sandbox/planted-files.ts';
import type { Quarantined } from '../sandbox/quarantine.ts';
import type { SandboxOptions } from '../sandbox/sandbox.ts';
import { SandboxError } from '../sandbox/sandbox-error.ts';
import type { SandboxFile } from '../sandbox/sandbox-file.ts';
import type { SandboxProfile } from '../sandbox/sandbox-profile.ts';
import type { WidenRequest, Widened } from '../tools/shell/command-permissions.ts';
import type { Confine } from '../util/invocation.ts';
import { widenBounds } from './widen-bounds.ts';
import type { ResolvedWorkspaceOptions, SandboxRequest, Warn } from './workspace-options.ts';

export interface ConfinedCommandsOptions {
  options: ResolvedWorkspaceOptions;
  request: SandboxRequest;
  /** The workspace and its additional folders. */
  roots: readonly string[];
  tempDirectory: string;
  mode(): ApprovalMode;
  warn: Warn;
  desk: BoundsDesk;
  file: SandboxFile | undefined;
  profile(): SandboxProfile;
  /** Whether commands run unasked in this mode. */
  isUnasked(mode: ApprovalMode): boolean;
}

/** What became of a command: a note for the model, and whether it is to run again. */
export interface CommandReview {
  note?: string | undefined;
  /** Runs the command again within wider bounds; call it when that attempt has ended. */
  again?: (() => void) | undefined;
}

/** Takes back what a running call changed; resolves to whether the workspace is as before it. */
export type TakeBack = (callId: string) => Promise<boolean>;

export interface ConfinedCommands {
  confine: Confine;
  /** Looks before a command; call the result when it has ended, in the background without its end. */
  around(command: string, callId: string, takeBack?: TakeBack): Promise<(end?: CommandEnd) => Promise<CommandReview>>;
  /** Asks about what a command needs beyond the bounds, before it runs. */
  widen(request: WidenRequest): Promise<Widened>;
  dispose(): void;
}

/** Throws SandboxError. */
export async function openConfinedCommands(given: ConfinedCommandsOptions): Promise<ConfinedCommands> {
  const { options, request, roots, tempDirectory, mode, warn, desk, file, profile, isUnasked } = given;
  const { home, interactive = false } = options;
  const sandbox = await openForPlatform({
    ...{ home, roots, environment: options.environment, profile },
    granted: () => desk.granted(),
    needed: [join(tempDirectory, 'bin'), join(tempDirectory, 'tool-outputs')],
    allowedVariables: options.redaction?.allowed,
    ...{ isTried: request.isTried, borrowsRepository: request.borrowsRepository },
    quarantineDirectory: join(userDirectory(home), 'tmp', 'quarantine'),
    decideHost: (host, port, _call, gone) => desk.decideHost(host, port, gone),
    onStopped: warn,
    onPort: interactive ? (shown) => warn(describePort(shown)) : undefined,
  });
  for (const warning of sandbox.warnings) warn(warning);
  const coverage = options.undo ?? 'auto';
  return {
    confine: sandbox.confine,
    around: async (command, callId, takeBack) => lookAround({ sandbox, roots, desk, warn, command, callId, takeBack }),
    widen: (wanted) =>
      widenBounds(wanted, { ...{ desk, home, roots, mode, coverage, file, isUnasked }, plan: () => sandbox.planOf() }),
    dispose: () => sandbox.dispose(),
  };
}

async function openForPlatform(options: SandboxOptions): Promise<CommandSandbox> {
  const { platform } = process;
  if (platform === 'darwin') return (await import('../sandbox/seatbelt-sandbox.ts')).SeatbeltSandbox.open(options);
  if (platform !== 'linux') throw new SandboxError(`Castor has no sandbox for commands on ${platform} yet.`);
  return (await import('../sandbox/sandbox.ts')).Sandbox.open(options);
}

interface Look {
  sandbox: CommandSandbox;
  roots: readonly string[];
  desk: BoundsDesk;
  warn: Warn;
  command: string;
  callId: string;
  takeBack: TakeBack | undefined;
}

const CUT_SHORT =
  'The workspace has too many folders: repositories deep inside it are not protected by the sandbox. Start Castor in a smaller folder.';
const told = new WeakSet<CommandSandbox>();

function lookAround(look: Look): (end?: CommandEnd) => Promise<CommandReview> {
  const { sandbox, warn } = look;
  if (sandbox.isCutShort && !told.has(sandbox)) {
    told.add(sandbox);
    warn(CUT_SHORT);
  }
  const takePlanted = watchPlanted(sandbox, look.roots);
  const attempts = sandbox.watchNetwork();
  const stops = sandbox.watchStops();
  const plan = sandbox.planOf();
  return async (end) => {
    const planted = takePlanted()
      .map((each) => tell(each))
      .join('\n');
    if (planted !== '') warn(planted);
    look.desk.closePassing();
    const denials = end ? findDenials(end, plan, attempts()) : [];
    const files = denials.filter((each): each is FileDenial => each.kind !== 'host');
    const retry = await offer(files, look);
    const said = retry ?? { note: describeDenials(denials, sandbox.problem) };
    const namespace = retry === undefined && end ? describeRefusedNamespace(end) : undefined;
    const note = [...stops(), planted, said.note, namespace]
      .filter((each) => each !== undefined && each !== '')
      .join('\n');
    return { ...said, note: note === '' ? undefined : note };
  };
}

/** Asks about each denied path. If all are allowed, and the attempt can be taken back, the command runs again. */
async function offer(denials: readonly FileDenial[], look: Look): Promise<CommandReview | undefined> {
  const { desk, command, callId, takeBack } = look;
  if (denials.length === 0) return undefined;
  const closing: (() => void)[] = [];
  for (const { kind, offer: what } of denials) {
    const answer = await desk.request({ kind, what, command });
    if (answer === 'no') {
      for (const close of closing) close();
      return undefined;
    }
    if (answer === 'once') closing.push(desk.openOnce(kind, what));
  }
  const close = () => {
    for (const each of closing) each();
  };
  const opened = denials.map(({ kind, offer: what }) => `${kind} ${what}`).join(', ');
  if ((await takeBack?.(callId)) === true)
    return {
      again: close,
      note: `The sandbox denied the first attempt; the user allowed it to ${opened}, its changes were taken back, and it ran again.`,
    };
  close();
  return {
    note: `The sandbox denied it, and the user now allows it to ${opened}. What the command changed until then could not be taken back, so it was not run again: look at the state, and run it again if that is right.`,
  };
}

function tell({ path, movedTo }: Quarantined): string {
  return `The command made or changed ${path}, which is protected because other programs act on it. It was moved to ${movedTo} and is not used; the user can move it back.`;
}

function describePort({ port, shownAt }: ShownPort): string {
  const number = port === shownAt ? '' : ` as ${shownAt}`;
  return `A command in the sandbox listens on port ${port}, which is open on this computer${number}: http://localhost:${shownAt}`;
}
