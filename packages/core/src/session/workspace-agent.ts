/**
 * createWorkspaceAgent: an agent with the built-in tools in a folder, under the
 * policies found on disk. What surfaces start with; `dispose` ends every process it
 * started.
 */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { backgroundLogDirectory } from '../config/paths.ts';
import { resolveProjectDirectory } from '../config/project-registry.ts';
import { hasHooks } from '../hooks/hook-layer.ts';
import type { HookLayer } from '../hooks/hook-layer.ts';
import { createModelConfigResolver } from '../model/model-configs.ts';
import { resolveModel } from '../model/models.ts';
import type { ApprovalMode } from '../policy/approval-mode.ts';
import { PolicyEngine } from '../policy/policy-engine.ts';
import { loadPolicies, PolicyFileError } from '../policy/policy-loader.ts';
import type { SettingsRuleFields } from '../policy/settings-rules.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerTool } from '../protocol/tools.ts';
import { createBuiltinTools } from '../tools/builtin/index.ts';
import { FileStore } from '../tools/file-store.ts';
import { IgnoreRules } from '../tools/ignore-rules.ts';
import type { IgnoreOptions } from '../tools/ignore-rules.ts';
import { ReadLedger } from '../tools/read-ledger.ts';
import { BackgroundProcesses } from '../tools/shell/background.ts';
import type { BackgroundProcess } from '../tools/shell/background.ts';
import { createChildEnvironment } from '../tools/shell/child-environment.ts';
import type { Environment } from '../tools/shell/child-environment.ts';
import type { RedactionOptions } from '../tools/shell/redact-environment.ts';
import { guardRepository } from '../tools/shell/safe-git.ts';
import { ShellRunner } from '../tools/shell/shell-runner.ts';
import { saveOutput } from '../tools/tool-output.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { Workspace } from '../tools/workspace.ts';
import { systemClock } from '../util/clock.ts';
import { describeEnd, tellModel } from './background-notice.ts';
import { Budget } from './budget.ts';
import { createBudgetedGenerator } from './budgeted-generator.ts';
import { createAgent, meterGenerator, openLedger } from './create-agent.ts';
import type { Agent, AgentOptions } from './create-agent.ts';
import type { ContextFileOptions, LoadedContext } from './context-files.ts';
import { WorkspaceContext } from './context-workspace.ts';
import type { SystemPromptFields } from './context-workspace.ts';
import { createFileReferences } from './file-references.ts';
import type { FileReferences, ReadReferences } from './file-references.ts';
import type { OpenedSession } from './open-session.ts';
import type { OpenHooksOptions, SessionHooks } from './open-hooks.ts';
import { choosePlansDirectory } from './plans-directory.ts';
import { PolicyAdapter } from './policy-adapter.ts';
import { SessionRecorder } from './session-recorder.ts';
import { loadPrices } from './user-prices.ts';

export interface WorkspaceAgentOptions extends Omit<
  AgentOptions,
  'tools' | 'policy' | 'systemInstruction' | 'tempDirectory'
> {
  /** The folder the agent works in. */
  root: string;
  home: string;
  includeDirectories?: readonly string[];
  /** The person's own environment; what children may see of it is decided here. */
  environment: Environment;
  /** Credentials in use, kept from every child. */
  secrets?: readonly string[];
  approvalMode?: ApprovalMode;
  /**
   * True: the folder's own tools and git settings may run. False: nothing of the folder
   * runs, and every change is asked about. Undefined: nobody has decided; the agent
   * works as it was told to, and nothing the folder configures runs (docs/decisions/0009).
   */
  trustedFolder?: boolean | undefined;
  /** Tools the project brings along; used in trusted folders only. */
  toolCommands?: { discovery: string; call: string };
  /** How the built-in tools do their work. */
  toolSettings?: ToolSettings;
  /** Which variables are kept from commands. */
  redaction?: RedactionOptions;
  planSettings?: PlanSettings;
  /** False: an approval binds for its one call. */
  allowsAlways?: boolean;
  /** Whether `@name` finds a file of that name anywhere. Default true. */
  searchesReferences?: boolean;
  /** Whether the model is told the tree of the folder. Default false. */
  tellsTree?: boolean;
  /** Rules that follow from flags and settings. */
  rules?: SettingsRuleFields;
  policyPaths?: readonly string[];
  adminPolicyPaths?: readonly string[];
  /** Further instructions for the model, already framed. */
  memory?: string;
  /** Which ignore files count, and further ones. */
  ignore?: Omit<IgnoreOptions, 'includeDirectories'>;
  /** Which files hold the user's and the project's instructions. */
  context?: ContextFileOptions;
  /** A system prompt of the user's own; see resolveSystemPromptFile. */
  systemPrompt?: SystemPromptFields;
  /** Record the session to a file under the user's folder. */
  recordSession?: boolean;
  /** A session to work in, as `openSession` gives it; recorded to its file. */
  session?: OpenedSession;
  /** Hooks as the settings files have them; see OpenHooksOptions. They take the place of `hooks`. */
  hookLayers?: readonly HookLayer[];
  /** The folder is trusted by a flag or a variable, for this run as it is. */
  isTrustedForRun?: boolean;
  /** Told of every run of a hook, as telemetry is. */
  onHookExecution?: OpenHooksOptions['onExecution'];
  /** Told of rules that are not in force and the like. */
  onWarning?: (message: string) => void;
  /** Told what may interest the person: a command in the background that ended. */
  onNotice?: (message: string) => void;
}

