/**
 * GeminiClient: runs the turns of one request in a flat loop. Before each turn it runs the checks of before-turn.ts;
 * after it, it decides whether the model continues. It runs no tools: a turn that requests calls is returned to the
 * caller, who answers them with another request of the same prompt.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import { partListUnionToString, toParts } from '../util/part-list.ts';
import { isSilent } from '../chat/stream-check.ts';
import type { Content, Part, PartListUnion } from '../protocol/content.ts';
import { isAbortError } from '../protocol/errors.ts';
import { CompressionStatus, GeminiEventType } from '../protocol/events.ts';
import type { ChatCompressionInfo, ServerGeminiErrorEvent, ServerGeminiStreamEvent } from '../protocol/events.ts';
import { OptimizedTurn } from '../turn/optimized-turn.ts';
import type { Turn, TurnOptions } from '../turn/turn.ts';
import { BEFORE_TURN } from './before-turn.ts';
import type { TurnSurroundings, TurnToBe } from './before-turn.ts';
import {
  CONTINUE_AFTER_INVALID_STREAM,
  CONTINUE_AFTER_SILENCE,
  CONTINUE_AS_NEXT_SPEAKER,
  SILENT_END,
  STOP,
  again,
  hasResponses,
  isOverflow,
  toLoopRecovery,
  toTurnEnd,
  toUnrunResponses,
  withResponses,
  withoutResult,
} from './continuation.ts';
import type { Continuation, TurnEnd } from './continuation.ts';
import type { NextSpeaker } from './next-speaker.ts';
import { acceptAnswer, admitRequest, openPrompt, withFormat } from './prompt-gates.ts';
import type { GateKeepers, PromptState } from './prompt-gates.ts';
import { shrink } from './shrink.ts';
import type { JsonModel, Question } from './utility-model.ts';

/** Turns one request may take without new input from its caller. */
export const MAX_TURNS = 100;

export interface GeminiClientOptions extends TurnSurroundings, GateKeepers {
  /** The model whose limits apply until one is chosen. */
  model: string;
  /** Called after a turn without calls; absent: the user speaks next. */
  checkNextSpeaker?: (signal: AbortSignal, prompt_id: string) => Promise<NextSpeaker | undefined>;
  /** Continue once with "Please continue." when no attempt returned a usable answer. */
  continueOnFailedApiCall?: boolean;
  turnOptions?: TurnOptions;
  /** Called when the service rejected a request as too long; `window` is the number of tokens it named. */
  onOverflow?: (model: string, window: number | undefined) => Promise<void>;
  /** Serves `generateJson`. */
  utility?: JsonModel;
}

/** The outcome of a turn: the loop it detected, if any, how it ended, and the calls it requests. */
interface EndedRun {
  /** The rejection of a request that is too large; it is not yielded yet. */
  overflow?: ServerGeminiErrorEvent;
  loop: Continuation | undefined;
  end: TurnEnd;
  held: ServerGeminiStreamEvent[];
}

interface EndedTurn {
  turn: Turn;
  end: TurnEnd;
  prompt: PromptState;
  signal: AbortSignal;
}

