/**
 * Opens a child of a workspace agent: a session of its own through the one loop, with its own chat, tools, record and
 * account. It shares the policy, the shell, the hooks and the budget with its parent. Loaded with the first child.
 */

import type { CompressTrigger } from '../client/agent-hooks.ts';
import { createSystemPrompt } from '../context/system-prompt.ts';
import type { SessionHooks } from '../hook-ports/open-hooks.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content, PartListUnion } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { createSessionId } from '../records/session-id.ts';
import { catalogueOf, factsOf, resolveModel } from '../routing/models.ts';
import { openChildSpending } from '../spending/child-spending.ts';
import type { LocalAgent } from '../subagents/agent-definition.ts';
import { INHERIT } from '../subagents/agent-definition.ts';
import type { AgentServices, ChildRequest, OpenedChild } from '../subagents/agent-services.ts';
import { createInstruction } from '../subagents/child-prompt.ts';
import { createCompleteTaskTool } from '../subagents/complete-task.ts';
import { TurnLimit } from '../subagents/turn-limit.ts';
import { FileStore } from '../tools/files/file-store.ts';
import { ReadLedger } from '../tools/files/read-ledger.ts';
import { systemClock } from '../util/clock.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import { ChildPolicy } from './child-policy.ts';
import { wireAgent } from './create-agent.ts';
import { EventInbox } from './event-inbox.ts';
import type { ParentParts } from './parent-parts.ts';
import { COMPLETED, toStop } from './prompt-ending.ts';
import { openChildPlace } from './workspace-child-place.ts';
import { openChildRecorder, resumeChild } from './workspace-child-record.ts';
import { openOwnServers } from './workspace-child-servers.ts';
import { openChildTools } from './workspace-child-tools.ts';
import { WorkspaceFit } from './workspace-fit.ts';
import type { ResolvedWorkspaceOptions } from './workspace-options.ts';
import { runRemoteAgent } from './workspace-remote.ts';

export function createAgentServices(parent: ParentParts): AgentServices {
  const { telemetry, clock = systemClock } = parent.options;
  return {
    clock,
    depth: parent.depth,
    open: (request) => openChild(parent, request),
    tell: telemetry && ((happening) => telemetry.note(happening)),
    runRemote: (agent, task, context) => runRemoteAgent(parent, agent, task, context),
  };
}

