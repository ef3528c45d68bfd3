/**
 * GeminiClient: the turns of one request, flat. Before each turn the checks of
 * before-turn.ts; after it the decision whether the model goes on. It runs no tools:
 * a turn that asks for calls is returned to the caller, who answers them with another
 * request of the same prompt.
 */

import { createUserContent, partListUnionToString, toParts } from '../chat/parts.ts';
import type { Content, Part, PartListUnion } from '../protocol/content.ts';
import { isAbortError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { ChatCompressionInfo } from '../protocol/events.ts';
import { CompressionStatus } from '../protocol/events.ts';
import { askHook } from '../util/abort.ts';
import { oneByOne, splitBursts } from '../util/bursts.ts';
import { OptimizedTurn } from '../turn/optimized-turn.ts';
import type { Turn } from '../turn/turn.ts';
import type { TurnEvent, TurnOptions } from '../turn/turn.ts';
import type { AfterAgentDecision, AgentHooks, BeforeAgentDecision } from './agent-hooks.ts';
import { BEFORE_TURN } from './before-turn.ts';
import type { TurnSurroundings, TurnToBe } from './before-turn.ts';
import {
  CONTINUE_AFTER_INVALID_STREAM,
  CONTINUE_AS_NEXT_SPEAKER,
  STOP,
  again,
  toLoopRecovery,
  toUnrunResponses,
  withoutResult,
} from './continuation.ts';
import type { Continuation } from './continuation.ts';
import type { NextSpeaker } from './next-speaker.ts';

/** Turns one request may take without a new word from its caller. */
export const MAX_TURNS = 100;

export interface GeminiClientOptions extends TurnSurroundings {
  /** The model limits are judged by until one is chosen. */
  model: string;
  hooks?: AgentHooks;
  /** What the history begins with when a hook clears it. */
  openingHistory?: readonly Content[];
  /** Asked after a turn without calls; absent: the user speaks next. */
  checkNextSpeaker?: (signal: AbortSignal, prompt_id: string) => Promise<NextSpeaker | undefined>;
  /** Go on once with "Please continue." when no attempt gave a usable answer. */
  continueOnFailedApiCall?: boolean;
  turnOptions?: TurnOptions;
}

/** What is known of the prompt under way; dropped when another begins. */
interface PromptState {
  prompt_id: string;
  text: string;
  /** BeforeAgent has spoken on what is being answered. */
  isAdmitted: boolean;
  responseText: string[];
  stopHookActive: boolean;
  hasContinuedInvalid: boolean;
}

/** How a turn came out, as far as going on depends on it. */
type TurnEnd = 'finished' | 'failed' | 'invalid' | 'stopped' | 'cancelled';

interface EndedTurn {
  turn: Turn;
  end: TurnEnd;
  prompt: PromptState;
  signal: AbortSignal;
}

/** A request, and the end of the history before it: still the end when the request never got there. */
interface UntoldRequest {
  request: Part[];
  after: Content | undefined;
}

export class GeminiClient {
  private readonly options: GeminiClientOptions;
  private prompt: PromptState | undefined;
  private sessionTurns = 0;
  private activeModel: string;

  constructor(options: GeminiClientOptions) {
    this.options = options;
    this.activeModel = options.model;
  }

  /**
   * Yields the events of the request's turns and returns the last turn. Throws
   * `UnauthorizedError`; an abort ends with `user_cancelled`. Breaking out leaves
   * nothing running.
   */
  sendMessageStream(
    request: PartListUnion,
    signal: AbortSignal,
    prompt_id: string,
    turns: number = MAX_TURNS,
  ): AsyncGenerator<TurnEvent, Turn> {
    return splitBursts(this.sendInBursts(request, signal, prompt_id, turns), signal);
  }

  /** `sendMessageStream` with the events of what arrived together in one piece. */
  async *sendInBursts(
    request: PartListUnion,
    signal: AbortSignal,
    prompt_id: string,
    turns: number = MAX_TURNS,
  ): AsyncGenerator<readonly TurnEvent[], Turn> {
    let turn = this.createTurn(prompt_id);
    let untold: UntoldRequest | undefined;
    try {
      const prompt = this.beginPrompt(toParts(request), prompt_id);
      let next: Part[] | undefined = toParts(request);
      for (let turnsLeft = Math.min(turns, MAX_TURNS); next; turnsLeft--) {
        untold = { request: next, after: this.options.chat.getLastContent() };
        const admitted: Part[] | undefined = yield* oneByOne(this.admit(next, prompt, signal));
        if (!admitted) break;
        const toBe = this.announceTurn(admitted, prompt_id, { turnsLeft, signal });
        let then: Continuation | undefined = yield* oneByOne(this.check(toBe));
        if (then) {
          if (then.kind === 'again') then = withResponses(then, next);
          else if (then.isTooLarge) untold.request = next.map(withoutResult);
        } else {
          turn = this.createTurn(prompt_id);
          const ended = yield* this.runTurn(turn, toBe, admitted);
          const follow: AsyncGenerator<TurnEvent, Continuation> = ended.loop
            ? this.takeBack(ended.loop)
            : this.giveOut(ended.held, { turn, end: ended.end, prompt, signal });
          then = yield* oneByOne(follow);
        }
        if (then.event) yield [then.event];
        next = then.kind === 'again' && !signal.aborted ? then.request : undefined;
      }
    } catch (error) {
      if (!signal.aborted && !isAbortError(error)) throw error;
      yield [{ type: GeminiEventType.UserCancelled }];
    } finally {
      this.rememberUntold(untold);
    }
    return turn;
  }

  /** Compresses at the user's word, whatever the size. */
  async tryCompressChat(prompt_id: string, signal: AbortSignal): Promise<ChatCompressionInfo> {
    const { chat, compressor, ideContext } = this.options;
    if (!compressor) return { originalTokenCount: 0, newTokenCount: 0, compressionStatus: CompressionStatus.NOOP };
    const request = { chat, activeModel: this.activeModel, prompt_id, signal, force: true };
    const info = await compressor.tryCompressChat(request);
    if (info.compressionStatus === CompressionStatus.COMPRESSED) ideContext?.reset();
    return info;
  }

  private beginPrompt(request: Part[], prompt_id: string): PromptState {
    if (this.prompt?.prompt_id === prompt_id) return this.prompt;
    const text = partListUnionToString(request);
    this.options.loopDetection.reset(prompt_id, text);
    this.prompt = {
      prompt_id,
      text,
      isAdmitted: false,
      responseText: [],
      stopHookActive: false,
      hasContinuedInvalid: false,
    };
    return this.prompt;
  }

  /** BeforeAgent, once for what is being answered. Undefined: the prompt ends here. */
  private async *admit(
    request: Part[],
    prompt: PromptState,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, Part[] | undefined> {
    if (prompt.isAdmitted) return request;
    prompt.isAdmitted = true;
    const decision = await this.beforeAgent(prompt.text, signal);
    if (decision.kind === 'proceed') {
      const { additionalContext } = decision;
      return additionalContext ? [...request, { text: toHookContext(additionalContext) }] : request;
    }
    const { kind, ...value } = decision;
    if (kind === 'stop') this.options.chat.addHistory(createUserContent(request));
    const type = kind === 'stop' ? GeminiEventType.AgentExecutionStopped : GeminiEventType.AgentExecutionBlocked;
    yield { type, value };
    return undefined;
  }

  private announceTurn(request: Part[], prompt_id: string, rest: Pick<TurnToBe, 'turnsLeft' | 'signal'>): TurnToBe {
    this.sessionTurns++;
    return { ...rest, request, prompt_id, sessionTurns: this.sessionTurns, model: this.activeModel };
  }

  /** The checks before the turn, in their order; how it ends if one of them ends it. */
  private async *check(turn: TurnToBe): AsyncGenerator<TurnEvent, Continuation | undefined> {
    for (const check of BEFORE_TURN) {
      const { event, ends } = (await check(turn, this.options)) ?? {};
      if (event) yield event;
      if (ends) return ends;
      if (turn.signal.aborted) return { kind: 'stop', event: { type: GeminiEventType.UserCancelled } };
    }
    this.activeModel = turn.model;
    return undefined;
  }

  /** What tools did is read with the next prompt when a limit, a cancel or a leave kept it from being told. */
  private rememberUntold(untold: UntoldRequest | undefined): void {
    const { chat } = this.options;
    if (!untold || !hasResponses(untold.request) || chat.getLastContent() !== untold.after) return;
    chat.addHistory({ role: 'user', parts: untold.request });
  }

  /** Shows what the turn says, until it is over or goes in circles. Its calls are held back. */
  private async *runTurn(
    turn: Turn,
    { model, signal, turnsLeft }: TurnToBe,
    request: Part[],
  ): AsyncGenerator<readonly TurnEvent[], { loop: Continuation | undefined; end: TurnEnd; held: TurnEvent[] }> {
    let end: TurnEnd = 'finished';
    const held: TurnEvent[] = [];
    for await (const burst of turn.runInBursts({ model }, request, signal)) {
      const shown: TurnEvent[] = [];
      let loop: Continuation | undefined;
      for (const event of burst) {
        loop = this.checkLoop(event, turnsLeft);
        if (loop) break;
        end = toTurnEnd(event) ?? end;
        // Calls are given out all together, when none of them closes a circle.
        if (held.length > 0 || event.type === GeminiEventType.ToolCallRequest) held.push(event);
        else shown.push(event);
      }
      if (shown.length > 0) yield shown;
      // Who cancelled meanwhile hears of that, not of a circle.
      if (loop && !signal.aborted) return { loop, end, held };
    }
    return { loop: undefined, end, held };
  }

  /** What follows when this event shows that the model goes in circles. */
  private checkLoop(event: TurnEvent, turnsLeft: number): Continuation | undefined {
    if (event.type === 'fallback_requested' || event.type === 'fallback_answered') return undefined;
    const { count, detail } = this.options.loopDetection.addAndCheck(event);
    if (count === 0) return undefined;
    if (count > 1) return { kind: 'stop', event: { type: GeminiEventType.LoopDetected } };
    return turnsLeft > 1
      ? again('loop_recovery', toLoopRecovery(detail))
      : { kind: 'stop', event: { type: GeminiEventType.MaxSessionTurns } };
  }

  /** What the turn asks for goes out; then the decision what follows. */
  private async *giveOut(held: readonly TurnEvent[], ended: EndedTurn): AsyncGenerator<TurnEvent, Continuation> {
    for (const event of held) yield event;
    return this.decide(ended);
  }

  /**
   * What the model repeated is no answer: whoever showed it takes it back. Its calls did
   * not run, and the model reads so, now or with the next prompt.
   */
  private async *takeBack(then: Continuation): AsyncGenerator<TurnEvent, Continuation> {
    yield { type: GeminiEventType.Retry };
    const { chat } = this.options;
    const responses = toUnrunResponses(chat.getLastContent());
    if (then.kind === 'again') return withResponses(then, responses);
    if (responses.length > 0) chat.addHistory({ role: 'user', parts: responses });
    return then;
  }

  private async decide({ turn, end, prompt, signal }: EndedTurn): Promise<Continuation> {
    if (this.options.hooks?.afterAgent) prompt.responseText.push(turn.getResponseText());
    if (end === 'invalid' && this.options.continueOnFailedApiCall && !prompt.hasContinuedInvalid) {
      prompt.hasContinuedInvalid = true;
      return again('invalid_stream', CONTINUE_AFTER_INVALID_STREAM);
    }
    if (end !== 'finished' || turn.pendingToolCalls.length > 0 || signal.aborted) return STOP;
    const speaker = await this.options.checkNextSpeaker?.(signal, prompt.prompt_id);
    if (speaker === 'model') return again('next_speaker', CONTINUE_AS_NEXT_SPEAKER);
    return this.finish(prompt, signal);
  }

  /** AfterAgent: the answer is complete, unless a hook sends the model back to it. */
  private async finish(prompt: PromptState, signal: AbortSignal): Promise<Continuation> {
    const decision = await this.afterAgent(prompt, signal);
    if (decision.kind === 'proceed') return STOP;
    const { kind, clearContext = false, ...said } = decision;
    const value = { ...said, ...(clearContext && { contextCleared: true }) };
    if (clearContext) this.options.chat.setHistory(this.options.openingHistory ?? []);
    if (kind === 'stop') return { kind: 'stop', event: { type: GeminiEventType.AgentExecutionStopped, value } };
    prompt.stopHookActive = true;
    prompt.isAdmitted = false;
    prompt.text = decision.reason;
    prompt.responseText = [];
    return again('hook_blocked', decision.reason, { type: GeminiEventType.AgentExecutionBlocked, value });
  }

  private async beforeAgent(text: string, signal: AbortSignal): Promise<BeforeAgentDecision> {
    const { hooks } = this.options;
    return (await askHook(async () => hooks?.beforeAgent?.(text, signal), signal)) ?? { kind: 'proceed' };
  }

  private async afterAgent(prompt: PromptState, signal: AbortSignal): Promise<AfterAgentDecision> {
    const { hooks } = this.options;
    if (!hooks?.afterAgent) return { kind: 'proceed' };
    const response = prompt.responseText.filter(Boolean).join('\n') || '[no response text]';
    const { text, stopHookActive } = prompt;
    const input = { prompt: text, response, stopHookActive };
    return (await askHook(async () => hooks.afterAgent?.(input, signal), signal)) ?? { kind: 'proceed' };
  }

  private createTurn(prompt_id: string): Turn {
    return new OptimizedTurn(this.options.chat, prompt_id, this.options.turnOptions);
  }
}

function hasResponses(request: readonly Part[]): boolean {
  return request.some((part) => part.functionResponse);
}

/** What tools did is told together with what the model is told instead. */
function withResponses(then: Extract<Continuation, { kind: 'again' }>, request: readonly Part[]): Continuation {
  return hasResponses(request) ? { ...then, request: [...request, ...then.request] } : then;
}

function toTurnEnd(event: TurnEvent): TurnEnd | undefined {
  switch (event.type) {
    case GeminiEventType.Error:
      return 'failed';
    case GeminiEventType.InvalidStream:
      return 'invalid';
    case GeminiEventType.AgentExecutionStopped:
    case GeminiEventType.AgentExecutionBlocked:
      return 'stopped';
    case GeminiEventType.UserCancelled:
      return 'cancelled';
    default:
      return undefined;
  }
}

/** Brackets in a hook's words must not close the frame around them. */
export function toHookContext(text: string): string {
  return `<hook_context>${text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</hook_context>`;
}