/** A request, and the end of the history before it: still the end when the request was never sent. */
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
   * Yields the events of the request's turns and returns the last turn. Throws `UnauthorizedError`; an abort ends
   * with `user_cancelled`. A consumer that breaks out leaves nothing running. With `isInvalidStreamRetry` the request
   * is itself the continuation after an unusable stream, and no further one follows.
   */
  async *sendMessageStream(
    request: PartListUnion,
    signal: AbortSignal,
    prompt_id: string,
    turns: number = MAX_TURNS,
    isInvalidStreamRetry?: boolean,
  ): AsyncGenerator<ServerGeminiStreamEvent, Turn> {
    let turn = this.createTurn(prompt_id);
    let untold: UntoldRequest | undefined;
    try {
      const prompt = this.beginPrompt(toParts(request), prompt_id);
      if (isInvalidStreamRetry) prompt.hasContinuedInvalid = true;
      let next: Part[] | undefined = withFormat(toParts(request), prompt, this.options);
      for (let turnsLeft = Math.min(turns, MAX_TURNS); next; turnsLeft--) {
        untold = { request: next, after: this.options.chat.getLastContent() };
        const admitted: Part[] | undefined = yield* admitRequest(next, prompt, this.options, signal);
        if (!admitted) break;
        const toBe = this.announceTurn(admitted, prompt_id, { turnsLeft, signal });
        let then: Continuation | undefined = yield* this.check(toBe);
        if (then) {
          if (then.kind === 'again') then = withResponses(then, next);
          else if (then.isTooLarge) untold.request = next.map(withoutResult);
        } else {
          turn = this.createTurn(prompt_id);
          const ended: EndedRun = yield* this.runTurn(turn, toBe, admitted);
          then = yield* this.conclude(ended, toBe, { turn, end: ended.end, prompt, signal });
        }
        if (then.event) yield then.event;
        next = then.kind === 'again' && !signal.aborted ? then.request : undefined;
      }
    } catch (error) {
      if (!signal.aborted && !isAbortError(error)) throw error;
      yield { type: GeminiEventType.UserCancelled };
    } finally {
      this.rememberUntold(untold);
    }
    return turn;
  }

  /** Compresses the history when it is due, or with `force`, the user's request, whatever its size. */
  async tryCompressChat(
    prompt_id: string,
    force = false,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ChatCompressionInfo> {
    if (typeof force !== 'boolean') throw new TypeError('Use tryCompressChat(prompt_id, force, signal).');
    const { chat, compressor, ideContext } = this.options;
    if (!compressor) return { originalTokenCount: 0, newTokenCount: 0, compressionStatus: CompressionStatus.NOOP };
    const info = await compressor.tryCompressChat({ chat, activeModel: this.activeModel, prompt_id, signal, force });
    if (info.compressionStatus === CompressionStatus.COMPRESSED) ideContext?.reset();
    return info;
  }

  getChat(): GeminiChat {
    return this.options.chat;
  }

  /** A shallow copy of the conversation. */
  getHistory(): Content[] {
    return this.options.chat.getHistory();
  }

  /** An auxiliary question, answered as JSON; undefined without an answer. Rejects on abort. */
  async generateJson(question: Question, schema: object): Promise<Record<string, unknown> | undefined> {
    const { utility } = this.options;
    if (!utility) throw new Error('This client answers no questions beside the conversation: give it `utility`.');
    return utility.generateJson(question, schema);
  }

  private beginPrompt(request: Part[], prompt_id: string): PromptState {
    if (this.prompt?.prompt_id === prompt_id) return this.prompt;
    const text = partListUnionToString(request);
    this.options.loopDetection.reset(prompt_id, text);
    this.prompt = openPrompt(prompt_id, text);
    return this.prompt;
  }

  private announceTurn(request: Part[], prompt_id: string, rest: Pick<TurnToBe, 'turnsLeft' | 'signal'>): TurnToBe {
    this.sessionTurns++;
    return {
      ...rest,
      request,
      prompt_id,
      sessionTurns: this.sessionTurns,
      model: this.activeModel,
      formerModel: this.activeModel,
    };
  }

  /** Runs the checks before the turn, in their order; returns how it ends if one of them ends it. */
  private async *check(turn: TurnToBe): AsyncGenerator<ServerGeminiStreamEvent, Continuation | undefined> {
    for (const check of BEFORE_TURN) {
      const { event, ends } = (await check(turn, this.options)) ?? {};
      if (event) yield event;
      if (ends) return ends;
      if (turn.signal.aborted) return { kind: 'stop', event: { type: GeminiEventType.UserCancelled } };
    }
    this.activeModel = turn.model;
    return undefined;
  }

  /** Keeps tool results for the next prompt when a limit, a cancel or a leaving consumer prevented sending them. */
  private rememberUntold(untold: UntoldRequest | undefined): void {
    const { chat } = this.options;
    if (!untold || !hasResponses(untold.request) || chat.getLastContent() !== untold.after) return;
    chat.addHistory({ role: 'user', parts: untold.request });
  }

  /** Yields the turn's output until it ends or a loop is detected. Its calls are held back. */
  private async *runTurn(
    turn: Turn,
    { model, signal, turnsLeft }: TurnToBe,
    request: Part[],
  ): AsyncGenerator<ServerGeminiStreamEvent, EndedRun> {
    let end: TurnEnd = 'finished';
    const held: ServerGeminiStreamEvent[] = [];
    const answerSchema = this.options.answerFormat?.schema;
    const isAnswerDue = (this.prompt?.repairs ?? 0) > 0;
    for await (const event of turn.run(
      { model, ...(answerSchema && { answerSchema, isAnswerDue }) },
      request,
      signal,
    )) {
      const loop = this.checkLoop(event, turnsLeft);
      // A cancel that came first is reported as a cancel, not as a loop.
      if (loop && !signal.aborted) return { loop, end, held };
      if (loop) continue;
      if (isOverflow(event)) return { loop: undefined, end, held, overflow: event };
      end = toTurnEnd(event) ?? end;
      // Calls are yielded together, once none of them closes a loop.
      if (held.length > 0 || event.type === GeminiEventType.ToolCallRequest) held.push(event);
      else yield event;
    }
    return { loop: undefined, end, held };
  }

  /** The continuation when this event completes a loop. */
  private checkLoop(event: ServerGeminiStreamEvent, turnsLeft: number): Continuation | undefined {
    const { loopDetection } = this.options;
    if (!loopDetection.addAndCheck(event)) return undefined;
    const { count = 1, detail } = loopDetection.lastLoop ?? {};
    if (count > 1) return { kind: 'stop', event: { type: GeminiEventType.LoopDetected } };
    return turnsLeft > 1
      ? again('loop_recovery', toLoopRecovery(detail))
      : { kind: 'stop', event: { type: GeminiEventType.MaxSessionTurns } };
  }

  private conclude(
    { loop, overflow, held }: EndedRun,
    toBe: TurnToBe,
    ended: EndedTurn,
  ): AsyncGenerator<ServerGeminiStreamEvent, Continuation> {
    if (overflow) return shrink(overflow, toBe, ended.prompt, this.options);
    return loop ? this.takeBack(loop) : this.giveOut(held, ended);
  }

  /** Yields the held calls of the turn, then decides the continuation. */
  private async *giveOut(
    held: readonly ServerGeminiStreamEvent[],
    ended: EndedTurn,
  ): AsyncGenerator<ServerGeminiStreamEvent, Continuation> {
    for (const event of held) yield event;
    return this.decide(ended);
  }

  /**
   * Repeated output is not an answer: a `retry` event voids what was shown. Its calls did not run, and the model is
   * told so, now or with the next prompt.
   */
  private async *takeBack(then: Continuation): AsyncGenerator<ServerGeminiStreamEvent, Continuation> {
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
    const last = this.options.chat.getLastContent();
    if (last && isSilent(last)) {
      if (prompt.hasContinuedSilence) return SILENT_END;
      prompt.hasContinuedSilence = true;
      return again('silent_end', CONTINUE_AFTER_SILENCE);
    }
    const speaker = await this.options.checkNextSpeaker?.(signal, prompt.prompt_id);
    if (speaker === 'model') return again('next_speaker', CONTINUE_AS_NEXT_SPEAKER);
    return acceptAnswer(turn.getResponseText(), prompt, this.options, signal);
  }

  private createTurn(prompt_id: string): Turn {
    return new OptimizedTurn(this.options.chat, prompt_id, this.options.turnOptions);
  }
}
