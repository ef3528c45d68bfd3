/**
 * createWorkspaceAgent: creates an agent with the built-in tools in a folder, under the
 * policies found on disk, for every surface. `dispose` ends every process it started.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { computeSources } from '../config/sources.ts';
import { resolveProjectDirectory } from '../config/project-registry.ts';
import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { PartListUnion } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { Source } from '../protocol/source.ts';
import type { ModelFacts } from '../provider/catalogue/model-catalogue.ts';
import { FileStore } from '../tools/files/file-store.ts';
import { IgnoreRules } from '../tools/files/ignore-rules.ts';
import { ReadLedger } from '../tools/files/read-ledger.ts';
import type { BackgroundProcess, BackgroundProcesses } from '../tools/shell/background.ts';
import type { ShellRunner } from '../tools/shell/shell-runner.ts';
import { Workspace } from '../tools/files/workspace.ts';
import type { ToolLookup } from '../scheduler/ports.ts';
import { catalogueOf, factsOf as modelFacts, resolveModel } from '../routing/models.ts';
import { systemClock } from '../util/clock.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import { openSpending } from '../spending/open-spending.ts';
import { describeEnd, factsOf, tellModel } from './background-notice.ts';
import { wireAgent } from './create-agent.ts';
import { EventInbox } from './event-inbox.ts';
import type { Agent } from './create-agent.ts';
import { globalMemoryFiles } from '../context/context-files.ts';
import type { LoadedContext } from '../context/context-files.ts';
import type { FileReferences } from '../context/file-references.ts';
import type { SessionHooks } from '../hook-ports/open-hooks.ts';
import type { McpServers } from '../mcp/mcp-servers.ts';
import type { SessionSkills } from '../skills/session-skills.ts';
import { choosePlansDirectory } from './plans-directory.ts';
import { createAgentTool, openAgents } from './workspace-agents.ts';
import type { WorkspaceAgents } from './workspace-agents.ts';
import type { ParentParts } from './parent-parts.ts';
import type { PolicyAdapter } from './policy-adapter.ts';
import { openRecorder, openUndo } from './workspace-record.ts';
import type { WorkspaceUndo } from './workspace-undo.ts';
import { loadPrices } from '../spending/user-prices.ts';
import { DEFAULT_TOOL_SETTINGS, withDefaults } from './workspace-options.ts';
import type { Warn, WorkspaceAgentOptions } from './workspace-options.ts';
import { createWorkspacePolicy, loadWorkspacePolicies } from './workspace-policy.ts';
import { openSessionHooks } from './workspace-hooks.ts';
import { openWorkspaceServers } from './workspace-mcp.ts';
import { openSandbox } from './workspace-bounds.ts';
import { openContext } from './workspace-context.ts';
import { openReferences } from './workspace-references.ts';
import { WorkspaceSecrets } from './workspace-secrets.ts';
import { openShell } from './workspace-shell.ts';
import { WorkspaceFit } from './workspace-fit.ts';
import { WrittenFiles } from './written-files.ts';
import { WorkspaceSkills } from './workspace-skills.ts';
import { loadPatchTool, openTools } from './workspace-tools.ts';

export interface WorkspaceAgent extends Agent {
  workspace: Workspace;
  /** Where commands, context files, hooks and policies are loaded from. */
  sources: readonly Source[];
  /** Absent where no hook is configured. */
  hooks?: SessionHooks;
  /** The MCP servers and their state; absent where none is configured. */
  servers?: McpServers;
  policy: PolicyAdapter;
  /** What can be undone; absent in a session without a record. */
  undo?: WorkspaceUndo;
  /** The sub-agents; absent where they are disabled. */
  agents?: WorkspaceAgents;
  /** Runs commands the user typed; the tools use the same runner. */
  shell: ShellRunner;
  /** The background commands. */
  background: BackgroundProcesses;
  /** The text with marks in place of secrets, for what a surface prints or keeps itself. */
  conceal(text: string): string;
  /** The file of the plan approved since plan mode was last entered. */
  approvedPlan(): string | undefined;
  /** Resolves `@path`. */
  references: FileReferences;
  /** The context files the model has received so far. */
  readonly context: LoadedContext;
  /** Reloads the context files and sends them to the model. */
  reloadContext(): Promise<LoadedContext>;
  /** The skills of the session; loads them where the start found none. */
  openSkills(): Promise<SessionSkills>;
  dispose(): Promise<void>;
}

/**
 * Throws PolicyFileError when a written rule would not be in force, and
 * SystemPromptError when the requested system prompt cannot be used.
 */
