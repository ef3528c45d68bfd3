/** Loads the rules of a workspace from its sources and settings, and adapts them for the scheduler. */

import { PolicyEngine } from '../policy/policy-engine.ts';
import { loadPolicies, PolicyFileError } from '../policy/policy-loader.ts';
import type { LoadedPolicies } from '../policy/policy-loader.ts';
import type { Source } from '../protocol/source.ts';
import type { PolicyQuestion } from '../scheduler/ports.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { EventInbox } from './event-inbox.ts';
import { PolicyAdapter } from './policy-adapter.ts';
import type { ResolvedWorkspaceOptions, Warn } from './workspace-options.ts';

/** Throws PolicyFileError when a written rule would not be in force. */
export async function loadWorkspacePolicies(
  options: ResolvedWorkspaceOptions,
  sources: readonly Source[],
  warn: Warn,
): Promise<LoadedPolicies> {
  const { rules = {}, policyPaths, adminPolicyPaths } = options;
  const loaded = await loadPolicies({
    sources,
    platform: process.platform,
    settings: rules,
    policyPaths,
    adminPolicyPaths,
  });
  if (loaded.problems.length > 0) throw new PolicyFileError(loaded.problems);
  for (const warning of loaded.warnings) warn(warning);
  return loaded;
}

export interface WorkspacePolicyOptions {
  options: ResolvedWorkspaceOptions;
  loaded: LoadedPolicies;
  workspace: Workspace;
  tempDirectory: string;
  plansDirectory: string;
  inbox: EventInbox;
  /** See PolicyAdapterOptions. */
  isPreapproved?: (question: PolicyQuestion) => boolean;
}

export function createWorkspacePolicy({
  options,
  loaded,
  workspace,
  tempDirectory,
  plansDirectory,
  inbox,
  isPreapproved,
}: WorkspacePolicyOptions): PolicyAdapter {
  const { home, trustedFolder, interactive = false, allowsAlways = true, planSettings = {} } = options;
  const engine = new PolicyEngine({
    rules: loaded.rules,
    checkers: loaded.checkers,
    root: workspace.root,
    home,
    workspaceDirectories: workspace.directories,
    tempDirectory,
    plansDirectory,
    trustedFolder: trustedFolder !== false,
    guardsGit: trustedFolder !== true,
  });
  const mode = trustedFolder === false ? 'default' : (options.approvalMode ?? 'default');
  const { telemetry } = options;
  telemetry?.note({ kind: 'approval_mode', mode });
  return new PolicyAdapter({
    engine,
    mode,
    interactive,
    home,
    hints: options.hints,
    allowsAlways,
    ...(isPreapproved && { isPreapproved }),
    hasPlanMode: planSettings.enabled ?? true,
    onProblem: (message) => inbox.post({ type: 'notice', level: 'warning', message }),
    onModeChange: (next) => {
      telemetry?.note({ kind: 'approval_mode', mode: next });
      inbox.post({ type: 'mode_changed', mode: next });
    },
  });
}
