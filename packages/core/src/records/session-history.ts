/**
 * Converts the messages of a recorded session to the turns the model receives on resume:
 * each fact once, every call answered right after it was requested. Pure.
 */

import { separatePlayedMedia } from '../chat/played-media.ts';
import type { Content, FunctionCall, FunctionResponse, Part } from '../protocol/content.ts';
import { withOrigin } from '../protocol/origin.ts';
import { toInterrupted } from './interrupted-call.ts';
import type { HistoryOptions, OpenCall } from './interrupted-call.ts';
import type { EndedCall } from './session-file.ts';
import type { LoadedMessage } from './replay-session.ts';
import { textOf, toStoredParts } from './session-parts.ts';
import { storedOriginOf } from './stored-origin.ts';

export interface SessionHistory {
  turns: Content[];
  /** The message each turn came from. */
  ids: Map<Content, string>;
  /** Calls of the last turn, if only responses followed it. */
  openCalls: OpenCall[];
  /** The last turn was sent to the model and got no answer. */
  awaitsAnswer: boolean;
}

const NOT_FINISHED: ReadonlySet<EndedCall['status']> = new Set(['cancelled', 'not_started', 'carried_out', 'unknown']);

export function toSessionHistory(messages: readonly LoadedMessage[], options: HistoryOptions = {}): SessionHistory {
  const builder = new HistoryBuilder(options);
  for (const message of messages) {
    if (message.isInterrupted) continue;
    if (message.type === 'gemini') builder.model(message);
    else if (message.type === 'user') builder.user(message, toStoredParts(message.content));
  }
  return builder.finish();
}

/**
 * Text that never reached a model: surface commands, and context that a resumed session
 * adds anew. A message with a `prompt_id` was sent as it is.
 */
function isInternal(message: LoadedMessage, parts: readonly Part[]): boolean {
  const text = (parts.length === 1 && parts[0]?.text) || textOf([...parts]);
  if (/^\s*<session_context>/.test(text)) return true;
  return message.prompt_id === undefined && /^\s*([/?]|<hook_context>)/.test(text);
}

/** A turn that requested calls, and the responses so far. */
class Asking {
  readonly message: LoadedMessage;
  readonly calls: readonly FunctionCall[];
  /** By the index of the call: its response and the media that belong to it. */
  private readonly answers = new Map<number, Part[]>();
  /** By the index of the call: how it ended, where that was recorded with the response. */
  private readonly endings = new Map<number, EndedCall['status']>();
  /** Text the user added. */
  private readonly words: Part[] = [];
  private readonly options: HistoryOptions;

  constructor(message: LoadedMessage, calls: readonly FunctionCall[], options: HistoryOptions) {
    this.options = options;
    this.message = message;
    this.calls = calls;
    for (const { parts, status } of storedAnswers(message)) this.add(parts, { belongTogether: true, status });
  }

  /** Replaces an earlier response to the same call: the model receives a fact once. */
  add(
    parts: readonly Part[],
    { belongTogether, status }: { belongTogether: boolean; status?: EndedCall['status'] | undefined },
  ): void {
    let group: Part[] | undefined;
    for (const part of parts) {
      if (part.functionResponse) {
        const index = this.find(part.functionResponse);
        const call = this.calls[index];
        group = call && [withIdentity(part, call)];
        if (group) this.answers.set(index, group);
        if (group && status) this.endings.set(index, status);
      } else if (!belongTogether) this.words.push(part);
      else group?.push(part);
    }
  }

  /** The responses in the order of the calls, then the parts that came with them. */
  finish(): { parts: Part[]; calls: OpenCall[] } {
    const calls = this.calls.map((call, index) => {
      const [response] = this.answers.get(index) ?? [];
      if (!response) return toInterrupted(call, this.message, this.options);
      const { id, name = '', args = {} } = call;
      return { id, name, args, status: this.endingOf(index), isAnswered: true, response };
    });
    const media = this.calls.flatMap((_, index) => this.answers.get(index)?.slice(1) ?? []);
    return { parts: [...calls.map(({ response }) => response), ...media, ...this.words], calls };
  }

  /** A call of ours that has a response and never started was denied or cancelled beforehand. */
  private endingOf(index: number): OpenCall['status'] {
    const ending = this.endings.get(index);
    if (ending !== undefined) return NOT_FINISHED.has(ending) ? (ending as OpenCall['status']) : 'finished';
    const told = this.answers.get(index)?.[0]?.functionResponse?.response?.['status'];
    if (told === 'unknown') return told;
    const { started = [], prompt_id } = this.message;
    const hasBegun = started.some(({ callId }) => callId === this.calls[index]?.id);
    return hasBegun || prompt_id === undefined ? 'finished' : 'not_started';
  }

