/**
 * ToolLedger: counts calls from events by the name of the tool that ran: how they ended, how
 * long they ran, who approved them, and the lines they changed. A call is counted once, when
 * its response arrives, and then dropped.
 */

import type { AgentEvent, ToolCallUpdatedEvent } from '../protocol/agent-events.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ToolCallRequestInfo, ToolCallResponseInfo, ToolCallStatus } from '../protocol/tool-calls.ts';
import type { DiffStat, ToolConfirmationOutcome, ToolResultDisplay } from '../protocol/tools.ts';
import type { ClosedCall } from '../telemetry/closed-call.ts';
import type { Clock } from '../util/clock.ts';
import type { SessionMetrics, ToolDecisions, ToolMetrics } from './session-metrics.ts';

type Decision = keyof ToolDecisions;

const DECISIONS: Readonly<Record<ToolConfirmationOutcome, Decision>> = {
  proceed_once: 'accept',
  proceed_always: 'auto_accept',
  proceed_always_and_save: 'auto_accept',
  proceed_always_server: 'auto_accept',
  proceed_always_tool: 'auto_accept',
  modify_with_editor: 'modify',
  cancel: 'reject',
};

interface OpenCall {
  name?: string;
  args?: Record<string, unknown>;
  prompt_id?: string;
  status?: ToolCallStatus;
  startedAt?: number;
  /** How often the user was asked; more than once means that the proposal was edited in between. */
  asked: number;
  decision?: Decision;
}

export class ToolLedger {
  private readonly clock: Clock;
  private readonly open = new Map<string, OpenCall>();
  private readonly byName = new Map<string, ToolMetrics>();
  private readonly failed = new Map<string, number>();
  private linesAdded = 0;
  private linesRemoved = 0;
  private readonly onCall: ((call: ClosedCall) => void) | undefined;

  constructor(clock: Clock, onCall?: (call: ClosedCall) => void) {
    this.clock = clock;
    this.onCall = onCall;
  }

  add(event: AgentEvent): void {
    switch (event.type) {
      case GeminiEventType.ToolCallRequest:
        this.introduce(event.value);
        break;
      case GeminiEventType.ToolCallConfirmation:
        this.introduce(event.value.request).asked += 1;
        break;
      case 'tool_call_updated':
        this.update(event);
        break;
      case GeminiEventType.ToolCallResponse:
        this.close(event.value);
        break;
      case 'prompt_ended':
        this.forget(event.prompt_id);
        break;
      default:
        // Other events are not about calls.
        break;
    }
  }

  /** Adds the calls of another ledger. */
  absorb({ tools, files }: Pick<SessionMetrics, 'tools' | 'files'>, failed: ReadonlyMap<string, number>): void {
    for (const [name, count] of failed) this.noteFailures(name, count);
    for (const [name, calls] of Object.entries(tools.byName))
      this.byName.set(name, addTools(this.byName.get(name) ?? noCalls(), calls));
    this.linesAdded += files.totalLinesAdded;
    this.linesRemoved += files.totalLinesRemoved;
  }

  /** Commands that ended with an exit code other than 0, by the name of the tool: calls that succeeded for scripts. */
  get failedCommands(): ReadonlyMap<string, number> {
    return this.failed;
  }

  metrics(): Pick<SessionMetrics, 'tools' | 'files'> {
    const tools = [...this.byName].map(
      ([name, tool]) => [name, { ...tool, decisions: { ...tool.decisions } }] as const,
    );
    const total = tools.map(([, tool]) => tool).reduce(addTools, noCalls());
    return {
      tools: {
        totalCalls: total.count,
        totalSuccess: total.success,
        totalFail: total.fail,
        totalDurationMs: total.durationMs,
        totalDecisions: total.decisions,
        byName: Object.fromEntries(tools),
      },
      files: { totalLinesAdded: this.linesAdded, totalLinesRemoved: this.linesRemoved },
    };
  }

  private introduce({ callId, name, args, prompt_id }: ToolCallRequestInfo): OpenCall {
    return Object.assign(this.callOf(callId), { name, args, prompt_id });
  }

