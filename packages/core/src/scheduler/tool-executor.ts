/**
 * ToolExecutor: runs one approved call and returns the completed call. Around the tool's own work: the record before
 * an effect starts, live output, the AfterTool hook, and the limit on what the model reads. It asks neither the
 * policy nor the user: `CoreToolScheduler` does that first. Used alone (`execute`), it also runs the BeforeTool hook.
 */

import type { PartListUnion } from '../protocol/content.ts';
import { ToolError, isAbortError } from '../protocol/errors.ts';
import type { CompletedToolCall, ExecutingToolCall, ToolCall, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ToolContext, ToolKind, ToolResult } from '../protocol/tools.ts';
import { boundOutput, toFunctionResponse } from '../tools/tool-output.ts';
import type { BoundedOutput, OutputBounds } from '../tools/tool-output.ts';
import { tryUntilAborted, untilAborted } from '../util/abort.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { actingFor } from '../util/outgoing.ts';
import { partListUnionToString, toParts } from '../util/part-list.ts';
import { buildCall, throughBeforeTool, toHookInput } from './before-tool.ts';
import { showCall } from './call-preparation.ts';
import type { Emit } from './call-preparation.ts';
import type { ReadyCall } from './ready-call.ts';
import {
  answerTo,
  createAbortedResult,
  createErrorResult,
  createFailedResult,
  createSuccessResult,
} from './call-results.ts';
import { Children } from './children.ts';
import type {
  AfterToolDecision,
  CallRecorder,
  ChangeWatch,
  ResultAddition,
  ResultContext,
  ToolHooks,
  ToolLookup,
} from './ports.ts';

export interface ToolExecutorOptions {
  /** The tools in which `execute` finds a call's tool by name. */
  tools: ToolLookup;
  /** Whether the model that will read the result accepts media inside a response. Default false. */
  mediaInResponses?: (() => boolean) | undefined;
  /** The limit on a result for the model; none by default. */
  outputBounds?: () => OutputBounds;
  hooks?: ToolHooks;
  recorder?: CallRecorder;
  changes?: ChangeWatch;
  resultContext?: ResultContext;
  clock?: Clock;
  /** The session of the user, which the connections of its tools are recorded for. */
  session?: string | undefined;
}

/** The documented argument of `execute`. */
export interface ToolExecutionContext {
  /** The request, or the call that contains it. */
  call: ToolCallRequestInfo | ToolCall;
  signal: AbortSignal;
  /** Called with each piece of live output. */
  outputUpdateHandler?: (callId: string, outputChunk: string) => void;
  /** Called when the tool starts, and again when its process has a pid. */
  onUpdateToolCall?: (call: ExecutingToolCall) => void;
}

/** Another call replaces this one and provides its answer. */
export interface TailCall {
  kind: 'tail';
  request: ToolCallRequestInfo;
}

const EFFECTLESS: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search', 'fetch', 'think', 'communicate']);
/** The output of a cancelled call that is kept, in characters from the end. */
const KEPT_OUTPUT = 32_000;
const TAKEN_OVER = 'A hook handed this call on to another tool, which only CoreToolScheduler can run.';
const NEEDS_APPROVAL = 'A hook requires an approval for this call, which only CoreToolScheduler can ask for.';
const MODIFIED_BY_HOOK = '[System] Tool input parameters were modified by a hook';

export class ToolExecutor {
  readonly children = new Children();
  private readonly options: ToolExecutorOptions;
  private readonly clock: Clock;

  constructor(options: ToolExecutorOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
  }

