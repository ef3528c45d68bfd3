/**
 * ToolOutputMask keeps the newest tool output whole and replaces older output by a note that names the file it was
 * saved to: old output is the bulk of a long history and rarely read again. It processes only new turns, so a turn
 * costs what it added.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import { estimateTokenCount } from '../provider/token-estimate.ts';
import type { Content, Part } from '../protocol/content.ts';

const PROTECTED_TOKENS = 50_000;
const MIN_PRUNABLE_TOKENS = 30_000;
const PREVIEW_LENGTH = 250;
/** Shorter output would not shrink when replaced by a note. */
const WORTH_SAVING = PREVIEW_LENGTH * 4;
const EXEMPT: ReadonlySet<string> = new Set(['activate_skill', 'ask_user', 'enter_plan_mode', 'exit_plan_mode']);
const MASK_TAG = '<tool_output_masked>';

/** Writes an output to a file of the session; on a problem, the output exists only in the history. Never throws. */
export type SaveOutput = (
  toolName: string,
  callId: string,
  text: string,
) => Promise<{ path: string } | { problem: string }>;

export class SavedOutputs {
  private readonly save: SaveOutput;

  constructor(save: SaveOutput) {
    this.save = save;
  }

  /** Returns the part with its output replaced by a note of its file; unchanged when that would not be smaller. */
  async shorten(part: Part): Promise<Part> {
    const { functionResponse } = part;
    const text = outputOf(part);
    if (!functionResponse || text === undefined || text.length < WORTH_SAVING) return part;
    const saved = await this.save(functionResponse.name ?? 'tool', functionResponse.id ?? 'call', text);
    if ('problem' in saved) return part;
    const { path } = saved;
    return { ...part, functionResponse: { ...functionResponse, response: { output: toNote(text, path) } } };
  }
}

/** As in the settings, under `contextManagement.tools.outputMasking`. */
export interface OutputMaskingOptions {
  /** Tokens of the newest output that are kept. */
  protectionThresholdTokens?: number;
  /** Below this, replacing would cost more of the service's cache than it saves. */
  minPrunableThresholdTokens?: number;
  /** Whether the newest turn with output is kept, whatever its size. Default true. */
  protectLatestTurn?: boolean;
}

interface SeenOutput {
  content: Content;
  tokens: number;
}

/** The result of masking, in estimated tokens. */
export interface MaskedOutputs {
  tokensBefore: number;
  tokensAfter: number;
  /** Turns that were shortened. */
  count: number;
  prunableTokens: number;
}

export class ToolOutputMask {
  private readonly saved: SavedOutputs;
  private readonly seen: SeenOutput[] = [];
  private seenTurns = 0;
  private lastSeen: Content | undefined;
  private tokens = 0;
  private readonly options: Required<OutputMaskingOptions>;
  private readonly onMasked: ((masked: MaskedOutputs) => void) | undefined;

  constructor(save: SaveOutput, options: OutputMaskingOptions = {}, onMasked?: (masked: MaskedOutputs) => void) {
    this.saved = new SavedOutputs(save);
    this.onMasked = onMasked;
    this.options = {
      protectionThresholdTokens: PROTECTED_TOKENS,
      minPrunableThresholdTokens: MIN_PRUNABLE_TOKENS,
      protectLatestTurn: true,
      ...options,
    };
  }

  /** Masks output that has become old. */
  async apply(chat: GeminiChat): Promise<void> {
    this.look(chat);
    const prunable = this.prunable();
    if (prunable.tokens < this.options.minPrunableThresholdTokens) return;
    const masked = new Map<Content, Content>();
    for (const { content } of prunable.outputs) {
      const shorter = await this.mask(content);
      if (shorter) masked.set(content, shorter);
    }
    // Unsaved output stays unchanged, and an unchanged history is not written again.
    if (masked.size === 0) return;
    chat.setHistory(chat.getHistory().map((content) => masked.get(content) ?? content));
    this.onMasked?.(describeMasked(prunable, masked));
    this.forget();
  }

  private look(chat: GeminiChat): void {
    const length = chat.getHistoryLength();
    const replaced =
      length < this.seenTurns || (this.seenTurns > 0 && chat.getContent(this.seenTurns - 1) !== this.lastSeen);
    if (replaced) this.forget();
    for (; this.seenTurns < length; this.seenTurns++) {
      const content = chat.getContent(this.seenTurns);
      this.lastSeen = content;
      const outputs = content?.parts?.filter(isMaskable) ?? [];
      if (!content || outputs.length === 0) continue;
      const tokens = estimateTokenCount(outputs);
      this.tokens += tokens;
      this.seen.push({ content, tokens });
    }
  }

  private forget(): void {
    this.seen.length = 0;
    this.seenTurns = 0;
    this.tokens = 0;
  }

  private prunable(): { tokens: number; outputs: SeenOutput[] } {
    const { protectionThresholdTokens, minPrunableThresholdTokens, protectLatestTurn } = this.options;
    if (this.tokens < protectionThresholdTokens + minPrunableThresholdTokens) return { tokens: 0, outputs: [] };
    let newest = 0;
    let index = this.seen.length - 1;
    for (; index >= 0; index--) {
      newest += this.seen[index]?.tokens ?? 0;
      if (newest >= protectionThresholdTokens) break;
    }
    // The output that crosses the limit is kept too, unless it is the latest and unprotected.
    const isLatest = index === this.seen.length - 1;
    const end = isLatest && !protectLatestTurn ? index + 1 : Math.max(index, 0);
    const outputs = this.seen.slice(0, end);
    return { tokens: outputs.reduce((sum, { tokens }) => sum + tokens, 0), outputs };
  }

  /** Undefined when no part of it could be shortened. */
  private async mask(content: Content): Promise<Content | undefined> {
    const { parts = [] } = content;
    const shortened = await Promise.all(
      parts.map(async (part) => (isMaskable(part) ? this.saved.shorten(part) : part)),
    );
    return shortened.some((part, index) => part !== parts[index]) ? { ...content, parts: shortened } : undefined;
  }
}

function describeMasked(
  { tokens, outputs }: { tokens: number; outputs: readonly SeenOutput[] },
  masked: ReadonlyMap<Content, Content>,
): MaskedOutputs {
  const saved = outputs.reduce((sum, { content }) => {
    const shorter = masked.get(content);
    return shorter ? sum + estimateTokenCount(content.parts ?? []) - estimateTokenCount(shorter.parts ?? []) : sum;
  }, 0);
  return { tokensBefore: tokens, tokensAfter: tokens - saved, count: masked.size, prunableTokens: tokens };
}

function isMaskable(part: Part): boolean {
  const { functionResponse } = part;
  if (!functionResponse || EXEMPT.has(functionResponse.name ?? '')) return false;
  const text = outputOf(part) ?? '';
  return text.length >= WORTH_SAVING && !text.startsWith(MASK_TAG);
}

function outputOf(part: Part): string | undefined {
  const output = part.functionResponse?.response?.['output'];
  return typeof output === 'string' ? output : undefined;
}

function toNote(text: string, path: string): string {
  const lines = text.split('\n').length;
  return [
    MASK_TAG,
    `This output was moved to a file to save context: ${path} (${text.length} characters, ${lines} lines). Read it there if you need it.`,
    text.slice(0, PREVIEW_LENGTH),
    '…',
    text.slice(-PREVIEW_LENGTH),
    '</tool_output_masked>',
  ].join('\n');
}