export interface ToolSettings {
  /** A terminal for each command where somebody could type into it. Default true. */
  interactiveShell?: boolean;
  pager?: string;
  /** 0 for no limit. */
  inactivityTimeoutMs?: number;
  /** Whether the model is asked to keep output short. Default true. */
  asksForShortOutput?: boolean;
  /** `notify`: the person is told; `inject`: the model, too, with the next request. Default `silent`. */
  whenBackgroundEnds?: 'silent' | 'inject' | 'notify';
  useRipgrep?: boolean;
  /** Pages are fetched without a model. */
  directWebFetch?: boolean;
  /** Default true; only models that are helped by it get the list. */
  writeTodos?: boolean;
}

export interface PlanSettings {
  /** Default true. */
  enabled?: boolean;
  /** Inside the workspace; default a folder of the project's temporary one. */
  directory?: string | undefined;
}

export interface WorkspaceAgent extends Agent {
  workspace: Workspace;
  /** Absent where no hook is configured. */
  hooks?: SessionHooks;
  policy: PolicyAdapter;
  /** Runs what a person typed; the tools' own commands go the same way. */
  shell: ShellRunner;
  /** What `@path` means. */
  references: FileReferences;
  /** The instructions the model was given so far. */
  readonly context: LoadedContext;
  /** Reads them again and tells the model. */
  reloadContext(): Promise<LoadedContext>;
  dispose(): Promise<void>;
}

/**
 * Throws PolicyFileError when a rule that was written would not be in force, and
 * SystemPromptError when the system prompt that was asked for cannot be used.
 */