  /**
   * Finds the tool of one call and runs it between the hooks. Never rejects: a missing tool, invalid arguments and a
   * hook's refusal complete as errors.
   */
  async execute(context: ToolExecutionContext): Promise<CompletedToolCall> {
    const { signal, outputUpdateHandler, onUpdateToolCall } = context;
    const asked = 'request' in context.call ? context.call.request : context.call;
    let call: ReadyCall;
    try {
      const admitted = await throughBeforeTool(buildCall(asked, this.options.tools), this.options, signal);
      if (admitted.mustAsk) throw new ToolError(NEEDS_APPROVAL, 'policy_violation');
      ({ call } = admitted);
    } catch (error) {
      return signal.aborted ? createAbortedResult(asked, signal, 'not_started') : createErrorResult(asked, error);
    }
    const { request, tool, invocation } = call;
    const executing: ExecutingToolCall = {
      status: 'executing',
      request,
      tool,
      invocation,
      startTime: this.clock.now(),
    };
    onUpdateToolCall?.(executing);
    const ended = await this.run(call, signal, (event) => {
      if (event.type !== 'tool_call_updated') return;
      if (event.output !== undefined) outputUpdateHandler?.(event.callId, event.output);
      if (event.pid !== undefined) onUpdateToolCall?.({ ...executing, pid: event.pid });
    });
    return 'kind' in ended ? createErrorResult(request, new Error(TAKEN_OVER)) : ended;
  }

  /** Runs a prepared call. Never throws. */
  async run(call: ReadyCall, signal: AbortSignal, emit: Emit): Promise<CompletedToolCall | TailCall> {
    const { clock } = this;
    const { recorder, changes } = this.options;
    const { request, tool } = call;
    const { callId, args } = request;
    const hasEffects = !EFFECTLESS.has(tool.kind);
    const recorded = recorder?.started(request, { hasEffects, display: showCall(call).display });
    let startedAt = clock.now();
    const printed = new Tail(KEPT_OUTPUT);
    let ended: CompletedToolCall | TailCall;
    try {
      if (hasEffects && recorded) await untilAborted(recorded, signal);
      if (hasEffects && changes)
        await untilAborted(changes.before({ callId, kind: tool.kind, name: tool.name, args }), signal);
      startedAt = clock.now();
      const context = this.contextOf(call, printed, signal, emit);
      // What the tool connects to is recorded as this call's.
      const result = await actingFor({ session: this.options.session, call: callId }, () =>
        call.invocation.execute(context),
      );
      ended = await this.finish(call, result, printed, signal);
    } catch (error) {
      const isCancelled = signal.aborted || isAbortError(error);
      ended = isCancelled
        ? createAbortedResult(request, signal, hasEffects ? 'unknown' : 'unchanged', printed.text)
        : createErrorResult(request, error);
    } finally {
      changes?.after(callId);
    }
    if ('kind' in ended) return ended;
    const completed = { ...ended, durationMs: clock.now() - startedAt };
    recorder?.ended(completed);
    return completed;
  }

  private async finish(
    call: ReadyCall,
    result: ToolResult,
    printed: Tail,
    signal: AbortSignal,
  ): Promise<CompletedToolCall | TailCall> {
    const { request } = call;
    const decision = signal.aborted ? undefined : await this.askHook(call, result, signal);
    if (!decision) {
      // The effects have happened: the model must read about them.
      const output = printed.text || partListUnionToString(result.llmContent);
      const state = EFFECTLESS.has(call.tool.kind) ? 'unchanged' : 'unknown';
      return createAbortedResult(request, signal, state, output);
    }
    if (decision.kind === 'stop') {
      return createErrorResult(
        request,
        new ToolError(`Agent execution stopped by hook: ${decision.reason}`, 'stop_execution'),
      );
    }
    if (decision.kind === 'deny') {
      return createErrorResult(request, new ToolError(`Tool result blocked: ${decision.reason}`, 'policy_violation'));
    }
    const tail = decision.tailCall ?? result.tailToolCallRequest;
    if (tail) return { kind: 'tail', request: toTailRequest(request, tail) };
    if (result.error) return createFailedResult(request, result, result.error);
    return this.succeed(call, result, decision.additionalContext, signal);
  }

