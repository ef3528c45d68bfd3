/**
 * The checks before a turn, in the order of BEFORE_TURN. Each checks one condition and returns nothing, an event to
 * yield, or how the turn ends before it starts. The order is the specification.
 */

import { hasFunctionCall } from '../chat/parts.ts';
import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { ContentGenerator } from '../provider/content-generator.ts';
import { calculateRequestTokenCount } from '../provider/token-estimate.ts';
import type { Part } from '../protocol/content.ts';
import { CompressionStatus, GeminiEventType } from '../protocol/events.ts';
import type { ServerGeminiStreamEvent } from '../protocol/events.ts';
import type { Compressor } from './compression.ts';
import { STOP, STOP_TOO_LARGE, again, toLoopRecovery } from './continuation.ts';
import type { Continuation } from './continuation.ts';
import type { IdeContext } from './ide-context.ts';
import type { LoopDetectionService } from './loops/loop-detection.ts';
import type { ToolOutputMask } from './tool-output-masking.ts';

/** The share of the remaining window that a request may fill. */
const FILL_LIMIT = 0.95;

/** Chooses a model for a request and keeps it for the prompt. Never throws. */
export type ChooseModel = (input: {
  request: readonly Part[];
  prompt_id: string;
  signal: AbortSignal;
}) => Promise<{ model: string; isNew: boolean }>;

export interface TurnSurroundings {
  chat: GeminiChat;
  generator: Pick<ContentGenerator, 'countTokens'>;
  tokenLimit(model: string): number;
  /** Tokens of the window that the answer needs, where the service rejects a request without them. Default none. */
  reserveFor?(model: string): number;
  chooseModel: ChooseModel;
  loopDetection: LoopDetectionService;
  compressor?: Compressor;
  outputMask?: Pick<ToolOutputMask, 'apply'>;
  ideContext?: IdeContext;
  /** Turns of the whole session; no limit when it is 0, negative or absent. */
  maxSessionTurns?: number;
}

export interface TurnToBe {
  request: Part[];
  signal: AbortSignal;
  prompt_id: string;
  /** Includes this turn. */
  sessionTurns: number;
  /** Turns left for this request, including this one. */
  turnsLeft: number;
  /** The model whose limits apply; `settleModel` decides it. */
  model: string;
  /** The model of the turn before. */
  readonly formerModel: string;
}

/** An event to yield, and whether the turn ends before it starts. */
export interface CheckResult {
  event?: ServerGeminiStreamEvent;
  ends?: Continuation;
}

type Check = (turn: TurnToBe, around: TurnSurroundings) => Promise<CheckResult | undefined> | CheckResult | undefined;

export const BEFORE_TURN: readonly Check[] = [
  checkSessionTurns,
  checkBoundedTurns,
  compress,
  checkOverflow,
  maskToolOutput,
  addIdeContext,
  checkLoop,
  settleModel,
  compressForModel,
  checkOverflowOfModel,
];

export function checkSessionTurns(turn: TurnToBe, { maxSessionTurns = 0 }: TurnSurroundings): CheckResult | undefined {
  if (maxSessionTurns <= 0 || turn.sessionTurns <= maxSessionTurns) return undefined;
  return { event: { type: GeminiEventType.MaxSessionTurns }, ends: STOP };
}

export function checkBoundedTurns(turn: TurnToBe): CheckResult | undefined {
  return turn.turnsLeft > 0 ? undefined : { event: { type: GeminiEventType.MaxSessionTurns }, ends: STOP };
}

export async function compress(turn: TurnToBe, around: TurnSurroundings): Promise<CheckResult | undefined> {
  const { chat, compressor, ideContext } = around;
  const { model: activeModel, formerModel, prompt_id, signal } = turn;
  const value = await compressor?.tryCompressChat({ chat, activeModel, formerModel, prompt_id, signal });
  if (value?.compressionStatus !== CompressionStatus.COMPRESSED) return undefined;
  ideContext?.reset();
  return { event: { type: GeminiEventType.ChatCompressed, value } };
}

export async function checkOverflow(turn: TurnToBe, around: TurnSurroundings): Promise<CheckResult | undefined> {
  const { chat, generator, tokenLimit, reserveFor } = around;
  const { request, model, signal } = turn;
  const estimatedRequestTokenCount = await calculateRequestTokenCount(request, generator, model, { signal });
  const room = tokenLimit(model) - (reserveFor?.(model) ?? 0);
  const remainingTokenCount = room - chat.getLastPromptTokenCount();
  if (estimatedRequestTokenCount <= FILL_LIMIT * remainingTokenCount) return undefined;
  const value = { estimatedRequestTokenCount, remainingTokenCount };
  return { event: { type: GeminiEventType.ContextWindowWillOverflow, value }, ends: STOP_TOO_LARGE };
}

export async function maskToolOutput(_turn: TurnToBe, { chat, outputMask }: TurnSurroundings): Promise<undefined> {
  await outputMask?.apply(chat);
}

/** Never between a call and its response: the service accepts the response in the very next turn only. */
export function addIdeContext(_turn: TurnToBe, { chat, ideContext }: TurnSurroundings): undefined {
  if (!ideContext || hasFunctionCall(chat.getLastContent())) return;
  const text = ideContext.take();
  if (text !== undefined) chat.addHistory({ role: 'user', parts: [{ text }] });
}

export async function checkLoop(turn: TurnToBe, { loopDetection }: TurnSurroundings): Promise<CheckResult | undefined> {
  loopDetection.noteResponses(turn.request);
  if (!(await loopDetection.turnStarted(turn.signal))) return undefined;
  const { count = 1, detail } = loopDetection.lastLoop ?? {};
  if (count > 1) return { event: { type: GeminiEventType.LoopDetected }, ends: STOP };
  if (turn.turnsLeft <= 1) return { event: { type: GeminiEventType.MaxSessionTurns }, ends: STOP };
  return { ends: again('loop_recovery', toLoopRecovery(detail)) };
}

export async function settleModel(turn: TurnToBe, { chooseModel }: TurnSurroundings): Promise<CheckResult | undefined> {
  const { request, prompt_id, signal } = turn;
  const { model, isNew } = await chooseModel({ request, prompt_id, signal });
  turn.model = model;
  return isNew && !signal.aborted ? { event: { type: GeminiEventType.ModelInfo, value: model } } : undefined;
}

/** Another model with a smaller window takes over: the model that knows the conversation summarises it first. */
export function compressForModel(
  turn: TurnToBe,
  around: TurnSurroundings,
): Promise<CheckResult | undefined> | undefined {
  return hasShrunk(turn, around) ? compress(turn, around) : undefined;
}

export function checkOverflowOfModel(
  turn: TurnToBe,
  around: TurnSurroundings,
): Promise<CheckResult | undefined> | undefined {
  return hasShrunk(turn, around) ? checkOverflow(turn, around) : undefined;
}

function hasShrunk({ model, formerModel }: TurnToBe, { tokenLimit }: TurnSurroundings): boolean {
  return model !== formerModel && tokenLimit(model) < tokenLimit(formerModel);
}
