/** Opens the sandbox of a workspace, and loads it only where one was asked for. */

import type { ApprovalMode } from '../policy/approval-mode.ts';
import type { PolicyRule } from '../policy/rule.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { ResolvedWorkspaceOptions, Warn } from './workspace-options.ts';
import type { WorkspaceSandbox } from './workspace-sandbox.ts';

export interface SandboxPlace {
  workspace: Workspace;
  tempDirectory: string;
  mode: () => ApprovalMode;
  warn: Warn;
}

/** Throws SandboxError when it does not start. */
export async function openSandbox(
  options: ResolvedWorkspaceOptions,
  place: SandboxPlace,
): Promise<(WorkspaceSandbox & { rules: PolicyRule[] }) | undefined> {
  const { sandbox: request } = options;
  if (!request) return undefined;
  const { openWorkspaceSandbox, sandboxRules } = await import('./workspace-sandbox.ts');
  const { workspace, ...others } = place;
  const opened = await openWorkspaceSandbox({ options, request, roots: workspace.directories, ...others });
  return { ...opened, rules: sandboxRules(request.autoAllow) };
}
