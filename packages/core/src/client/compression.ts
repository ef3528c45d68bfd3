/**
 * tryCompressChat: replaces the older part of a history by a snapshot of it when the
 * history has grown past its share of the model's window. A compression that fails,
 * or would make things larger, leaves the history as it was.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { ModelCatalogue } from '../provider/catalogue/model-catalogue.ts';
import { factsOf } from '../routing/models.ts';
import { findIndexAfterFraction, findStepAfterFraction } from '../chat/history.ts';
import { hasFunctionCall } from '../chat/parts.ts';
import { estimateTokenCount } from '../provider/token-estimate.ts';
import type { Content, Part } from '../protocol/content.ts';
import { CompressionStatus } from '../protocol/events.ts';
import type { ChatCompressionInfo } from '../protocol/events.ts';
import { tryUntilAborted } from '../util/abort.ts';
import type { AgentHooks, CompressTrigger } from './agent-hooks.ts';
import { collectCarriedOver, findLastWords, formatCarriedOver, isSessionContext } from './carried-over.ts';
import {
  CRITIQUE_PROMPT,
  SNAPSHOT_ACKNOWLEDGEMENT,
  SNAPSHOT_PROMPT,
  SNAPSHOT_SYSTEM_PROMPT,
} from './snapshot-prompt.ts';
import type { SavedOutputs } from './tool-output-masking.ts';
import type { UtilityModel } from './utility-model.ts';

export const COMPRESSION_TOKEN_THRESHOLD = 0.5;
/** How much of the history, from its end, is kept as it is. */
export const COMPRESSION_PRESERVE_THRESHOLD = 0.3;
/** What the user's own words must leave to summarise; below it a step of the prompt under way is the place to cut. */
const LEAST_SHARE = (1 - COMPRESSION_PRESERVE_THRESHOLD) / 2;
/** A summariser that does no good is not asked again with every turn. */
const GROWTH_BEFORE_RETRY = 1.05;
/** Share of the window past which it is asked all the same: there is no other way on. */
const LAST_RESORT = 0.9;
/** Tool output newer than this many tokens goes to the summariser whole. */
const TOOL_OUTPUT_BUDGET = 50_000;

export interface CompressionOptions {
  model: UtilityModel;
  tokenLimit(model: string): number;
  /** Says which preset summarises; the Gemini API's unless another is given. */
  catalogue?: ModelCatalogue | undefined;
  /** Share of the window past which a history is compressed. */
  threshold?: number;
  hooks?: AgentHooks;
  /** Where old tool output is kept in full; without it, it is cut. */
  savedOutputs?: SavedOutputs;
  /** Told of every attempt a model was asked in, whatever came of it. */
  onSummarised?: (attempt: ChatCompressionInfo) => void;
}

export interface CompressionRequest {
  chat: GeminiChat;
  /** The model whose window counts. */
  activeModel: string;
  prompt_id: string;
  signal: AbortSignal;
  /** Asked for by the user: also under the threshold. */
  force?: boolean;
}

export class Compressor {
  private readonly options: CompressionOptions;
  /** The summary came out larger once: automatic compression only shortens tool output from then on. */
  private hasInflated = false;
  /** The size at which compressing did no good: it is tried again only when there is clearly more to summarise. */
  private uselessAt = 0;
  private hasJustCompressed = false;

  constructor(options: CompressionOptions) {
    this.options = options;
  }

  /** Never throws but on abort; the status says what came of it. */
  async tryCompressChat(request: CompressionRequest): Promise<ChatCompressionInfo> {
    const { chat, activeModel, signal, force = false } = request;
    if (chat.getHistoryLength() === 0) return info(0, 0, CompressionStatus.NOOP);
    // On every turn, also when nothing will be compressed: users' hooks count on it.
    await this.firePreCompress(force ? 'manual' : 'auto', signal);
    const promptTokens = chat.getLastPromptTokenCount();
    if (!force && !this.isDue(promptTokens, activeModel)) {
      return info(promptTokens, promptTokens, CompressionStatus.NOOP);
    }
    const shortened = await this.shortenToolOutput(chat.getHistory(true));
    // The last prompt also held instructions and tools, and the service counts otherwise: history is compared with history.
    const before = estimate(chat.getHistory(true));
    if (this.hasInflated && !force) return this.onlyShorten(request, shortened, before);
    const summarised = await this.summarise(request, shortened, before);
    if (summarised.compressionStatus !== CompressionStatus.NOOP) this.options.onSummarised?.(summarised);
    return summarised;
  }

  private isDue(tokens: number, activeModel: string): boolean {
    const { threshold = COMPRESSION_TOKEN_THRESHOLD, tokenLimit } = this.options;
    const limit = tokenLimit(activeModel);
    // Still this large after a compression: it is not the history that fills the window.
    if (this.hasJustCompressed) this.uselessAt = tokens;
    // Another history than the one that could not be made smaller.
    else if (tokens < this.uselessAt) this.uselessAt = 0;
    this.hasJustCompressed = false;
    return tokens >= Math.max(threshold * limit, Math.min(this.uselessAt * GROWTH_BEFORE_RETRY, LAST_RESORT * limit));
  }

