/** Loads the model's context of a workspace: its files, its system prompt, its first message. */

import { WorkspaceContext } from '../context/context-workspace.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import { systemClock } from '../util/clock.ts';
import type { WorkspaceFit } from './workspace-fit.ts';
import type { SourcedOptions, Warn } from './workspace-options.ts';

export function openContext(
  options: SourcedOptions,
  around: {
    workspace: Workspace;
    isGitRepository: boolean;
    fit: WorkspaceFit;
    describeSkills: () => string;
    /** The bounds of commands, in one sentence for the model. */
    describeBounds?: (() => string) | undefined;
    warn: Warn;
  },
): Promise<WorkspaceContext> {
  const { home, sources, trustedFolder, interactive = false, clock = systemClock, tellsTree = false } = options;
  const { context: files, systemPrompt, memory } = options;
  const { workspace, isGitRepository, fit, describeSkills, describeBounds, warn } = around;
  return WorkspaceContext.load({
    workspace,
    describeSkills,
    describeBounds,
    home,
    sources,
    interactive,
    isGitRepository,
    now: () => new Date(clock.now()),
    // The tree of an untrusted folder is not sent, and a small window has no room for one.
    tellsTree: tellsTree && trustedFolder !== false && !fit.isCompact,
    profile: fit.promptProfile,
    ...(files && { files }),
    ...(systemPrompt && { systemPrompt }),
    ...(memory !== undefined && { memory }),
    hints: options.hints,
    onWarning: warn,
  });
}