  private callOf(callId: string): OpenCall {
    const known = this.open.get(callId);
    if (known) return known;
    const call: OpenCall = { asked: 0 };
    this.open.set(callId, call);
    return call;
  }

  /** A hook may change the call after the request; the ledger counts the call that runs. */
  private update({ callId, status, name, args, outcome }: ToolCallUpdatedEvent): void {
    const call = Object.assign(this.callOf(callId), { status, ...(name !== undefined && { name, args }) });
    // A later answer to the same call does not undo an edit.
    if (outcome && call.decision !== 'modify') call.decision = DECISIONS[outcome];
    if (status === 'executing') call.startedAt ??= this.clock.now();
  }

  private close(response: ToolCallResponseInfo): void {
    const call = this.callOf(response.callId);
    this.open.delete(response.callId);
    const succeeded = isTerminal(call.status) ? call.status === 'success' : response.error === undefined;
    const decision = decisionOn(call);
    const closed: ToolMetrics = {
      count: 1,
      success: succeeded ? 1 : 0,
      fail: succeeded ? 0 : 1,
      durationMs: call.startedAt === undefined ? 0 : this.clock.now() - call.startedAt,
      decisions: { ...noDecisions(), ...(decision && { [decision]: 1 }) },
    };
    const name = call.name ?? nameIn(response);
    this.byName.set(name, addTools(this.byName.get(name) ?? noCalls(), closed));
    // The tool worked, the command it ran did not.
    if (succeeded && response.data?.['isError'] === true) this.noteFailures(name, 1);
    const changed = succeeded ? diffStatOf(response.resultDisplay) : undefined;
    this.linesAdded += changed?.model_added_lines ?? 0;
    this.linesRemoved += changed?.model_removed_lines ?? 0;
    this.onCall?.({ ...argumentsOf(call), name, succeeded, durationMs: closed.durationMs, decision, response });
  }

  private noteFailures(name: string, count: number): void {
    this.failed.set(name, (this.failed.get(name) ?? 0) + count);
  }

  /** Drops calls that a prompt left unanswered, which only a bug causes. */
  private forget(prompt_id: string): void {
    for (const [callId, call] of this.open) if (call.prompt_id === prompt_id) this.open.delete(callId);
  }
}

function argumentsOf({ args = {}, prompt_id = '' }: OpenCall): Pick<ClosedCall, 'args' | 'prompt_id'> {
  return { args, prompt_id };
}

/** Undefined for a call that neither needed approval nor ran. */
function decisionOn({ decision, asked, startedAt, status }: OpenCall): Decision | undefined {
  if (decision) return decision;
  const ran = startedAt !== undefined || status === 'success';
  if (asked > 1 && ran) return 'modify';
  if (asked > 0) return ran ? 'accept' : 'reject';
  return ran ? 'auto_accept' : undefined;
}

function isTerminal(status: ToolCallStatus | undefined): boolean {
  return status === 'success' || status === 'error' || status === 'cancelled';
}

function nameIn({ responseParts }: ToolCallResponseInfo): string {
  return responseParts.find((part) => part.functionResponse)?.functionResponse?.name ?? 'unknown';
}

function diffStatOf(display: ToolResultDisplay | undefined): DiffStat | undefined {
  return typeof display === 'object' && 'fileDiff' in display ? display.diffStat : undefined;
}

function noDecisions(): ToolDecisions {
  return { accept: 0, reject: 0, modify: 0, auto_accept: 0 };
}

function noCalls(): ToolMetrics {
  return { count: 0, success: 0, fail: 0, durationMs: 0, decisions: noDecisions() };
}

function addTools(a: ToolMetrics, b: ToolMetrics): ToolMetrics {
  return {
    count: a.count + b.count,
    success: a.success + b.success,
    fail: a.fail + b.fail,
    durationMs: a.durationMs + b.durationMs,
    decisions: {
      accept: a.decisions.accept + b.decisions.accept,
      reject: a.decisions.reject + b.decisions.reject,
      modify: a.decisions.modify + b.decisions.modify,
      auto_accept: a.decisions.auto_accept + b.decisions.auto_accept,
    },
  };
}
