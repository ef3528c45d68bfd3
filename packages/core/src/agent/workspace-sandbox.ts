/**
 * Opens the sandbox of a workspace: its bounds from settings, grants and answers, its profile from the approval mode. What confines
 * commands is loaded with it, or by the first command where it was tried before. Loaded only where a sandbox was asked for.
 */

import type { ApprovalMode } from '../policy/approval-mode.ts';
import { effectivePriority, SANDBOX_RULE_SOURCE } from '../policy/rule.ts';
import type { PolicyRule } from '../policy/rule.ts';
import { BoundsDesk } from '../sandbox/bounds-desk.ts';
import { boundsOfMode, readSandboxFile } from '../sandbox/sandbox-file.ts';
import { chooseProfile, describeBounds } from '../sandbox/sandbox-profile.ts';
import { currentActor } from '../util/outgoing.ts';
import type { ConfinedCommands, ConfinedCommandsOptions } from './confined-commands.ts';
import type { CommandBounds } from './record-decisions.ts';
import { createBoundsQuestion } from './sandbox-questions.ts';
import type { SandboxRequest } from './workspace-options.ts';

export type WorkspaceSandboxOptions = Omit<ConfinedCommandsOptions, 'desk' | 'file' | 'profile' | 'isUnasked'>;

export interface WorkspaceSandbox extends ConfinedCommands {
  /** The bounds, in one sentence for the model. */
  describe(): string;
  /** The same for the audit log. */
  bounds(): CommandBounds;
  /** The same bounds for the worktree of a sub-agent, whose repository stays the session's. */
  at(root: string): Promise<WorkspaceSandbox>;
}

/** Throws SandboxError. */
export async function openWorkspaceSandbox(given: WorkspaceSandboxOptions): Promise<WorkspaceSandbox> {
  const { options, request, roots, mode } = given;
  const { home, root, trustedFolder, interactive = false } = options;
  const file = await readSandboxFile(home);
  const ofMode = () => boundsOfMode(file, mode());
  const desk = new BoundsDesk({
    ...{ home, root, writable: request.allowedPaths ?? [] },
    reachesRegistries: () => request.networkAccess === true || ofMode().hasNetwork,
    isAirgapped: request.isAirgapped ?? false,
    ask: interactive ? createBoundsQuestion(options.mcp?.ask) : undefined,
    onAnswer: ({ kind, what }, answer) =>
      options.audit?.record({
        kind: 'grant',
        ...currentActor(),
        session: options.sessionId,
        what: `${kind} ${what}`,
        answer,
      }),
  });
  const profile = () =>
    chooseProfile({
      ...{ mode: mode(), isTrusted: trustedFolder !== false, hasNetwork: desk.hosts.length > 0 },
      isReadOnly: ofMode().isReadOnly,
    });
  const isUnasked = (now: ApprovalMode) => unaskedModes(request.autoAllow).includes(now);
  let loading: Promise<ConfinedCommands> | undefined;
  const commands = () =>
    (loading ??= import('./confined-commands.ts').then((module) =>
      module.openConfinedCommands({ ...given, desk, file, profile, isUnasked }),
    ));
  // A start whose sandbox does not work ends here, before anything runs.
  if (request.isTried !== true) await commands();
  return {
    confine: async (invocation, use) => (await commands()).confine(invocation, use),
    bounds: () => ({ profile: profile(), grants: desk.list() }),
    describe: () => describeBounds(profile(), [...roots, ...desk.granted().writable], desk.hosts, request),
    around: async (...command) => (await commands()).around(...command),
    widen: async (wanted) => (await commands()).widen(wanted),
    at: (other) => openWorkspaceSandbox({ ...given, roots: [other], request: { ...request, borrowsRepository: true } }),
    dispose: () =>
      void loading?.then(
        (opened) => opened.dispose(),
        () => undefined,
      ),
  };
}

function unaskedModes(autoAllow: SandboxRequest['autoAllow'] = 'auto_edit'): ApprovalMode[] {
  if (autoAllow === 'never') return [];
  return autoAllow === 'always' ? ['default', 'autoEdit'] : ['autoEdit'];
}

/** A sandboxed command needs no question, unless a rule of the user says ask. */
export function sandboxRules(autoAllow: SandboxRequest['autoAllow'] = 'auto_edit'): PolicyRule[] {
  const modes = unaskedModes(autoAllow);
  if (modes.length === 0) return [];
  return [
    {
      toolName: 'run_shell_command',
      decision: 'allow',
      priority: effectivePriority('builtin', 16),
      kind: 'builtin',
      source: { name: SANDBOX_RULE_SOURCE },
      modes,
      allowRedirection: true,
    },
  ];
}
