/**
 * Decides whether a streamed attempt is an acceptable model turn. `StreamCollector` collects the frames of one
 * attempt; `accept` either returns the turn for the history or throws the InvalidStreamError that names the
 * violation.
 */

import type {
  Content,
  FinishReason,
  GenerateContentResponse,
  Part,
  PromptFeedback,
  UsageMetadata,
} from '../protocol/content.ts';
import { InvalidStreamError } from '../protocol/errors.ts';
import type { InvalidStreamErrorType } from '../protocol/errors.ts';
import { originOf } from '../protocol/origin.ts';
import type { Origin } from '../protocol/origin.ts';
import { isPlainText } from './parts.ts';
import { getFinishReason, getParts } from './response.ts';
import { isRecord } from '../util/is-record.ts';

/** Characters that render as nothing. */
const INVISIBLE = /[\u200B-\u200F\uFEFF]/g;
const HTML_COMMENT = /<!--[\s\S]*?-->/g;

/** Finish reasons by which a service reports that it withheld the answer. */
const BLOCKED: Partial<Record<FinishReason, InvalidStreamErrorType>> = {
  SAFETY: 'SAFETY_BLOCKED',
  IMAGE_SAFETY: 'SAFETY_BLOCKED',
  RECITATION: 'RECITATION_BLOCKED',
  OTHER: 'OTHER_BLOCKED',
  BLOCKLIST: 'OTHER_BLOCKED',
  PROHIBITED_CONTENT: 'OTHER_BLOCKED',
  IMAGE_PROHIBITED_CONTENT: 'OTHER_BLOCKED',
  SPII: 'OTHER_BLOCKED',
  LANGUAGE: 'OTHER_BLOCKED',
};

/** The model tried to call a tool and failed; its other output is not a turn either. */
const BROKEN_CALL: Partial<Record<FinishReason, InvalidStreamErrorType>> = {
  MALFORMED_FUNCTION_CALL: 'MALFORMED_FUNCTION_CALL',
  UNEXPECTED_TOOL_CALL: 'UNEXPECTED_TOOL_CALL',
};

export interface AcceptedTurn {
  /** Adjacent plain text is joined, thoughts are omitted. May be empty after a tool response. */
  parts: Part[];
  finishReason: FinishReason;
  usageMetadata: UsageMetadata | undefined;
  /** The provider's state for this turn; its blocks refer to `parts` by index. */
  origin: Origin | undefined;
}

export class StreamCollector {
  private parts: Part[] = [];
  /** Pieces of the unfinished text part; joined once, when another part or a thought follows. */
  private textRun: string[] = [];
  private finishReason: FinishReason | undefined;
  private finishMessage: string | undefined;
  private promptFeedback: PromptFeedback | undefined;
  /** The newest usage the service reported. */
  usageMetadata: UsageMetadata | undefined;
  private hasCalls = false;
  private hasThoughts = false;
  /** A thought divided a text. Only an origin with a block behind the first part needs it divided. */
  private isDivided = false;
  private origin: Origin | undefined;

  add(response: GenerateContentResponse): void {
    const finishReason = getFinishReason(response);
    if (finishReason) {
      this.finishReason = finishReason;
      const [candidate] = response.candidates ?? [];
      this.finishMessage = candidate?.finishMessage;
      if (candidate?.content) this.origin = originOf(candidate.content) ?? this.origin;
    }
    if (response.usageMetadata) this.usageMetadata = response.usageMetadata;
    if (response.promptFeedback?.blockReason) this.promptFeedback = response.promptFeedback;
    for (const part of getParts(response)) this.addPart(part);
  }

  accept(options: { mayBeSilent: boolean }): AcceptedTurn {
    this.closeTextRun();
    this.throwIfBlockedPrompt();
    const { finishReason } = this;
    if (!finishReason) throw invalid('NO_FINISH_REASON', 'the stream ended without a finish reason');
    const brokenCall = BROKEN_CALL[finishReason];
    if (brokenCall) throw invalid(brokenCall, `the model ended with ${this.describe(finishReason)}`);
    if (!this.hasCalls && !hasVisibleText(this.parts)) this.throwEmpty(finishReason, options);
    const { origin, usageMetadata } = this;
    const hasInnerBlock = origin?.blocks?.some(({ before }) => before > 0) ?? false;
    if (this.isDivided && !hasInnerBlock) this.parts = joinTexts(this.parts);
    return { parts: this.parts, finishReason, usageMetadata, origin };
  }

