/**
 * CallPreparation: takes a requested call to one that may run. In this order: the tool exists and accepts the
 * arguments, the BeforeTool hook, the policy, the user. A rejected call is answered with the reason.
 */

import type { AgentEvent } from '../protocol/agent-events.ts';
import { getErrorMessage, ToolError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ServerToolCallConfirmationDetails } from '../protocol/events.ts';
import type { CompletedToolCall, ShownCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ToolCallConfirmationDetails } from '../protocol/tools.ts';
import { untilAborted } from '../util/abort.ts';
import { withoutUndefined } from '../util/without-undefined.ts';
import type { Approvals } from './approvals.ts';
import { buildCall, throughBeforeTool } from './before-tool.ts';
import { createAbortedResult, createCancelledResult, createErrorResult } from './call-results.ts';
import type {
  Answer,
  CallDecision,
  ChangeWatch,
  DecidingRule,
  DecisionRecorder,
  EditProposal,
  PolicyPort,
  PolicyQuestion,
  ToolHooks,
  ToolLookup,
} from './ports.ts';
import type { ReadyCall } from './ready-call.ts';

export interface CallPreparationOptions {
  tools: ToolLookup;
  policy: PolicyPort;
  approvals: Approvals;
  hooks?: ToolHooks;
  editProposal?: EditProposal;
  subagent?: string;
  changes?: Pick<ChangeWatch, 'foretell'>;
  recordDecision?: DecisionRecorder;
}

/** A call that ended before it ran; `declined` when the user denied it. */
export interface RefusedCall {
  kind: 'refused';
  completed: CompletedToolCall;
  declined: boolean;
}

export type Emit = (event: AgentEvent) => void;

export class CallPreparation {
  private readonly options: CallPreparationOptions;
  private readonly built = new WeakMap<ToolCallRequestInfo, ReadyCall>();

  constructor(options: CallPreparationOptions) {
    this.options = options;
  }

  /** The form a surface shows before any decision. A call that cannot be built is shown by its name. */
  introduce(request: ToolCallRequestInfo): ShownCall {
    try {
      const call = buildCall(request, this.options.tools);
      this.built.set(request, call);
      return showCall(call);
    } catch {
      // `prepare` meets the same error and answers the call with it.
      const tool = this.options.tools.getTool(request.name);
      const display = { name: tool?.displayName ?? request.name, description: '' };
      return { display, kind: tool?.kind ?? 'other', locations: [] };
    }
  }

  /** Never throws. An abort while it waits cancels the call. */
  async prepare(request: ToolCallRequestInfo, signal: AbortSignal, emit: Emit): Promise<ReadyCall | RefusedCall> {
    try {
      const { tools, hooks } = this.options;
      if (!tools.getTool(request.name)) await this.recordUnoffered(request);
      const onRefused = (call: ReadyCall) => this.record(call, { decision: 'deny', approver: 'hook' });
      const { call, mustAsk } = await throughBeforeTool(this.builtCall(request), { tools, hooks, onRefused }, signal);
      return await this.askPolicy(call, mustAsk, signal, emit);
    } catch (error) {
      const completed = signal.aborted
        ? createAbortedResult(request, signal, 'not_started')
        : createErrorResult(request, error);
      return { kind: 'refused', completed, declined: false };
    }
  }

  private async recordUnoffered(call: ToolCallRequestInfo): Promise<void> {
    const decidedBy = { source: 'the tool is not offered' };
    await this.options.recordDecision?.({ call, tool: call.name, decision: 'deny', approver: 'rule', decidedBy });
  }

  /** The call as built for showing, unless the tool has changed since: modes and policies change between waves. */
  private builtCall(request: ToolCallRequestInfo): ReadyCall {
    const built = this.built.get(request);
    return built && built.tool === this.options.tools.getTool(request.name)
      ? built
      : buildCall(request, this.options.tools);
  }

  private async askPolicy(
    call: ReadyCall,
    mustAsk: boolean,
    signal: AbortSignal,
    emit: Emit,
  ): Promise<ReadyCall | RefusedCall> {
    const { policy } = this.options;
    const verdict = await untilAborted(policy.check(this.questionOf(call)), signal);
    const { decision, denyMessage, unanswerable = false, reason, decidedBy } = verdict;
    const isOwnWish = call.request.isClientInitiated;
    if (decision === 'deny' && !(isOwnWish && unanswerable)) {
      await this.record(call, { decision, approver: 'rule', decidedBy });
      const message = ['Tool execution denied by policy.', denyMessage].filter(Boolean).join(' ');
      throw new ToolError(message, 'policy_violation');
    }
    const asks = mustAsk || call.request.forcedAsk === true || decision === 'ask_user';
    // A call the user started needs no second approval.
    if (!asks || (isOwnWish && !mustAsk)) {
      await this.record(call, { decision: 'allow', approver: approverOf(isOwnWish && asks, decidedBy), decidedBy });
      return call;
    }
    if (policy.canAsk === false) {
      await this.record(call, { decision: 'deny', approver: mustAsk ? 'hook' : 'rule', decidedBy });
      throw new Error(`${call.tool.displayName} needs an approval, and a headless run cannot ask.`);
    }
    return this.askPerson(call, { reason, decidedBy }, signal, emit);
  }

  /** Before the decision takes effect. */
  private async record(call: ReadyCall, decision: Omit<CallDecision, 'call' | 'tool'>): Promise<void> {
    await this.options.recordDecision?.({ call: call.request, tool: call.tool.name, ...decision });
  }