export async function createWorkspaceAgent(options: WorkspaceAgentOptions): Promise<WorkspaceAgent> {
  const { root, home, sessionId, clock = systemClock, interactive = false, rules = {}, onWarning } = options;
  const { trustedFolder, includeDirectories = [] } = options;
  const approvalMode = trustedFolder === false ? 'default' : (options.approvalMode ?? 'default');
  const tempDirectory = await resolveProjectDirectory({ home, root, clock });
  const { toolSettings = {}, planSettings = {} } = options;
  const plansDirectory = choosePlansDirectory({ wanted: planSettings.directory, root, tempDirectory, onWarning });
  let hasApprovedPlan = false;

  const [ignore, loaded, isGitRepository, priced] = await Promise.all([
    IgnoreRules.load(root, { ...options.ignore, includeDirectories }),
    loadPolicies({
      home,
      platform: process.platform,
      settings: rules,
      ...(options.policyPaths && { policyPaths: options.policyPaths }),
      ...(options.adminPolicyPaths && { adminPolicyPaths: options.adminPolicyPaths }),
    }),
    exists(join(root, '.git')),
    loadPrices(home),
  ]);
  for (const problem of priced.problems) onWarning?.(problem);
  if (loaded.problems.length > 0) throw new PolicyFileError(loaded.problems);
  for (const warning of loaded.warnings) onWarning?.(warning);

  const workspace = new Workspace({ root, includeDirectories, tempDirectory, ignore });
  const environment = createChildEnvironment({
    base: options.environment,
    ...(options.secrets && { secretValues: options.secrets }),
    ...(toolSettings.pager !== undefined && { pager: toolSettings.pager }),
    redaction: options.redaction ?? { enabled: false },
    git: trustedFolder === undefined ? 'guarded' : trustedFolder ? 'standard' : 'strict',
  });
  const guard = !trustedFolder && {
    environmentFor: async (command: string, directory: string) =>
      /\bgit\b/.test(command) ? guardRepository(directory, environment) : {},
  };
  const shell = new ShellRunner({
    environment,
    tempDirectory,
    // A terminal for every command where a person can type into it.
    useTerminal: interactive && toolSettings.interactiveShell !== false,
    ...(toolSettings.inactivityTimeoutMs !== undefined && { inactivityTimeoutMs: toolSettings.inactivityTimeoutMs }),
    whenWaiting: interactive ? 'report' : 'end',
    ...guard,
  });
  const background = new BackgroundProcesses({
    logDirectory: backgroundLogDirectory(home),
    environment,
    onEnded: (process) => tellOfEnd(process),
    ...guard,
  });
  const policy = new PolicyAdapter({
    engine: new PolicyEngine({
      rules: loaded.rules,
      checkers: loaded.checkers,
      root: workspace.root,
      home,
      workspaceDirectories: workspace.directories,
      tempDirectory,
      plansDirectory,
      trustedFolder: trustedFolder !== false,
    }),
    mode: approvalMode,
    interactive,
    home,
    allowsAlways: options.allowsAlways ?? true,
    hasPlanMode: planSettings.enabled ?? true,
    ...(onWarning && { onProblem: onWarning }),
  });

  const ledger = openLedger({ ...options, prices: options.prices ?? priced.prices }, clock);
  const limits = options.budget;
  const budget = limits && (limits instanceof Budget ? limits : new Budget({ limits, ledger, clock }));
  const metered = meterGenerator(options, ledger, clock);
  // Tools that ask a model spend from the same purse.
  const generator = budget ? createBudgetedGenerator(metered, budget) : metered;
  const store = new FileStore(workspace, new ReadLedger());
  const builtins = createBuiltinTools({
    store,
    shell,
    background,
    generator,
    resolveModel: createModelConfigResolver({ preview: options.features?.preview ?? true, ...options.modelConfigs }),
    clock,
    isInteractive: interactive,
    writeTodos: toolSettings.writeTodos !== false && isHelpedByTodos(options.model),
    useRipgrep: toolSettings.useRipgrep ?? true,
    respectGitIgnore: options.ignore?.git ?? true,
    asksForShortOutput: toolSettings.asksForShortOutput ?? true,
    webFetch: { direct: toolSettings.directWebFetch ?? false },
    ...(planSettings.enabled !== false && {
      plan: {
        plansDirectory,
        setApprovalMode: (mode) => {
          policy.mode = mode;
          if (mode === 'plan') hasApprovedPlan = false;
        },
        setApprovedPlan: () => {
          hasApprovedPlan = true;
        },
        ...(!interactive && approvalMode === 'yolo' && { unattendedMode: 'yolo' as const }),
      },
    }),
  });
  const { toolCommands } = options;
  const discovered =
    toolCommands && trustedFolder
      ? await discover(toolCommands, { cwd: workspace.root, env: environment }, onWarning)
      : [];
  const tools = new ToolRegistry([...builtins, ...discovered], {
    isActive: (tool) => isInMode(tool.name, policy) && policy.isOffered(tool),
  });

  const { session: opened, recordSession } = options;
  const recorder =
    recordSession && !opened
      ? new SessionRecorder({
          directory: join(tempDirectory, 'chats'),
          sessionId,
          root: workspace.root,
          clock,
          ...(onWarning && { onProblem: onWarning }),
        })
      : opened?.recorder;
  const context = await WorkspaceContext.load({
    workspace,
    home,
    trustedFolder,
    interactive,
    isGitRepository,
    now: () => new Date(clock.now()),
    tellsTree: options.tellsTree ?? false,
    ...(options.context && { files: options.context }),
    ...(options.systemPrompt && { systemPrompt: options.systemPrompt }),
    ...(options.memory !== undefined && { memory: options.memory }),
    ...(onWarning && { onWarning }),
  });
  const hooks = hasHooks(options.hookLayers)
    ? (await import('./open-hooks.ts')).openHooks({
        layers: options.hookLayers ?? [],
        sessionId,
        root: workspace.root,
        home,
        plansDirectory,
        transcriptPath: () => recorder?.path ?? '',
        environment: options.environment,
        isTrusted: trustedFolder === true,
        isTrustedForRun: options.isTrustedForRun ?? false,
        clock,
        ...(options.secrets && { secrets: options.secrets }),
        onExecution: (execution) => {
          options.telemetry?.hookExecuted(execution);
          options.onHookExecution?.(execution);
        },
        ...(onWarning && { onWarning }),
      })
    : undefined;
  const agent = createAgent({
    ...options,
    ...(hooks && { hooks }),
    generator,
    ledger,
    ...(budget && { budget }),
    ...(recorder && { chatRecorder: recorder, callRecorder: recorder }),
    record: (event) => {
      recorder?.observe(event);
      if (event.type === GeminiEventType.ChatCompressed) context.forgetNearby();
      options.record?.(event);
    },
    tools,
    policy,
    tempDirectory,
    planning: () => ({ approvalMode: policy.mode, hasApprovedPlan }),
    saveOutput: (toolName, callId, text) => saveOutput([text], { toolName, callId }, { tempDirectory, sessionId }),
    systemInstruction: context.systemInstruction,
    history: options.history ?? [context.firstMessage, ...(opened?.history ?? [])],
    openingHistory: [context.firstMessage],
    ...(context.resultContext && { resultContext: context.resultContext }),
  });
  const { whenBackgroundEnds = 'silent' } = toolSettings;
  function tellOfEnd(process: BackgroundProcess): void {
    if (whenBackgroundEnds === 'silent') return;
    const sentence = describeEnd(process);
    options.onNotice?.(sentence);
    if (whenBackgroundEnds === 'inject') tellModel(agent, sentence);
  }
  return {
    ...agent,
    ...(hooks && { hooks }),
    workspace,
    policy,
    shell,
    references: createFileReferences(workspace, readReferences(store), options.searchesReferences ?? true),
    get context() {
      return context.loaded;
    },
    reloadContext: () => context.reload(agent.chat),
    async dispose() {
      await Promise.all([shell.dispose(), background.dispose(), hooks?.dispose()]);
      recorder?.close();
    },
  };
}