  private addPart(part: Part): void {
    if (!isPart(part)) return;
    if (part.thought) {
      this.hasThoughts = true;
      this.isDivided ||= this.textRun.length > 0;
      this.closeTextRun();
    } else if (isPlainText(part)) {
      if (part.text) this.textRun.push(part.text);
    } else if (hasPayload(part)) {
      if (part.functionCall) this.hasCalls = true;
      this.closeTextRun();
      this.parts.push(part);
    }
  }

  private closeTextRun(): void {
    if (this.textRun.length === 0) return;
    this.parts.push({ text: this.textRun.join('') });
    this.textRun = [];
  }

  private throwIfBlockedPrompt(): void {
    const { promptFeedback } = this;
    if (!promptFeedback || this.finishReason) return;
    const { blockReason = 'unknown', blockReasonMessage } = promptFeedback;
    const type = BLOCKED[blockReason] ?? 'OTHER_BLOCKED';
    throw invalid(type, `the prompt was blocked: ${withDetail(blockReason, blockReasonMessage)}`);
  }

  private throwEmpty(finishReason: FinishReason, options: { mayBeSilent: boolean }): void {
    const blocked = BLOCKED[finishReason];
    if (blocked) {
      // OTHER names no policy: a retry of the same request may well succeed.
      const what = `the answer was blocked: ${this.describe(finishReason)}`;
      throw invalid(blocked, what, finishReason === 'OTHER' ? true : undefined);
    }
    if (finishReason === 'MAX_TOKENS') {
      throw invalid('MAX_TOKENS_EXCEEDED', 'the output limit was reached before any answer (MAX_TOKENS)');
    }
    if (this.hasThoughts) throw invalid('THINKING_ONLY_RESPONSE', 'the model returned thoughts but no answer');
    // After a tool result a model may have nothing to add.
    if (!options.mayBeSilent) throw invalid('NO_RESPONSE_TEXT', 'the model returned an empty answer');
  }

  private describe(finishReason: FinishReason): string {
    return withDetail(finishReason, this.finishMessage);
  }
}

function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last && isPlainText(last) && isPlainText(part))
      joined[joined.length - 1] = { text: `${last.text}${part.text}` };
    else joined.push(part);
  }
  return joined;
}

/** A frame with candidates whose content, if any, holds no invalid part. */
export function isValidResponse(response: GenerateContentResponse): boolean {
  return (response.candidates?.length ?? 0) > 0 && getParts(response).every(isValidPart);
}

/** A part with content: not an empty object, and not an empty text alone. */
export function isValidPart(part: Part): boolean {
  return isPart(part) && (part.thought === true || isPlainText(part) ? part.text !== '' : hasPayload(part));
}

/** Whether a model turn requests no call and shows nothing. */
export function isSilent({ role, parts = [] }: Content): boolean {
  return role === 'model' && !hasVisibleText(parts);
}

/** Whether text remains after removing invisible characters and comments. */
function hasVisibleText(parts: readonly Part[]): boolean {
  let text = parts.map((part) => part.text ?? '').join('');
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(HTML_COMMENT, '');
  }
  return text.replace(INVISIBLE, '').trim() !== '' || parts.some((part) => part.text === undefined);
}

function hasPayload(part: Part): boolean {
  return Object.keys(part).some((key) => key !== 'thought' && (key !== 'text' || part.text !== ''));
}

/** Parts come from the wire and may have any shape, whatever their type. */
function isPart(part: Part): boolean {
  return isRecord(part);
}

function invalid(type: InvalidStreamErrorType, what: string, retryable?: boolean): InvalidStreamError {
  return new InvalidStreamError(`The model's response is invalid: ${what}.`, type, retryable);
}

function withDetail(reason: string, message: string | undefined): string {
  return message ? `${reason} (${message})` : reason;
}