  private async askPerson(
    asked: ReadyCall,
    { reason, decidedBy }: { reason: string | undefined; decidedBy: DecidingRule | undefined },
    signal: AbortSignal,
    emit: Emit,
  ): Promise<ReadyCall | RefusedCall> {
    let problem: string | undefined;
    for (let call = asked; ;) {
      const { subagent: agent } = this.options;
      const described = await untilAborted(this.describe(call, reason, signal), signal);
      // The user must see who asks, on every surface.
      const details = agent ? { ...described, title: `Agent ${agent}: ${described.title}` } : described;
      const { request } = call;
      const question = { request, details, ...(agent && { agent }), ...(problem !== undefined && { problem }) };
      const answer = await this.ask(question, signal, emit);
      if (answer.outcome === 'cancel') {
        await this.record(call, { decision: 'deny', approver: 'user', decidedBy, answer: answer.outcome });
        return decline(call, answer);
      }
      if (answer.outcome === 'modify_with_editor') {
        ({ call, problem } = await this.editByHand(call, details, answer, signal));
        continue;
      }
      const { outcome, payload } = answer;
      if (outcome !== 'proceed_once') {
        await untilAborted(this.options.policy.remember({ ...this.questionOf(call), outcome, details }), signal);
      }
      const accepted = this.modify(call, payload?.newContent);
      await this.record(accepted, { decision: 'allow', approver: 'user', decidedBy, answer: outcome });
      return { ...accepted, confirmation: payload };
    }
  }

  /** The question for the user; for a command also the scope of an "always". */
  private async describe(
    call: ReadyCall,
    reason: string | undefined,
    signal: AbortSignal,
  ): Promise<ToolCallConfirmationDetails> {
    const details = (await call.invocation.confirm(signal)) || toQuestion(call);
    // The policy's own reason to ask about a server's tool: it is not as the user allowed it.
    if (details.type === 'mcp') return { ...details, ...(reason !== undefined && { changed: reason }) };
    if (details.type !== 'exec') return details;
    const alwaysCovers = await this.options.policy.describeAlways?.(this.questionOf(call));
    const notKept = await this.options.changes?.foretell?.(details.command, call.request.args);
    return { ...details, ...withoutUndefined({ alwaysCovers, reason, notKept }) };
  }

  private async ask(value: ServerToolCallConfirmationDetails, signal: AbortSignal, emit: Emit): Promise<Answer> {
    const { callId } = value.request;
    // The answer may arrive as soon as the question is emitted.
    const answered = this.options.approvals.wait(callId, signal);
    emit({ type: 'tool_call_updated', callId, status: 'awaiting_approval' });
    emit({ type: GeminiEventType.ToolCallConfirmation, value });
    this.options.hooks?.personAsked?.(value.details);
    const answer = await answered;
    emit({ type: 'tool_call_updated', callId, status: 'awaiting_approval', outcome: answer.outcome });
    return answer;
  }

  /** Applies the user's own version of the proposal, which is then shown once more. */
  private async editByHand(
    call: ReadyCall,
    details: ToolCallConfirmationDetails,
    { payload }: Answer,
    signal: AbortSignal,
  ): Promise<{ call: ReadyCall; problem: string | undefined }> {
    const { editProposal } = this.options;
    if (payload?.newContent !== undefined && call.invocation.modifyArgs)
      return { call: this.modify(call, payload.newContent), problem: undefined };
    if (details.type !== 'edit') return { call, problem: 'This call has no editable content.' };
    if (!editProposal)
      return { call, problem: 'No editor can be opened here. Send the edited content with the answer.' };
    try {
      return { call: this.modify(call, await editProposal(details, signal)), problem: undefined };
    } catch (error) {
      if (signal.aborted) throw error;
      return { call, problem: getErrorMessage(error) };
    }
  }

  /** The tool's current name, also when the model used an old one. */
  private questionOf({ request, tool }: ReadyCall): PolicyQuestion {
    const { subagent } = this.options;
    return { toolName: tool.name, args: request.args, kind: tool.kind, server: tool.server, subagent };
  }

  private modify(call: ReadyCall, newContent: string | undefined): ReadyCall {
    if (newContent === undefined || !call.invocation.modifyArgs) return call;
    return buildCall({ ...call.request, args: call.invocation.modifyArgs(newContent) }, this.options.tools);
  }
}

function approverOf(isOwnWish: boolean, decidedBy: DecidingRule | undefined): CallDecision['approver'] {
  if (isOwnWish) return 'user';
  return decidedBy?.isSandbox ? 'sandbox' : 'rule';
}

/** The form a surface shows. A tool that cannot describe itself is shown by its name. */
export function showCall({ tool, invocation }: ReadyCall): ShownCall {
  const describe = <T>(run: () => T, otherwise: T): T => {
    try {
      return run();
    } catch {
      return otherwise;
    }
  };
  const description = describe(() => invocation.describe(), '');
  const locations = describe(() => invocation.locations(), []);
  return { display: { name: tool.displayName, description }, kind: tool.kind, locations };
}

/** For a tool without a question of its own. */
function toQuestion({ tool, invocation }: ReadyCall): ToolCallConfirmationDetails {
  return { type: 'info', title: `Confirm ${tool.displayName}`, prompt: invocation.describe() };
}

function decline({ request }: ReadyCall, { payload }: Answer): RefusedCall {
  const { feedback, problem } = payload ?? {};
  const denied = `User denied execution.${feedback ? ` The user said: ${feedback}` : ''}`;
  const completed = createCancelledResult(request, problem ? `The call was not allowed. ${problem}` : denied);
  return { kind: 'refused', completed, declined: true };
}
