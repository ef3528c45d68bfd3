/** Creates the tools of a workspace: the built-in ones per the settings, and those of a trusted project. */

import type { ContentGenerator } from '../provider/content-generator.ts';
import { createModelConfigResolver } from '../routing/model-configs.ts';
import { catalogueOf, factsOf } from '../routing/models.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import type { DefinedTool } from '../protocol/tools.ts';
import { createBuiltinTools } from '../tools/builtin/index.ts';
import type { DiscoveredToolDependencies } from '../tools/builtin/discovered-tool.ts';
import type { FileStore } from '../tools/files/file-store.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import { joinSentences } from '../util/join-sentences.ts';
import { systemClock } from '../util/clock.ts';
import type { PolicyAdapter } from './policy-adapter.ts';
import type { EnvironmentGuard } from './workspace-environment.ts';
import type { ResolvedWorkspaceOptions, ToolSettings, Warn } from './workspace-options.ts';
import type { WorkspaceFit } from './workspace-fit.ts';
import type { TakeBack } from './confined-commands.ts';
import type { WorkspaceShell } from './workspace-shell.ts';

export interface WorkspaceToolsOptions extends WorkspaceShell {
  options: ResolvedWorkspaceOptions;
  toolSettings: Required<ToolSettings>;
  workspace: Workspace;
  store: FileStore;
  generator: ContentGenerator;
  policy: PolicyAdapter;
  plansDirectory: string;
  tempDirectory: string;
  fit: WorkspaceFit;
  /** The model of the conversation. */
  mainModel: () => string;
  warn: Warn;
  /** Takes back what a running call changed; absent without undo. */
  takeBack?: TakeBack | undefined;
}

export interface WorkspaceTools {
  tools: ToolRegistry;
  /** The file of the plan approved since plan mode was last entered. */
  approvedPlan(): string | undefined;
}

export async function openTools(given: WorkspaceToolsOptions): Promise<WorkspaceTools> {
  const { options, toolSettings, workspace, store, generator, policy, shell, background, environment } = given;
  const { clock = systemClock, interactive = false, features, modelConfigs, toolCommands } = options;
  let approvedPlan: string | undefined;
  const plan = {
    plansDirectory: given.plansDirectory,
    setApprovalMode: (mode: PolicyAdapter['mode']) => {
      policy.mode = mode;
      if (mode === 'plan') approvedPlan = undefined;
    },
    setApprovedPlan: (path: string) => {
      approvedPlan = path;
      options.telemetry?.note({ kind: 'plan_approved', mode: policy.mode });
    },
    ...(!interactive && policy.mode === 'yolo' && { unattendedMode: 'yolo' as const }),
  };
  const catalogue = catalogueOf(generator);
  const serviceName = (model: string): string => (modelConfigs ? resolveModel({ model }).model : model);
  const resolveModel = createModelConfigResolver({
    preview: features?.preview ?? true,
    catalogue,
    mainModel: () => serviceName(given.mainModel()),
    ...modelConfigs,
  });
  const guarded = { folders: workspace.directories, home: options.home, policy, clock };
  let guard: Promise<EnvironmentGuard> | undefined;
  const builtins = createBuiltinTools({
    store,
    shell,
    background,
    aroundCommand: async ({ command, directory, callId }) => {
      guard ??= import('./workspace-environment.ts').then(
        (module) => new module.EnvironmentGuard({ ...guarded, tempDirectory: given.tempDirectory, warn: given.warn }),
      );
      const compare = (await guard).open(command, directory);
      const look = await given.sandbox?.around(command, callId, given.takeBack);
      return async (end) => {
        const review = await look?.(end);
        const notes = [review?.note, await compare()].filter((note) => note !== undefined);
        return { ...review, note: notes.length === 0 ? undefined : notes.join('\n') };
      };
    },
    widen: given.sandbox?.widen,
    generator,
    resolveModel,
    clock,
    isInteractive: interactive,
    // An editor shows the list as a plan beside the conversation, whatever the model.
    writeTodos:
      toolSettings.writeTodos && (options.editor !== undefined || factsOf(given.mainModel(), catalogue).helpedByTodos),
    useRipgrep: toolSettings.useRipgrep,
    respectGitIgnore: options.ignore?.git ?? true,
    asksForShortOutput: toolSettings.asksForShortOutput,
    webFetch: { direct: toolSettings.directWebFetch, opensUrls: () => !given.fit.isForeign },
    ...(options.planSettings?.enabled !== false && { plan }),
  });
  const where = { cwd: workspace.root, env: environment, guard: shell.guard, confine: given.sandbox?.confine };
  const discovered = toolCommands ? await discover(toolCommands, where, { ...options, warn: given.warn }) : [];
  const offersPatches = given.fit.offers('apply_patch');
  const patching = offersPatches ? [await loadPatchTool(store)] : [];
  const tools = new ToolRegistry([...builtins, ...patching, ...discovered], {
    isActive: (tool) => given.fit.offers(tool.name) && isInMode(tool.name, policy) && policy.isOffered(tool),
    explainAbsence: (tool) =>
      given.fit.offers(tool.name) && isInMode(tool.name, policy) ? describeRefusal(tool, policy, options) : undefined,
    describe: ({ name, description }) =>
      policy.mode === 'plan' && WRITES_PLANS.has(name)
        ? `Plan mode is on: this tool writes only plans, .md files in ${given.plansDirectory}. ${description}`
        : description,
    declare: (declaration) => given.fit.declare(declaration),
  });
  return { tools, approvedPlan: () => approvedPlan };
}