  private async summarise(
    request: CompressionRequest,
    history: readonly Content[],
    before: number,
  ): Promise<ChatCompressionInfo> {
    const splitAt = findSplit(history);
    // Instructions are not history: a summary would weaken them.
    const context = history.slice(0, isSessionContext(history[0]) ? 1 : 0);
    const old = history.slice(context.length, splitAt);
    if (old.length === 0) return info(before, before, CompressionStatus.NOOP);
    const snapshot = await this.takeSnapshot(old, request);
    if (!snapshot) {
      this.uselessAt = request.chat.getLastPromptTokenCount();
      return info(before, before, CompressionStatus.COMPRESSION_FAILED_EMPTY_SUMMARY);
    }
    const kept = history.slice(splitAt);
    // In the middle of a prompt: its words stay where they are, right before the calls it led to.
    const prompt = hasFunctionCall(kept[0]) ? findLastWords(old) : undefined;
    const carried = formatCarriedOver(collectCarriedOver(old.filter((content) => content !== prompt)));
    const summary = userTurn([snapshot, carried].filter(Boolean).join('\n\n'));
    // A turn with calls must come right after a turn of the user.
    const answered = hasFunctionCall(kept[0]) && !prompt ? [] : [modelTurn(SNAPSHOT_ACKNOWLEDGEMENT)];
    const compressed = [...context, summary, ...answered, ...(prompt ? [prompt] : []), ...kept];
    return this.replaceIfSmaller(request, compressed, before);
  }

  private replaceIfSmaller(
    { chat, force = false }: CompressionRequest,
    compressed: Content[],
    before: number,
  ): ChatCompressionInfo {
    const after = estimate(compressed);
    if (after >= before) {
      // What the user tried early says nothing about a history that is full.
      this.hasInflated ||= !force;
      return info(before, after, CompressionStatus.COMPRESSION_FAILED_INFLATED_TOKEN_COUNT);
    }
    chat.setHistory(compressed);
    this.hasInflated = false;
    this.hasJustCompressed = true;
    return info(before, after, CompressionStatus.COMPRESSED);
  }

  private onlyShorten(
    { chat }: CompressionRequest,
    shortened: readonly Content[],
    before: number,
  ): ChatCompressionInfo {
    const after = estimate(shortened);
    if (after >= before) return info(before, before, CompressionStatus.NOOP);
    chat.setHistory(shortened);
    return info(before, after, CompressionStatus.CONTENT_TRUNCATED);
  }

  /** Two calls: a snapshot, then the same model's criticism of it. The first stands if the second fails. */
  private async takeSnapshot(old: readonly Content[], request: CompressionRequest): Promise<string | undefined> {
    const { prompt_id, signal, activeModel } = request;
    const question = {
      model: factsOf(activeModel, this.options.catalogue).compressionPreset ?? activeModel,
      systemInstruction: SNAPSHOT_SYSTEM_PROMPT,
      signal,
      role: 'utility_compressor' as const,
    };
    const asked: Content[] = [...old, userTurn(SNAPSHOT_PROMPT)];
    const first = await this.options.model.generateText({ ...question, prompt_id, contents: asked });
    if (!first) return undefined;
    const contents = [...asked, modelTurn(first), userTurn(CRITIQUE_PROMPT)];
    const second = await this.options.model.generateText({ ...question, prompt_id: `${prompt_id}-verify`, contents });
    return second ?? first;
  }

  /** Newest first within the budget; what lies beyond it is saved to a file and replaced by where it is. */
  private async shortenToolOutput(history: readonly Content[]): Promise<Content[]> {
    let left = TOOL_OUTPUT_BUDGET;
    const shortened = [...history];
    for (let index = history.length - 1; index >= 0; index--) {
      const content = history[index];
      if (!content?.parts?.some((part) => part.functionResponse)) continue;
      const parts: Part[] = [];
      for (const part of content.parts) {
        left -= part.functionResponse ? estimateTokenCount([part]) : 0;
        parts.push(left < 0 && part.functionResponse ? await this.shorten(part) : part);
      }
      shortened[index] = { ...content, parts };
    }
    return shortened;
  }

  private async shorten(part: Part): Promise<Part> {
    const { savedOutputs } = this.options;
    return savedOutputs ? savedOutputs.shorten(part) : part;
  }

  private async firePreCompress(trigger: CompressTrigger, signal: AbortSignal): Promise<void> {
    const { hooks } = this.options;
    if (hooks?.preCompress) await tryUntilAborted(async () => hooks.preCompress?.(trigger, signal), signal);
  }
}

/** Where what is kept begins: at the user's own words, or where those leave too little, at a step of the last prompt. */
function findSplit(history: readonly Content[]): number {
  const fraction = 1 - COMPRESSION_PRESERVE_THRESHOLD;
  const atWords = findIndexAfterFraction(history, fraction);
  const size = (contents: readonly Content[]) => JSON.stringify(contents).length;
  if (size(history.slice(0, atWords)) >= LEAST_SHARE * size(history)) return atWords;
  return Math.max(atWords, findStepAfterFraction(history, fraction));
}

function estimate(history: readonly Content[]): number {
  return estimateTokenCount(history.flatMap(({ parts }) => parts ?? []));
}

function info(
  originalTokenCount: number,
  newTokenCount: number,
  compressionStatus: CompressionStatus,
): ChatCompressionInfo {
  return { originalTokenCount, newTokenCount, compressionStatus };
}

function userTurn(text: string): Content {
  return { role: 'user', parts: [{ text }] };
}

function modelTurn(text: string): Content {
  return { role: 'model', parts: [{ text }] };
}
