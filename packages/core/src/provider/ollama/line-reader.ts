/** Reads the lines of a streamed answer into responses. A call comes whole in one line. */

import type { FinishReason, GenerateContentResponse, Part, UsageMetadata } from '../../protocol/content.ts';
import { withOrigin } from '../../protocol/origin.ts';
import { isRecord } from '../../util/is-record.ts';
import { parseObject } from '../wire/answer.ts';
import { findReportedError, judgeStreamError } from '../wire/judge-failure.ts';
import type { OriginKey } from '../wire/own-origin.ts';
import type { AnswerReader, WireFrame } from '../wire/wire-protocol.ts';

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = { stop: 'STOP', length: 'MAX_TOKENS' };
/** The server answered without the model: it loaded or unloaded it. */
const NOT_ANSWERS: ReadonlySet<unknown> = new Set(['load', 'unload']);

export interface LineReaderOptions {
  origin: OriginKey;
  readName(spelled: string): string;
  /** The answer's prompt has this many tokens, by the server's own count. */
  onPromptTokens(count: number): string | undefined;
}

export class LineReader implements AnswerReader {
  private readonly options: LineReaderOptions;
  private thinking = '';
  private hasBrokenCall = false;

  constructor(options: LineReaderOptions) {
    this.options = options;
  }

  read({ data }: WireFrame): readonly GenerateContentResponse[] {
    const line = parseObject(data);
    if (line['error'] !== undefined) throw judgeStreamError(findReportedError(line) ?? { types: [] }, true);
    const message = isRecord(line['message']) ? line['message'] : {};
    const parts = this.readMessage(message);
    const stamp = typeof line['model'] === 'string' ? { modelVersion: line['model'] } : {};
    if (line['done'] !== true || NOT_ANSWERS.has(line['done_reason'])) {
      return parts.length === 0 ? [] : [{ candidates: [{ content: { role: 'model', parts }, index: 0 }], ...stamp }];
    }
    return [{ ...this.lastFrame(line, parts), ...stamp }];
  }

  end(): readonly GenerateContentResponse[] {
    return [];
  }

  private readMessage({ content, thinking, tool_calls: calls }: Record<string, unknown>): Part[] {
    const parts: Part[] = [];
    if (typeof thinking === 'string' && thinking !== '') {
      this.thinking += thinking;
      parts.push({ text: thinking, thought: true });
    }
    if (typeof content === 'string' && content !== '') parts.push({ text: content });
    if (Array.isArray(calls)) parts.push(...calls.flatMap((call) => this.toCall(call)));
    return parts;
  }

  private toCall(call: unknown): Part[] {
    const { id, function: fields } = isRecord(call) ? call : {};
    const { name, arguments: given } = isRecord(fields) ? fields : {};
    const args = typeof given === 'string' ? parseArguments(given) : (given ?? {});
    if (typeof name !== 'string' || !isRecord(args)) {
      this.hasBrokenCall = true;
      return [];
    }
    const known = typeof id === 'string' && id !== '' ? { id } : {};
    return [{ functionCall: { ...known, name: this.options.readName(name), args } }];
  }

  private lastFrame(line: Record<string, unknown>, parts: Part[]): GenerateContentResponse {
    const reason = typeof line['done_reason'] === 'string' ? line['done_reason'] : 'stop';
    const finishReason = this.hasBrokenCall
      ? 'MALFORMED_FUNCTION_CALL'
      : (FINISH_REASONS[reason] ?? reason.toUpperCase());
    const blocks = [{ before: 0, type: 'text', field: 'thinking', text: this.thinking }];
    const origin = this.thinking === '' ? undefined : { ...this.options.origin, blocks };
    const usageMetadata = toUsage(line);
    const warning =
      usageMetadata?.promptTokenCount === undefined
        ? undefined
        : this.options.onPromptTokens(usageMetadata.promptTokenCount);
    return {
      candidates: [{ content: withOrigin({ role: 'model', parts }, origin), finishReason, index: 0 }],
      ...(usageMetadata && { usageMetadata }),
      ...(warning !== undefined && { notices: [warning] }),
    };
  }
}

function toUsage({
  prompt_eval_count: prompt,
  eval_count: answer,
}: Record<string, unknown>): UsageMetadata | undefined {
  if (typeof prompt !== 'number' && typeof answer !== 'number') return undefined;
  const promptTokenCount = typeof prompt === 'number' ? prompt : 0;
  const candidatesTokenCount = typeof answer === 'number' ? answer : 0;
  return { promptTokenCount, candidatesTokenCount, totalTokenCount: promptTokenCount + candidatesTokenCount };
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the call must not run.
    return undefined;
  }
}
