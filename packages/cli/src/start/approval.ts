/** Decides from flags and settings what tools may do without asking. Reads no files. */

import { join } from 'node:path';
import type { ApprovalMode, WorkspaceAgentOptions } from '@castor/core';
import type { Settings } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { isAirgapped } from './airgap.ts';
import type { ChosenExtensions } from './installed-extensions.ts';
import { findServerGrants, isOfProject } from './server-grants.ts';
import type { GrantLayer } from './server-grants.ts';

/** Spelled as on the command line; `core` knows them by other names. */
const MODES = { default: 'default', auto_edit: 'autoEdit', yolo: 'yolo', plan: 'plan' } as const;

export interface Approval {
  mode: ApprovalMode;
  rules: NonNullable<WorkspaceAgentOptions['rules']>;
  policyPaths?: readonly string[];
  adminPolicyPaths?: readonly string[];
  includeDirectories: readonly string[];
  /** Why the mode differs from the requested one. */
  warnings: string[];
}

export interface ApprovalQuestion {
  args: CliArguments;
  settings: Settings;
  /** What the settings were merged from: a project's word counts less. */
  layers: readonly GrantLayer[];
  /** Those enabled in this folder; their restrictions become rules. */
  extensions: Pick<ChosenExtensions, 'excluded'> | undefined;
  home: string;
  /** False: only the mode `default` is allowed, whatever was requested. */
  trustedFolder: boolean | undefined;
}

/** Throws an ExitError for a mode that is not allowed. */
export function chooseApproval({
  args,
  settings,
  layers,
  extensions,
  home,
  trustedFolder,
}: ApprovalQuestion): Approval {
  const warnings: string[] = [];
  const { policyPaths, adminPolicyPaths, context } = settings;
  const policy = args.policy ?? policyPaths;
  const adminPolicy = args.adminPolicy ?? adminPolicyPaths;
  return {
    mode: chooseMode(args, settings, trustedFolder, warnings),
    rules: { ...chooseRules(args, settings, layers), excludedByExtensions: extensions?.excluded ?? [] },
    ...(policy.length > 0 && { policyPaths: policy }),
    ...(adminPolicy.length > 0 && { adminPolicyPaths: adminPolicy }),
    includeDirectories: [...context.includeDirectories, ...(args.includeDirectories ?? [])].map((path) =>
      path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path,
    ),
    warnings,
  };
}

function chooseMode(
  { yolo, approvalMode }: CliArguments,
  settings: Settings,
  trustedFolder: boolean | undefined,
  warnings: string[],
): ApprovalMode {
  const wanted = approvalMode ?? (yolo ? 'yolo' : settings.general.defaultApprovalMode);
  const mode = MODES[wanted as keyof typeof MODES];
  if (mode === 'yolo') assertYolo(settings);
  if (mode === 'plan' && !settings.general.plan.enabled) {
    warnings.push('plan mode is disabled (general.plan.enabled); the approval mode is default.');
    return 'default';
  }
  if (mode !== 'default' && trustedFolder === false) {
    warnings.push(`the folder is not trusted; the approval mode is default, not ${wanted}.`);
    return 'default';
  }
  return mode;
}

/** Throws an ExitError when YOLO mode is disabled. */
export function assertYolo({ security, admin }: Settings): void {
  if (!security.disableYoloMode && !admin.secureModeEnabled) return;
  const key = security.disableYoloMode ? 'security.disableYoloMode' : 'admin.secureModeEnabled';
  throw new ExitError(ExitCode.Settings, `YOLO mode is disabled by ${key}; run without --yolo.`);
}

/** A flag replaces the setting of the same meaning. */
function chooseRules(args: CliArguments, settings: Settings, layers: readonly GrantLayer[]): Approval['rules'] {
  const { tools, mcp, castor } = settings;
  const named = args.allowedTools?.filter((name) => name !== '');
  const servers = args.allowedMcpServerNames?.filter((name) => name !== '');
  const { mcpAllowed, ...grants } = findServerGrants(settings, layers);
  const mcpExcluded = servers ? undefined : mcp.excluded;
  return {
    allowed: named ?? tools.allowed,
    isAllowedByProject: named === undefined && isOfProject(layers, 'tools', 'allowed'),
    isCoreOfProject: isOfProject(layers, 'tools', 'core'),
    isAirgapped: isAirgapped({ args, settings: { castor } }),
    exclude: tools.exclude,
    core: tools.core,
    confirmationRequired: tools.confirmationRequired,
    mcpAllowed: servers ?? mcpAllowed,
    mcpExcluded,
    mcpAutoAllow: mcp.autoAllowInHeadless,
    // In an untrusted folder no server runs.
    ...grants,
  };
}