  private async succeed(
    call: ReadyCall,
    written: ToolResult,
    context: string | undefined,
    signal: AbortSignal,
  ): Promise<CompletedToolCall> {
    const { request, tool } = call;
    const { text: nearby, result } = await this.nearbyContext(call, written, signal);
    if (result.error) return createFailedResult(request, result, result.error);
    const notes = [request.inputModifiedByHook && MODIFIED_BY_HOOK, context, nearby].filter(
      (note) => typeof note === 'string',
    );
    const content = withNotes(result.llmContent, notes);
    const bounds = this.options.outputBounds?.();
    const of = { toolName: tool.name, callId: request.callId, isMcp: tool.server !== undefined };
    const bounded: BoundedOutput = bounds ? await boundOutput(content, of, bounds) : { content };
    const converted = toFunctionResponse(
      { ...answerTo(request), mediaInResponses: this.options.mediaInResponses?.() ?? false },
      bounded.content,
    );
    return createSuccessResult(request, {
      responseParts: [...converted.responseParts, ...converted.injectedParts],
      resultDisplay: result.returnDisplay,
      outputFile: bounded.outputFile,
      truncation: bounded.truncation,
      data: result.data,
    });
  }

  private async nearbyContext(
    { invocation }: ReadyCall,
    result: ToolResult,
    signal: AbortSignal,
  ): Promise<ResultAddition> {
    const { resultContext } = this.options;
    if (!resultContext) return { result };
    try {
      const paths = invocation.locations().map(({ path }) => path);
      const added = await untilAborted(resultContext(paths, result, signal), signal);
      return typeof added === 'object' ? added : { text: added, result };
    } catch {
      // A failure to add context must not lose the result.
      return { result };
    }
  }

  /** Undefined: the user cancelled. A failing hook does not change the result. */
  private async askHook(
    call: ReadyCall,
    result: ToolResult,
    signal: AbortSignal,
  ): Promise<AfterToolDecision | undefined> {
    const { hooks } = this.options;
    if (!hooks?.afterTool) return { kind: 'proceed' };
    const input = { ...toHookInput(call), result };
    const decision = await tryUntilAborted(async () => hooks.afterTool?.(input, signal), signal).catch(() => undefined);
    return signal.aborted ? undefined : (decision ?? { kind: 'proceed' });
  }

  private contextOf(call: ReadyCall, printed: Tail, signal: AbortSignal, emit: Emit): ToolContext {
    const { callId } = call.request;
    return {
      callId,
      signal,
      onOutput(output) {
        printed.add(output);
        emit({ type: 'tool_call_updated', callId, status: 'executing', output });
      },
      onPid(pid) {
        emit({ type: 'tool_call_updated', callId, status: 'executing', pid });
      },
      onEvent(event) {
        // An event of a grandchild keeps the address of the call that started it.
        emit({ parentCallId: callId, ...event });
      },
      adopt: (child) => this.children.add(callId, child),
      ...(call.confirmation && { confirmation: call.confirmation }),
    };
  }
}

function toTailRequest(
  request: ToolCallRequestInfo,
  { name, args }: { name: string; args: Record<string, unknown> },
): ToolCallRequestInfo {
  const { inputModifiedByHook: _modified, forcedAsk: _asked, ...rest } = request;
  return {
    ...rest,
    name,
    args,
    originalRequestName: request.originalRequestName ?? request.name,
    originalRequestArgs: request.originalRequestArgs ?? request.args,
  };
}

function withNotes(content: PartListUnion, notes: readonly string[]): PartListUnion {
  if (notes.length === 0) return content;
  const note = notes.join('\n\n');
  if (typeof content === 'string') return `${content}\n\n${note}`;
  return [...toParts(content), { text: note }];
}

/** Keeps the last characters of the added text, up to a limit. */
class Tail {
  text = '';
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  add(piece: string): void {
    this.text = (this.text + piece).slice(-this.limit);
  }
}
