/**
 * LoopDetectionService: detects that a prompt makes no progress, by repeated calls, by repeated text, and, in long
 * suspicious prompts, by asking a model. It only reports; the client decides what a first or a second detection leads
 * to. It never throws and never delays a turn by more than the judge's budget.
 */

import type { Content, Part } from '../../protocol/content.ts';
import { GeminiEventType } from '../../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../../protocol/events.ts';
import type { ToolCallRequestInfo } from '../../protocol/tool-calls.ts';
import { systemClock } from '../../util/clock.ts';
import type { Clock } from '../../util/clock.ts';
import { CALLS_REMEMBERED, findCallCycle, hashText, toCallKey, toCallResult } from './call-cycles.ts';
import type { SeenCall } from './call-cycles.ts';
import { suspicions, toSpoken } from './loop-suspicion.ts';
import { isConfident, selectHistory } from './loop-judge.ts';
import type { LoopJudge, LoopJudgement } from './loop-judge.ts';
import { RepeatedContent } from './repeated-content.ts';

/** Turns of one prompt before a model may be asked for the first time. */
const TURNS_BEFORE_JUDGING = 30;
const FIRST_INTERVAL = 10;
const SHORTEST_INTERVAL = 5;
const LONGEST_INTERVAL = 15;
/** A verdict that is surer of progress than this answers its reason. */
const CALM = 0.6;
/** Turns until a model is asked again about a reason that it found harmless. */
const LONG_PATIENCE = 60;
/** For all requests of one check. */
const JUDGE_BUDGET_MS = 10_000;
/** The compared characters of each turn. */
const WORDS_COMPARED = 2_000;
const SHOWN_ANALYSIS_LENGTH = 500;

export type LoopType = 'repeated_calls' | 'repeated_content' | 'judged_by_model';

export interface DetectedLoop {
  /** The number of detections in this prompt, including this one. */
  count: number;
  type: LoopType;
  /** A clause without a full stop, of bounded length. */
  detail: string;
}

export interface LoopDetectionOptions {
  /** Absent: only calls and text are checked. */
  judge?: LoopJudge;
  /** Read only when the judge is called. */
  getHistory?: () => readonly Content[];
  isEnabled?: boolean;
  clock?: Clock;
  /** Called for every detection, including one that only warns the model. */
  onDetected?: (type: LoopType, prompt_id: string) => void;
  /** Called with the judge's verdict. */
  onJudged?: (check: LoopCheck) => void;
}

export interface LoopCheck {
  prompt_id: string;
  confidence: number;
  /** Of the second opinion; absent where none was needed or available. */
  secondConfidence?: number;
}

export class LoopDetectionService {
  private readonly options: LoopDetectionOptions;
  private readonly clock: Clock;
  private readonly content = new RepeatedContent();
  private calls: SeenCall[] = [];
  private readonly keysOfTurn = new Set<string>();
  /** The results of the last cycle's calls, by their keys. */
  private cycleResults = new Map<string, string>();
  /** The text of the current turn, and how often each turn's text occurred in this prompt. */
  private words = '';
  private readonly spoken = new Map<string, number>();
  private isEnabled: boolean;
  private prompt_id = '';
  private userRequest = '';
  private detections = 0;
  private loop: DetectedLoop | undefined;
  private turns = 0;
  private lastJudgedTurn = 0;
  private interval = FIRST_INTERVAL;
  /** The reasons a model was asked about, with the turn. */
  private readonly judged = new Map<string, number>();
  /** Turns before it is asked about the same reason again. */
  private patience = FIRST_INTERVAL;