export async function createWorkspaceAgent(given: WorkspaceAgentOptions): Promise<WorkspaceAgent> {
  const options = withDefaults(given);
  const { root, home, sessionId, clock = systemClock, includeDirectories = [], trustedFolder } = options;
  const sources = options.sources ?? computeSources({ home, root, trustedFolder, platform: process.platform });
  const inbox = new EventInbox();
  const warn: Warn = (message) => inbox.post({ type: 'notice', level: 'warning', message });
  const toolSettings = { ...DEFAULT_TOOL_SETTINGS, ...options.toolSettings };
  const tempDirectory = await resolveProjectDirectory({ home, root, clock });
  const { directory: wanted, directoryFrom: wantedBy } = options.planSettings ?? {};
  const plansDirectory = choosePlansDirectory({ wanted, wantedBy, root, tempDirectory, warn });
  const isGitRepository = existsSync(join(root, '.git'));
  const [ignore, loaded, priced] = await Promise.all([
    IgnoreRules.load(root, { ...options.ignore, includeDirectories }),
    loadWorkspacePolicies(options, sources, warn),
    loadPrices(home, catalogueOf(options.generator).prices),
  ]);
  for (const problem of priced.problems) warn(problem);

  const workspace = new Workspace({
    ...{ root, includeDirectories, tempDirectory, ignore },
    editor: options.editor?.files,
    onOpening: options.onOpeningFile,
    files: globalMemoryFiles(home, options.context),
    hidden: async () => (await import('./hidden-files.ts')).findHiddenPaths(home, [root, ...includeDirectories]),
  });
  const sandbox = await openSandbox(options, { workspace, tempDirectory, mode: () => policy.mode, warn });
  if (sandbox) loaded.rules = [...loaded.rules, ...sandbox.rules];
  const confine = sandbox?.confine;
  const secrets = new WorkspaceSecrets(options);
  secrets.coverLogs(options.telemetry);
  const commands = openShell({ options, toolSettings, tempDirectory, onBackgroundEnded: tellOfEnd, sandbox, secrets });
  const skills: WorkspaceSkills = new WorkspaceSkills(options.skills ?? {}, {
    ...{ home, sources, workspace, warn },
    shownValues: options.shownValues,
    tools: () => tools,
    history: options.history ?? options.session?.history ?? [],
    isCompact: () => fit.isCompact,
    onChange: () => context.refresh(agent.chat),
    isUnanswerable: (tool) => policy.isUnanswerable(tool),
    hints: options.hints,
  });
  const policy: PolicyAdapter = createWorkspacePolicy({
    ...{ options, loaded, workspace, tempDirectory, plansDirectory, inbox },
    isPreapproved: (question) => skills.isPreapproved(question),
  });
  // Tools that call a model spend from the same budget.
  const opening = openSpending({ ...options, prices: options.prices ?? priced.prices }, clock);
  const spending = { ...opening, generator: secrets.wrap(opening.generator) };
  let requestedModel = () => options.model;
  const recorder = openRecorder(options, workspace, tempDirectory, warn);
  await secrets.attach(recorder, { isResumed: options.session !== undefined && options.session.origin !== 'new' });
  const isChecked = trustedFolder === true && options.diagnostics !== undefined;
  const written = isChecked ? new WrittenFiles(workspace.root, openChecks) : undefined;
  const store = new FileStore(workspace, new ReadLedger(), recorder, (file) => written?.note(file));
  const { generator } = spending;
  const catalogue = catalogueOf(generator);
  const mainModel = () => resolveModel(requestedModel(), { catalogue });
  const fit = new WorkspaceFit(modelFacts(mainModel(), catalogue));
  await fit.change(modelFacts(mainModel(), catalogue));
  const common = { options, toolSettings, workspace, store, generator, policy, plansDirectory, fit, mainModel, warn };
  const takeBack = async (callId: string) => (await undo?.takeBack(callId)) ?? false;
  const { tools, approvedPlan } = await openTools({ ...common, tempDirectory, takeBack, ...commands });

  const sourced = { ...options, sources };
  const agents = await openAgents(sourced, workspace.root, {
    ...{ policy, commands, workspace, options: sourced },
    tell: (level, message) => inbox.post({ type: 'notice', level, message }),
  });
  if (agents) tools.register(createAgentTool(agents, () => parts));

  if (loaded.rules.some(({ kind }) => kind !== 'builtin')) {
    const { describeUnknownTools } = await import('../policy/unknown-tools.ts');
    const names = [...tools.names(), ...(agents?.offered.map(({ name }) => name) ?? [])];
    for (const line of describeUnknownTools(loaded.rules, names)) warn(line);
  }

  await skills.start();
  const context = await openContext(sourced, {
    ...{ workspace, isGitRepository, fit, warn },
    describeSkills: () => skills.describe(),
    describeBounds: sandbox?.describe,
  });
  const hooks = await openSessionHooks(sourced, { root: workspace.root, plansDirectory, recorder, confine, inbox });
  const opened = await openWorkspaceServers(options, {
    workspace,
    sources,
    tools,
    shell: commands.shell,
    confine,
    generator,
    mainModel,
    isUnanswerable: (tool) => policy.isUnanswerable(tool),
    rules: loaded.rules,
    tellModel: (note) => tellModel(agent, note),
    post: (event) => inbox.post(event),
  });
  const servers = opened?.servers;
  const history = () => agent.chat.getHistory();
  const undoParts = { root: workspace.root, tempDirectory, recorder, policy, tools, inbox, hooks, history, store };
  const undo: WorkspaceUndo | undefined = openUndo(options, undoParts);
  const recorded = { chatRecorder: recorder, callRecorder: recorder, changeWatch: undo?.watch() };
  const wiring = {
    ...options,
    ...withoutUndefined({ hooks, ...recorded, prepare: servers?.prepare }),
    record: (event: AgentEvent, input?: PartListUnion) => {
      recorder?.observe(event, input);
      undo?.observe(event);
      if (event.type === GeminiEventType.ChatCompressed) {
        context.forgetNearby();
        skills.afterCompression();
      }
      options.record?.(event);
    },
    tools,
    policy,
    guardTools: (lookup: ToolLookup) => secrets.guard(lookup, workspace),
    commandBounds: () => sandbox?.bounds(),
    concealInput: secrets.concealInput,
    tempDirectory: () => tempDirectory,
    planning: () => ({ approvalMode: policy.mode, hasApprovedPlan: approvedPlan() !== undefined }),
    saveOutput: async (toolName: string, callId: string, text: string) => {
      const { saveOutput } = await import('../tools/tool-output.ts');
      return saveOutput([text], { toolName, callId }, { tempDirectory, sessionId });
    },
    systemInstruction: context.systemInstruction,
    history: options.history ?? [context.firstMessage, ...(options.session?.history ?? [])],
    promptCount: options.session?.promptCount,
    openingHistory: [context.firstMessage],
    fitModel: async (facts: ModelFacts, chat: GeminiChat) => {
      commands.withhold();
      const changed = await fit.change(facts);
      if (servers) context.describeServers(servers.describeForModel(), chat);
      if (!changed) return;
      context.fit(changed.profile, chat);
      if (fit.offers('apply_patch') && !tools.names().includes('apply_patch'))
        tools.register(await loadPatchTool(store));
    },
    ...withoutUndefined({ resultContext: written?.withReport(context.resultContext) ?? context.resultContext }),
  };
  const agent: Agent = wireAgent(wiring, spending, inbox);
  requestedModel = agent.requestedModel;

  const parts: ParentParts = {
    ...{ options: sourced, toolSettings, tempDirectory, plansDirectory, workspace, commands, isGitRepository },
    ...{ policy, judge: policy, spending, tools, recorder, journal: recorder, hooks, undo, sessionId, warn },
    requestedModel: agent.requestedModel,
    describeSkills: () => skills.describe(),
    loadContext: (place, profile) =>
      openContext(sourced, {
        ...{ workspace: place, isGitRepository, fit: profile },
        ...{ describeSkills: () => '', warn: () => undefined },
      }),
    agents: agents as WorkspaceAgents,
    written,
    depth: 0,
  };

  async function openChecks() {
    const { createDiagnostics } = await import('./workspace-diagnostics.ts');
    return createDiagnostics(options.diagnostics ?? {}, { root: workspace.root, commands, tell: warn });
  }

  function tellOfEnd(process: BackgroundProcess): void {
    const { whenBackgroundEnds } = toolSettings;
    // A command that this program stopped is always reported; the setting covers only those that end by themselves.
    const isStopped = process.stopped !== undefined;
    const message = whenBackgroundEnds === 'silent' && !isStopped ? undefined : describeEnd(process);
    inbox.post({ type: 'background_ended', ...factsOf(process), ...withoutUndefined({ message }) });
    if (message !== undefined && (whenBackgroundEnds === 'inject' || isStopped))
      tellModel(agent, `${message} Read its output with read_background_output.`);
  }

  const { shell, background } = commands;
  return {
    ...agent,
    ...withoutUndefined({ hooks, agents, servers, undo }),
    workspace,
    sources,
    policy,
    shell,
    background,
    conceal: secrets.conceal,
    approvedPlan,
    references: openReferences(store, options.searchesReferences),
    get context() {
      return context.loaded;
    },
    reloadContext: () => context.reload(agent.chat),
    openSkills: () => skills.open(),
    async dispose() {
      // Before the shell, whose guard ends what a server left behind.
      await Promise.all([opened?.dispose(), written?.dispose()]);
      await Promise.all([shell.dispose(), background.dispose(), hooks?.dispose()]);
      await undo?.dispose();
      sandbox?.dispose();
      agent.session.close();
      await secrets.close();
      recorder?.close();
    },
  };
}