  private find(response: FunctionResponse): number {
    const byId = this.calls.findIndex((call) => isSameId(response, call));
    if (byId >= 0) return byId;
    return this.calls.findIndex(
      (call, index) =>
        call.name === response.name && (call.id === undefined || response.id === undefined) && !this.answers.has(index),
    );
  }
}

class HistoryBuilder {
  private readonly turns: Content[] = [];
  private readonly ids = new Map<Content, string>();
  private asking: Asking | undefined;
  /** The last turn needs no answer. */
  private isAside = false;
  private readonly options: HistoryOptions;

  constructor(options: HistoryOptions) {
    this.options = options;
  }

  model(message: LoadedMessage): void {
    this.answer();
    const parts = toModelParts(message);
    if (parts.length === 0) return;
    this.push(withOrigin({ role: 'model', parts }, storedOriginOf(message, parts)), message.id);
    const calls = parts.flatMap((part) => part.functionCall ?? []);
    if (calls.length > 0) this.asking = new Asking(message, calls, this.options);
  }

  user(message: LoadedMessage, parts: Part[]): void {
    const hasAnswers = parts.some((part) => part.functionResponse);
    if (parts.length === 0 || (!hasAnswers && isInternal(message, parts))) return;
    if (this.asking && (hasAnswers || message.isJoined)) {
      this.asking.add(parts, { belongTogether: message.call !== undefined, status: message.call?.status });
    } else {
      this.answer();
      if (hasAnswers) return;
      this.push({ role: 'user', parts }, message.id);
      this.isAside = message.isAside ?? false;
    }
  }

  finish(): SessionHistory {
    const openCalls = this.answer();
    const awaitsAnswer = this.turns.at(-1)?.role === 'user' && !this.isAside;
    return { turns: this.turns, ids: this.ids, openCalls, awaitsAnswer };
  }

  private answer(): OpenCall[] {
    const { asking } = this;
    if (!asking) return [];
    this.asking = undefined;
    const { parts, calls } = asking.finish();
    const id = `${asking.message.id}_response`;
    for (const turn of separatePlayedMedia({ role: 'user', parts })) this.push(turn, id);
    return calls;
  }

  private push(content: Content, id: string): void {
    this.turns.push(content);
    this.ids.set(content, id);
    this.isAside = false;
  }
}

/** Newer files hold calls and thoughts in the content; older ones beside it. */
function toModelParts({ content, thoughts = [], toolCalls = [] }: LoadedMessage): Part[] {
  const parts = toStoredParts(content).filter((part) => !part.functionResponse);
  if (parts.some((part) => part.functionCall || part.thought)) return parts;
  return [
    ...thoughts.map(({ subject = '', description = '' }) => ({
      text: `**${subject}** ${description}`,
      thought: true,
    })),
    ...parts.filter((part) => part.text !== ''),
    ...toolCalls.map(({ id, name, args }) => ({
      functionCall: { ...(id !== undefined && { id }), name: name ?? '', args: args ?? {} },
    })),
  ];
}

/** Each stored result's response and the media that belong to it. */
function* storedAnswers({ toolCalls = [] }: LoadedMessage): Generator<{
  parts: Part[];
  status: 'cancelled' | undefined;
}> {
  for (const { id, name, result, status: ending } of toolCalls) {
    if (result === undefined || result === null) continue;
    const status = ending === 'cancelled' ? ending : undefined;
    const parts = typeof result === 'string' ? [] : toStoredParts(result);
    if (parts.some((part) => part.functionResponse)) yield { parts, status };
    else {
      const output = typeof result === 'string' ? result : textOf(parts);
      const functionResponse = { ...(id !== undefined && { id }), name: name ?? '', response: { output } };
      yield { parts: [{ functionResponse }, ...parts.filter((part) => part.text === undefined)], status };
    }
  }
}

/** Gemini CLI prefixes an id with the name in some places. */
function isSameId(response: { id?: string; name?: string }, { id, name = '' }: FunctionCall): boolean {
  if (response.id === undefined || id === undefined) return false;
  const bare = (text: string) => (text.startsWith(`${name}__`) ? text.slice(name.length + 2) : text);
  return bare(response.id) === bare(id);
}

function withIdentity(part: Part, { id, name = '' }: FunctionCall): Part {
  const { id: ownId, ...rest } = part.functionResponse ?? {};
  if (ownId === id && rest.name === name) return part;
  return { ...part, functionResponse: { ...rest, ...(id !== undefined && { id }), name } };
}
