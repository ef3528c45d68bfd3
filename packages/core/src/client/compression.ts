/**
 * tryCompressChat: replaces the older part of a history by a summary (the snapshot) when the history exceeds its
 * share of the model's window. A compression that fails, or would enlarge the history, leaves it unchanged.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { ModelCatalogue } from '../provider/catalogue/model-catalogue.ts';
import { factsOf } from '../routing/models.ts';
import { findIndexAfterFraction, findStepAfterFraction } from '../chat/history.ts';
import { hasFunctionCall } from '../chat/parts.ts';
import { estimateHistoryTokenCount, estimateTokenCount } from '../provider/token-estimate.ts';
import type { Content, Part } from '../protocol/content.ts';
import { CompressionStatus } from '../protocol/events.ts';
import type { ChatCompressionInfo } from '../protocol/events.ts';
import { tryUntilAborted } from '../util/abort.ts';
import type { AgentHooks, CompressTrigger } from './agent-hooks.ts';
import type { SavedOutputs } from './tool-output-masking.ts';
import type { UtilityModel } from './utility-model.ts';

export const COMPRESSION_TOKEN_THRESHOLD = 0.5;
/** The share of the history, from its end, that is kept unchanged. */
export const COMPRESSION_PRESERVE_THRESHOLD = 0.3;
/**
 * The least share to summarise when the cut is at a prompt of the user; below it, the cut is at a step of the current
 * prompt.
 */
const LEAST_SHARE = (1 - COMPRESSION_PRESERVE_THRESHOLD) / 2;
/** After a useless summary, the history must grow by this factor before the next one. */
const GROWTH_BEFORE_RETRY = 1.05;
/** Share of the window above which it is tried regardless: there is no alternative. */
const LAST_RESORT = 0.9;
/** Newer tool output, up to this many tokens, is sent to the summariser whole. */
const TOOL_OUTPUT_BUDGET = 50_000;

export interface CompressionOptions {
  model: UtilityModel;
  tokenLimit(model: string): number;
  /** Names the preset that summarises; the Gemini API's unless another is given. */
  catalogue?: ModelCatalogue | undefined;
  /** Share of the window above which a history is compressed. */
  threshold?: number;
  hooks?: AgentHooks;
  /** Stores old tool output in full; without it, the output is truncated. */
  savedOutputs?: SavedOutputs;
  /** Called for every attempt that asked a model, whatever its result. */
  onSummarised?: (attempt: ChatCompressionInfo) => void;
}

export interface CompressionRequest {
  chat: GeminiChat;
  /** The model whose window applies. */
  activeModel: string;
  prompt_id: string;
  signal: AbortSignal;
  /** The user requested it: compress below the threshold too. */
  force?: boolean;
}

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
    const { chat, activeModel, signal, force = false } = request;
    if (chat.getHistoryLength() === 0) return info(0, 0, CompressionStatus.NOOP);
    // On every turn, also when nothing will be compressed: users' hooks rely on it.
    await this.firePreCompress(force ? 'manual' : 'auto', signal);
    const promptTokens = chat.getLastPromptTokenCount();
    if (!force && !this.isDue(promptTokens, activeModel)) {
      return info(promptTokens, promptTokens, CompressionStatus.NOOP);
    }
    const shortened = await this.shortenToolOutput(chat.getHistory(true));
    // The last prompt also held instructions and tools, and the service counts differently: estimates of the history
    // are compared with each other.
    const before = estimateHistoryTokenCount(chat.getHistory(true));
    if (this.hasInflated && !force) return this.onlyShorten(request, shortened, before);
    const summarised = await this.summarise(request, shortened, before);
    if (summarised.compressionStatus !== CompressionStatus.NOOP) this.options.onSummarised?.(summarised);
    return summarised;
  }

  private isDue(tokens: number, activeModel: string): boolean {
    const { threshold = COMPRESSION_TOKEN_THRESHOLD, tokenLimit } = this.options;
    const limit = tokenLimit(activeModel);
    // Still this large after a compression: the history is not what fills the window.
    if (this.hasJustCompressed) this.uselessAt = tokens;
    // The history has shrunk since: it is not the one that compression could not reduce.
    else if (tokens < this.uselessAt) this.uselessAt = 0;
    this.hasJustCompressed = false;
    return tokens >= Math.max(threshold * limit, Math.min(this.uselessAt * GROWTH_BEFORE_RETRY, LAST_RESORT * limit));
  }

  private async summarise(
    request: CompressionRequest,
    history: readonly Content[],
    before: number,
  ): Promise<ChatCompressionInfo> {
    const { collectCarriedOver, findLastWords, formatCarriedOver, isSessionContext } =
      await import('./carried-over.ts');
    const { SNAPSHOT_ACKNOWLEDGEMENT } = await import('./snapshot-prompt.ts');
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
    // A cut in the middle of a prompt: the prompt stays directly before the calls it led to.
    const prompt = hasFunctionCall(kept[0]) ? findLastWords(old) : undefined;
    const carried = formatCarriedOver(collectCarriedOver(old.filter((content) => content !== prompt)));
    const summary = userTurn([snapshot, carried].filter(Boolean).join('\n\n'));
    // A turn with calls must directly follow a user turn.
    const answered = hasFunctionCall(kept[0]) && !prompt ? [] : [modelTurn(SNAPSHOT_ACKNOWLEDGEMENT)];
    const compressed = [...context, summary, ...answered, ...(prompt ? [prompt] : []), ...kept];
    return this.replaceIfSmaller(request, compressed, before);
  }

  private replaceIfSmaller(
    { chat, force = false }: CompressionRequest,
    compressed: Content[],
    before: number,
  ): ChatCompressionInfo {
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

  /** Two calls: a snapshot, then the same model's critique of it. The first is used if the second fails. */
  private async takeSnapshot(old: readonly Content[], request: CompressionRequest): Promise<string | undefined> {
    const { prompt_id, signal, activeModel } = request;
    const { CRITIQUE_PROMPT, SNAPSHOT_PROMPT, SNAPSHOT_SYSTEM_PROMPT } = await import('./snapshot-prompt.ts');
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

  /** Newest first within the budget; older output is saved to a file and replaced by its path. */
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

/**
 * Where the kept part starts: at a prompt of the user, or, if that leaves too little to summarise, at a step of the
 * last prompt.
 */
function findSplit(history: readonly Content[]): number {
  const fraction = 1 - COMPRESSION_PRESERVE_THRESHOLD;
  const atWords = findIndexAfterFraction(history, fraction);
  const size = (contents: readonly Content[]) => JSON.stringify(contents).length;
  if (size(history.slice(0, atWords)) >= LEAST_SHARE * size(history)) return atWords;
  return Math.max(atWords, findStepAfterFraction(history, fraction));
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
