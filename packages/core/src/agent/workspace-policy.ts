/** The rules of a workspace: loaded from its sources and settings, and answered by an adapter for the scheduler. */

import type { ApprovalMode } from '../policy/approval-mode.ts';
import { PolicyEngine } from '../policy/policy-engine.ts';
import { loadPolicies, PolicyFileError } from '../policy/policy-loader.ts';
import type { LoadedPolicies } from '../policy/policy-loader.ts';
import type { Source } from '../protocol/source.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import { PolicyAdapter } from './policy-adapter.ts';
import type { WorkspaceAgentOptions } from './workspace-options.ts';

/** Throws PolicyFileError when a rule that was written would not be in force. */
export async function loadWorkspacePolicies(
  options: WorkspaceAgentOptions,
  sources: readonly Source[],
): Promise<LoadedPolicies> {
  const { rules = {}, policyPaths, adminPolicyPaths, onWarning } = options;
  const loaded = await loadPolicies({
    sources,
    platform: process.platform,
    settings: rules,
    ...(policyPaths && { policyPaths }),
    ...(adminPolicyPaths && { adminPolicyPaths }),
  });
  if (loaded.problems.length > 0) throw new PolicyFileError(loaded.problems);
  for (const warning of loaded.warnings) onWarning?.(warning);
  return loaded;
}

export interface WorkspacePolicyOptions {
  options: WorkspaceAgentOptions;
  loaded: LoadedPolicies;
  workspace: Workspace;
  tempDirectory: string;
  plansDirectory: string;
}

export function createWorkspacePolicy({
  options,
  loaded,
  workspace,
  tempDirectory,
  plansDirectory,
}: WorkspacePolicyOptions): PolicyAdapter {
  const { home, trustedFolder, interactive = false, allowsAlways = true, planSettings = {}, onWarning } = options;
  const engine = new PolicyEngine({
    rules: loaded.rules,
    checkers: loaded.checkers,
    root: workspace.root,
    home,
    workspaceDirectories: workspace.directories,
    tempDirectory,
    plansDirectory,
    trustedFolder: trustedFolder !== false,
  });
  const mode = trustedFolder === false ? 'default' : (options.approvalMode ?? 'default');
  const { telemetry } = options;
  telemetry?.note({ kind: 'approval_mode', mode });
  return new PolicyAdapter({
    engine,
    mode,
    interactive,
    home,
    allowsAlways,
    hasPlanMode: planSettings.enabled ?? true,
    ...(onWarning && { onProblem: onWarning }),
    ...(telemetry && { onModeChange: (next: ApprovalMode) => telemetry.note({ kind: 'approval_mode', mode: next }) }),
  });
}