/** Loaded for the families that edit by patches. */
export async function loadPatchTool(store: FileStore): Promise<DefinedTool> {
  const { createApplyPatchTool } = await import('../tools/builtin/apply-patch.ts');
  return createApplyPatchTool({ store });
}

type Refusing = Pick<ResolvedWorkspaceOptions, 'interactive' | 'hints'>;

/** A run without a user cannot ask, so a tool that would ask is not offered. The author of a rule may say why. */
function describeRefusal(tool: DefinedTool, policy: PolicyAdapter, { interactive = false, hints }: Refusing): string {
  const { name } = tool;
  const refusal = `Tool "${name}" is not allowed in this run.`;
  const { denyMessage, kind } = policy.denialOf(tool)?.rule ?? {};
  if (denyMessage !== undefined && kind !== 'builtin') return joinSentences(refusal, denyMessage);
  if (interactive || policy.mode === 'yolo') return refusal;
  const advice = 'Continue without it, or tell the user what is needed.';
  return joinSentences(refusal, hints?.allowTool?.(name, policy.mode), advice);
}

/** In plan mode they write only the plan itself. */
const WRITES_PLANS: ReadonlySet<string> = new Set(['write_file', 'replace']);

/** Plan mode is entered from outside it and left from inside. */
function isInMode(name: string, { mode }: Pick<PolicyAdapter, 'mode'>): boolean {
  if (name === 'enter_plan_mode') return mode !== 'plan';
  if (name === 'exit_plan_mode') return mode === 'plan';
  return true;
}

type Discovering = Pick<ResolvedWorkspaceOptions, 'trustedFolder' | 'signal'> & { warn: Warn };

/** Without a usable tool list the project's own tools are left out. */
async function discover(
  { discovery, call }: { discovery: string; call: string },
  where: Pick<DiscoveredToolDependencies, 'cwd' | 'env' | 'guard' | 'confine'>,
  { trustedFolder, warn, signal = new AbortController().signal }: Discovering,
): Promise<DefinedTool[]> {
  if (!trustedFolder) {
    warn("The project's tools are not available: tools.discoveryCommand runs in trusted folders only.");
    return [];
  }
  const { discoverTools } = await import('../tools/builtin/discovered-tool.ts');
  try {
    return await discoverTools({ discoveryCommand: discovery, callCommand: call, ...where }, signal, warn);
  } catch (error) {
    if (!signal.aborted) warn(`The project's tools are not available: ${getErrorMessage(error)}`);
    return [];
  }
}
