/**
 * tryCompressChat: replaces the older part of a history by a summary (the snapshot) when the history exceeds its
 * share of the model's window. A compression that fails, or would enlarge the history, leaves it unchanged.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { ModelCatalogue } from '../provider/catalogue/model-catalogue.ts';
import { estimateHistoryTokenCount } from '../provider/token-estimate.ts';
import type { Content } from '../protocol/content.ts';
import { CompressionStatus } from '../protocol/events.ts';
import type { ChatCompressionInfo } from '../protocol/events.ts';
import { tryUntilAborted } from '../util/abort.ts';
import type { AgentHooks, CompressTrigger } from './agent-hooks.ts';
import type { Summarising, summariseHistory } from './summarise-history.ts';
import type { SavedOutputs } from './tool-output-masking.ts';
import type { UtilityModel } from './utility-model.ts';

export const COMPRESSION_TOKEN_THRESHOLD = 0.5;
/** A window of at most this many tokens is small: half of it holds too little work. */
const SMALL_WINDOW = 32_768;
const SMALL_WINDOW_THRESHOLD = 0.7;
/** The share of the history, from its end, that is kept unchanged. */
export const COMPRESSION_PRESERVE_THRESHOLD = 0.3;
/** After a useless summary, the history must grow by this factor before the next one. */
const GROWTH_BEFORE_RETRY = 1.05;
/** Share of the window above which it is tried regardless: there is no alternative. */
const LAST_RESORT = 0.9;

export interface CompressionOptions {
  model: UtilityModel;
  tokenLimit(model: string): number;
  /** Names the preset that summarises; the Gemini API's unless another is given. */
  catalogue?: ModelCatalogue | undefined;
  /** Share of the window above which a history is compressed. */
  threshold?: number;
  hooks?: AgentHooks;
  /** Stores old tool output in full; without it, the output is truncated. */
  savedOutputs?: Pick<SavedOutputs, 'shorten'>;
  /** Called for every attempt that asked a model, whatever its result. */
  onSummarised?: (attempt: ChatCompressionInfo) => void;
}

export interface CompressionRequest {
  chat: GeminiChat;
  /** The model whose window applies. */
  activeModel: string;
  /** The model of the conversation so far, where another one takes over: it summarises, if it still answers. */
  formerModel?: string;
  prompt_id: string;
  signal: AbortSignal;
  /** The user requested it: compress below the threshold too. */
  force?: boolean;
  /** The service rejected the history as too long, whatever its counted size. */
  isFull?: boolean;
}

type SummariseHistory = typeof summariseHistory;

export class Compressor {
  private readonly options: CompressionOptions;
  /** A summary was larger than the history: from then on, automatic compression only shortens tool output. */
  private hasInflated = false;
  /** The size at which compression was useless: it is retried only when there is clearly more to summarise. */
  private uselessAt = 0;
  private hasJustCompressed = false;

  constructor(options: CompressionOptions) {
    this.options = options;
  }

  /** Throws only on abort; the status reports the result. */
  async tryCompressChat(request: CompressionRequest): Promise<ChatCompressionInfo> {
    const { chat, activeModel, signal, force = false, isFull = false } = request;
    if (chat.getHistoryLength() === 0) return info(0, 0, CompressionStatus.NOOP);
    // On every turn, also when nothing will be compressed: users' hooks rely on it.
    await this.firePreCompress(force ? 'manual' : 'auto', signal);
    const promptTokens = chat.getLastPromptTokenCount();
    if (!force && !isFull && !this.isDue(promptTokens, activeModel)) {
      return info(promptTokens, promptTokens, CompressionStatus.NOOP);
    }
    const { shortenToolOutput, summariseHistory } = await import('./summarise-history.ts');
    const shortened = await shortenToolOutput(chat.getHistory(true), this.options.savedOutputs);
    // The last prompt also held instructions and tools, and the service counts differently: estimates of the history
    // are compared with each other.
    const before = estimateHistoryTokenCount(chat.getHistory(true));
    if (this.hasInflated && !force) return this.onlyShorten(request, shortened, before);
    const summarised = this.judge(request, await summariseHistory(shortened, this.termsOf(request)), before);
    if (summarised.compressionStatus !== CompressionStatus.NOOP) this.options.onSummarised?.(summarised);
    return summarised;
  }

  private isDue(tokens: number, activeModel: string): boolean {
    const limit = this.options.tokenLimit(activeModel);
    const threshold = this.thresholdFor(limit);
    // Still this large after a compression: the history is not what fills the window.
    if (this.hasJustCompressed) this.uselessAt = tokens;
    // The history has shrunk since: it is not the one that compression could not reduce.
    else if (tokens < this.uselessAt) this.uselessAt = 0;
    this.hasJustCompressed = false;
    return tokens >= Math.max(threshold * limit, Math.min(this.uselessAt * GROWTH_BEFORE_RETRY, LAST_RESORT * limit));
  }

  /** A threshold of the user's own applies to every window. */
  private thresholdFor(limit: number): number {
    const { threshold = COMPRESSION_TOKEN_THRESHOLD } = this.options;
    const isOwn = threshold !== COMPRESSION_TOKEN_THRESHOLD;
    return !isOwn && limit <= SMALL_WINDOW ? SMALL_WINDOW_THRESHOLD : threshold;
  }

  private termsOf({
    chat,
    activeModel,
    formerModel = activeModel,
    prompt_id,
    signal,
  }: CompressionRequest): Summarising {
    const { model, catalogue, tokenLimit } = this.options;
    const window = tokenLimit(activeModel);
    const tokens = chat.getLastPromptTokenCount();
    return {
      model,
      catalogue,
      tokenLimit,
      models: [formerModel, activeModel],
      tokens,
      // Of a history larger than the window, the part that fits.
      preserve: COMPRESSION_PRESERVE_THRESHOLD * Math.min(1, window / Math.max(tokens, 1)),
      window,
      keepsSteps: window <= SMALL_WINDOW,
      prompt_id,
      signal,
    };
  }

  private judge(
    { chat, force = false }: CompressionRequest,
    compressed: Awaited<ReturnType<SummariseHistory>>,
    before: number,
  ): ChatCompressionInfo {
    if (compressed === 'nothing_old') return info(before, before, CompressionStatus.NOOP);
    if (compressed === 'no_answer') {
      this.uselessAt = chat.getLastPromptTokenCount();
      return info(before, before, CompressionStatus.COMPRESSION_FAILED_EMPTY_SUMMARY);
    }
    const after = estimateHistoryTokenCount(compressed);
    if (after >= before) {
      // An early compression by the user does not predict the result for a full history.
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
    const after = estimateHistoryTokenCount(shortened);
    if (after >= before) return info(before, before, CompressionStatus.NOOP);
    chat.setHistory(shortened);
    return info(before, after, CompressionStatus.CONTENT_TRUNCATED);
  }

  private async firePreCompress(trigger: CompressTrigger, signal: AbortSignal): Promise<void> {
    const { hooks } = this.options;
    if (hooks?.preCompress) await tryUntilAborted(async () => hooks.preCompress?.(trigger, signal), signal);
  }
}

function info(
  originalTokenCount: number,
  newTokenCount: number,
  compressionStatus: CompressionStatus,
): ChatCompressionInfo {
  return { originalTokenCount, newTokenCount, compressionStatus };
}