  constructor(options: LoopDetectionOptions = {}) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.isEnabled = options.isEnabled ?? true;
  }

  /** Starts a prompt: nothing before it counts. */
  reset(prompt_id: string, userRequest = ''): void {
    this.prompt_id = prompt_id;
    this.userRequest = userRequest;
    this.detections = 0;
    this.loop = undefined;
    this.turns = 0;
    this.lastJudgedTurn = 0;
    this.interval = FIRST_INTERVAL;
    this.judged.clear();
    this.patience = FIRST_INTERVAL;
    this.calls = [];
    this.cycleResults.clear();
    this.keysOfTurn.clear();
    this.words = '';
    this.spoken.clear();
    this.content.reset();
  }

  /** For the rest of the session. */
  disable(): void {
    this.isEnabled = false;
  }

  /** The last loop detected in this prompt, for which `turnStarted` or `addAndCheck` returned true. */
  get lastLoop(): DetectedLoop | undefined {
    return this.loop;
  }

  /**
   * Must be called once before each turn of the prompt. Resolves with whether it is a loop; false on an aborted
   * signal.
   */
  async turnStarted(signal: AbortSignal): Promise<boolean> {
    if (!this.isEnabled) return false;
    this.noteWords();
    this.turns += 1;
    this.keysOfTurn.clear();
    const isDue = this.turns >= TURNS_BEFORE_JUDGING && this.turns - this.lastJudgedTurn >= this.interval;
    if (!isDue || !this.options.judge || signal.aborted) return false;
    const reasons = suspicions(this.calls, this.spoken);
    if (!reasons.some((reason) => this.isOpen(reason))) return false;
    for (const reason of reasons) this.judged.set(reason, this.turns);
    this.lastJudgedTurn = this.turns;
    const analysis = await this.askJudge(this.options.judge, signal);
    return analysis === undefined ? false : this.detect('judged_by_model', analysis);
  }

  private isOpen(reason: string): boolean {
    const turn = this.judged.get(reason);
    return turn === undefined || this.turns - turn >= this.patience;
  }

  /**
   * Must be called with every event of a turn before it is passed on; returns true when the event completes a loop. A
   * loop is reported once; detection then restarts, so a second report means that the model continued after the
   * first.
   */
  addAndCheck(event: ServerGeminiStreamEvent): boolean {
    if (!this.isEnabled) return false;
    switch (event.type) {
      case GeminiEventType.Content:
        return this.checkText(event.value);
      case GeminiEventType.ToolCallRequest:
        return this.checkCall(event.value);
      case GeminiEventType.Retry:
        // The next attempt may repeat the same text.
        this.content.reset();
        this.words = '';
        return false;
      case GeminiEventType.Finished:
        this.content.endAnswer();
        return false;
      default:
        return false;
    }
  }

  /** Must be called with each request before its turn: the responses in it show whether calls make progress. */
  noteResponses(parts: readonly Part[]): void {
    for (const { functionResponse } of parts) {
      if (!functionResponse) continue;
      const { id, name } = functionResponse;
      const call = this.calls.find((seen) => (id ? seen.callId === id : seen.name === name && !seen.result));
      if (!call) continue;
      const { digest, failed } = toCallResult(functionResponse, call.callId);
      this.toolCallFinished(call.callId, digest, { failed });
    }
  }

  /** `resultDigest` is equal for results that count as equal. */
  toolCallFinished(callId: string, resultDigest: string, { failed = false }: { failed?: boolean } = {}): void {
    const call = this.calls.find((seen) => seen.callId === callId);
    if (call) call.result = { digest: resultDigest, failed };
  }

  /**
   * Counts the text of the turn before as one more occurrence. Not at its end: most prompts have one turn, and the
   * hash would load Node's crypto module for it.
   */
  private noteWords(): void {
    const spoken = toSpoken(this.words.slice(0, WORDS_COMPARED));
    this.words = '';
    if (spoken === undefined) return;
    const key = hashText(spoken);
    this.spoken.set(key, (this.spoken.get(key) ?? 0) + 1);
  }

  private checkText(text: string): boolean {
    if (this.options.judge && this.words.length < WORDS_COMPARED) this.words += text;
    const repeated = this.content.add(text);
    if (repeated === undefined) return false;
    return this.detect('repeated_content', `The text ${JSON.stringify(repeated)} was repeated many times`);
  }

  private checkCall({ callId, name, args }: ToolCallRequestInfo): boolean {
    this.content.reset();
    const key = toCallKey({ name, args, callId });
    // Equal calls of one response count once: a loop repeats them turn after turn.
    if (this.turns > 0 && this.keysOfTurn.has(key)) return false;
    this.keysOfTurn.add(key);
    this.calls.push({ callId, name, key });
    if (this.calls.length > CALLS_REMEMBERED) this.calls.shift();
    const cycle = findCallCycle(this.calls);
    if (cycle === undefined) return false;
    this.forgiveProgress();
    return this.detect('repeated_calls', cycle);
  }

  /**
   * The same calls returned other results than at the last report: a slow poll, so the next report counts as the
   * first again.
   */
  private forgiveProgress(): void {
    const results = this.calls.flatMap(({ key, result }) => (result ? [[key, result.digest] as const] : []));
    const before = this.cycleResults;
    if (results.some(([key, digest]) => before.has(key) && before.get(key) !== digest)) this.detections = 0;
    this.cycleResults = new Map(results);
  }

  private detect(type: LoopType, detail: string): boolean {
    this.detections += 1;
    this.options.onDetected?.(type, this.prompt_id);
    this.calls = [];
    this.content.reset();
    this.loop = { count: this.detections, type, detail };
    return true;
  }

  /** Returns the analysis when it is a loop. A failing or slow judge is ignored. */
  private async askJudge(judge: LoopJudge, signal: AbortSignal): Promise<string | undefined> {
    const ended = new AbortController();
    const limited = AbortSignal.any([signal, ended.signal]);
    try {
      return await Promise.race([
        this.judgeTwice(judge, limited),
        this.clock.sleep(JUDGE_BUDGET_MS, limited).then(() => undefined),
      ]);
    } catch {
      // The check is optional: the turn continues after any failure of it.
      return undefined;
    } finally {
      ended.abort();
    }
  }

  private async judgeTwice(judge: LoopJudge, signal: AbortSignal): Promise<string | undefined> {
    const input = {
      history: selectHistory(this.options.getHistory?.() ?? []),
      userRequest: this.userRequest,
      prompt_id: this.prompt_id,
    };
    const first = await judge({ ...input, model: 'flash' }, signal);
    // A late answer must neither cause another request nor change the pace of the next prompt.
    if (!first || signal.aborted) return undefined;
    const { prompt_id } = input;
    const { confidence } = first;
    if (!isConfident(first)) {
      this.options.onJudged?.({ prompt_id, confidence });
      return this.postpone(first);
    }
    const second = await judge({ ...input, model: 'pro' }, signal);
    if (signal.aborted) return undefined;
    this.options.onJudged?.({ prompt_id, confidence, ...(second && { secondConfidence: second.confidence }) });
    if (second && !isConfident(second)) return this.postpone(second);
    return (second ?? first).analysis.slice(0, SHOWN_ANALYSIS_LENGTH);
  }

  /** The surer the judge is of progress, the later it is asked again. */
  private postpone({ confidence }: LoopJudgement): undefined {
    const calm = Number.isFinite(confidence) ? 1 - Math.min(Math.max(confidence, 0), 1) : 1;
    this.interval = Math.round(SHORTEST_INTERVAL + (LONGEST_INTERVAL - SHORTEST_INTERVAL) * calm);
    // Good work repeats a call too, such as a test after each edit: a calm verdict on a reason stands for long.
    this.patience = calm > CALM ? LONG_PATIENCE : this.interval;
  }
}