/** Files a person referred to count as read by the model. */
function readReferences({ workspace, ledger }: FileStore): ReadReferences {
  return async (patterns, signal) => {
    const [{ readManyFiles }, { createReadFileTool }] = await Promise.all([
      import('../tools/builtin/read-many-files.ts'),
      import('../tools/builtin/read-file.ts'),
    ]);
    const dependencies = { workspace, readFile: createReadFileTool({ workspace, ledger }) };
    const execution = { callId: '', signal, onOutput: () => undefined, onPid: () => undefined };
    const { files, problems } = await readManyFiles(dependencies, { include: [...patterns] }, execution);
    return { files: files.map(({ path, parts }) => ({ name: workspace.relative(path), parts })), problems };
  };
}

/** Models of the second generation forget steps they have not written down. */
function isHelpedByTodos(model: string): boolean {
  return /^gemini-2(?!.*preview)/.test(resolveModel(model));
}

/** Plan mode is entered from outside it and left from inside. */
function isInMode(name: string, { mode }: PolicyAdapter): boolean {
  if (name === 'enter_plan_mode') return mode !== 'plan';
  if (name === 'exit_plan_mode') return mode === 'plan';
  return true;
}

/** A project whose tools cannot be listed is worked in without them. */
async function discover(
  { discovery, call }: { discovery: string; call: string },
  where: { cwd: string; env: Record<string, string> },
  onWarning: WorkspaceAgentOptions['onWarning'],
): Promise<ServerTool[]> {
  const { discoverTools } = await import('../tools/builtin/discovered-tool.ts');
  const { signal } = new AbortController();
  try {
    return await discoverTools({ discoveryCommand: discovery, callCommand: call, ...where }, signal);
  } catch (error) {
    onWarning?.(`The project's own tools are not available: ${getErrorMessage(error)}`);
    return [];
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