async function openChild(parent: ParentParts, request: ChildRequest): Promise<OpenedChild> {
  const { agent, callId, task, signal } = request;
  const { options, plansDirectory, tempDirectory } = parent;
  const { clock = systemClock, telemetry, hints } = options;
  const earlier = request.resume === undefined ? undefined : resumeChild(parent, agent, request.resume);
  const resumed = earlier?.session;
  const agentId = resumed?.sessionId ?? `${agent.name}-${createSessionId(clock).slice(-8)}`;
  const owner = parent.owner ?? callId;
  const isIsolated = request.isIsolated || earlier?.wasIsolated === true;
  const place = await openChildPlace(parent, { agent, agentId, callId, isIsolated, isResumed: !!resumed, signal });
  try {
    const { workspace, commands } = place;
    const { directories } = workspace;
    const recorder = resumed?.recorder ?? openChildRecorder(parent, agent, { agentId, callId, directories });
    const { secrets } = commands;
    secrets.concealRecord(recorder);
    const spending = openChildSpending(parent.spending, clock, telemetry);
    const model = agent.model === INHERIT ? parent.requestedModel() : agent.model;
    const catalogue = catalogueOf(spending.generator);
    const mainModel = resolveModel(model, { catalogue });
    const fit = new WorkspaceFit(factsOf(mainModel, catalogue));
    await fit.change(factsOf(mainModel, catalogue));
    const judge = new ChildPolicy({ parent: place.judge, rules: place.rules, agent: agent.name });
    const journal = place.journal(recorder);
    // A worktree is another folder: what comes back from it is not checked.
    const written = place.handOver ? undefined : parent.written?.share();
    const store = new FileStore(workspace, new ReadLedger(), journal, (file) => written?.note(file));
    let result: string | undefined;
    const limit = new TurnLimit(agent.maxTurns);
    const completeTask = createCompleteTaskTool(agent.output, (text) => (result = text));
    const tools = await openChildTools({
      parent,
      agent,
      place,
      store,
      fit,
      mainModel: () => mainModel,
      generator: spending.generator,
      completeTask,
      isLast: () => limit.isLast,
      nest: () => parts,
    });
    const inbox = new EventInbox();
    const servers = await openOwnServers(parent, agent, {
      workspace,
      tools,
      commands,
      inbox,
      generator: spending.generator,
      mainModel,
    });
    const context = await parent.loadContext(workspace, fit);
    const { interactive = false } = options;
    const systemInstruction = createInstruction({
      agent,
      variables: {
        task,
        cliVersion: options.mcp?.clientVersion ?? '',
        activeModel: mainModel,
        today: new Date(clock.now()).toDateString(),
      },
      mainPrompt: createSystemPrompt({
        interactive: false,
        isGitRepository: parent.isGitRepository,
        profile: fit.promptProfile,
      }),
      memory: context.loaded.global,
      skills: tools.getTool('activate_skill') ? parent.describeSkills() : '',
      isPlanMode: parent.policy.mode === 'plan',
      root: workspace.root,
      isIsolated: request.isIsolated,
    });
    const opening: readonly Content[] = [context.firstMessage];
    const {
      prompt_id: _parents,
      record: _own,
      limits: { maxSessionTurns: _all, ...limits } = {},
      ...inherited
    } = options;
    const wired = wireAgent(
      {
        ...inherited,
        limits,
        features: { ...options.features, nextSpeakerCheck: false },
        sessionId: agentId,
        model,
        modelConfigs: withGeneration(options.modelConfigs, agent),
        tools,
        guardTools: (lookup) => secrets.guard(lookup, workspace),
        rootSession: options.sessionId,
        commandBounds: () => commands.sandbox?.bounds(),
        policy: judge,
        systemInstruction,
        history: [...opening, ...(resumed?.history ?? [])],
        openingHistory: opening,
        interactive,
        tempDirectory: () => tempDirectory,
        planning: () => ({ approvalMode: parent.policy.mode, hasApprovedPlan: false }),
        subagent: agent.name,
        endAfter(completed) {
          if (result !== undefined) return COMPLETED;
          // A declined call is an answer to the agent; only the user's own cancel ends its work.
          const stop = toStop(completed);
          if (stop?.outcome === 'stopped') return stop;
          return limit.isReachedWith(completed) ? { outcome: 'max_turns' } : undefined;
        },
        record: (event: AgentEvent, input?: PartListUnion) => {
          recorder?.observe(event, input);
          if (event.type === GeminiEventType.Finished) limit.turns += 1;
          if (event.type === GeminiEventType.ChatCompressed) context.forgetNearby();
        },
        ...withoutUndefined({
          hooks: parent.hooks && childHooks(parent.hooks),
          chatRecorder: recorder,
          callRecorder: recorder,
          // A worktree is not the workspace: what comes back from it are edits of the call that runs the child.
          changeWatch: place.handOver ? undefined : parent.undo?.watch(owner),
          prepare: servers && ((within: AbortSignal) => servers.servers.prepare(within)),
          resultContext: written?.withReport(context.resultContext) ?? context.resultContext,
          // Its prompts and turns are not those of the session; its requests and calls are counted where they happen.
          telemetry: telemetry && { ...telemetry, add: () => undefined },
          hints,
        }),
      },
      spending,
      inbox,
    );
    const parts: ParentParts = {
      ...parent,
      workspace,
      commands,
      plansDirectory,
      judge,
      spending,
      tools,
      recorder,
      journal,
      undo: place.handOver ? undefined : parent.undo,
      owner,
      sessionId: agentId,
      requestedModel: wired.requestedModel,
      depth: parent.depth + 1,
    };
    const { session } = wired;
    return {
      agentId,
      session: {
        prompt: (input, within) => session.prompt(input, within),
        asks: (id, address) => session.asks(id, address),
        respond: (...answer) => session.respond(...answer),
        answerFallback: (...answer) => session.answerFallback(...answer),
        steer: (input) => {
          if (session.isBusy) session.steer(input);
        },
      },
      input: resumed ? [place.note, CONTINUE, task].filter((text) => text !== undefined).join('\n\n') : task,
      get turns() {
        return limit.turns;
      },
      get result() {
        return result;
      },
      get spent() {
        return { tokens: spending.ledger.spentTokens, usd: spending.ledger.cost().usd };
      },
      get transcript() {
        return recorder?.isRecording ? recorder.path : undefined;
      },
      letFinish: () => limit.letFinish(),
      ...(place.handOver && { handOver: (execution) => place.handOver!(execution, result !== undefined) }),
      async close(ending, durationMs) {
        const { reason, problem } = ending;
        const ended = { reason, turns: limit.turns, ...withoutUndefined({ result: ending.result, problem }) };
        recorder?.describe({ agentEnded: ended, ...(reason === 'GOAL' && { summary: ending.result?.slice(0, 200) }) });
        recorder?.close();
        session.close();
        await servers?.dispose();
        spending.settle(agent.name, { succeeded: reason === 'GOAL' ? 1 : 0, turns: limit.turns, durationMs });
        await place.close();
      },
    };
  } catch (error) {
    resumed?.recorder.close();
    await place.close();
    throw error;
  }
}

const CONTINUE =
  'The program ended while you were working, or a limit cut you off. Check what is done, and go on from there. This is the task:';

function withGeneration(configs: ResolvedWorkspaceOptions['modelConfigs'], { generation }: LocalAgent) {
  if (!generation) return configs;
  const own = { match: {}, modelConfig: { generateContentConfig: { ...generation } } };
  return { ...configs, customOverrides: [...(configs?.customOverrides ?? []), own] };
}

/** Hooks around a whole prompt belong to the user's own. */
function childHooks({ model, tool, agent }: SessionHooks) {
  return {
    model,
    tool,
    agent: {
      preCompress: async (trigger: CompressTrigger, signal: AbortSignal) => agent.preCompress?.(trigger, signal),
    },
  };
}
