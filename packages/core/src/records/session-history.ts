/**
 * What a recorded session tells the model when it goes on: messages to turns of the
 * API, each fact once, every call answered right after it was asked for. A call that a
 * stop of the program cut off is answered with what is known of it: that it was not
 * started, that it was carried out, or that its effect is unknown. Pure.
 */

import { separatePlayedMedia } from '../chat/played-media.ts';
import type { Content, FunctionCall, FunctionResponse, Part } from '../protocol/content.ts';
import type { EndedCall, FileChange, InterruptedStatus, StartedCall } from './session-file.ts';
import type { LoadedMessage } from './replay-session.ts';
import { textOf, toStoredParts } from './session-parts.ts';

/** A call of the turn that the program did not live to send the answers of. */
export interface OpenCall {
  id: string | undefined;
  name: string;
  args: Record<string, unknown>;
  status: InterruptedStatus | 'finished' | 'cancelled';
  /** It had begun, and is known to have changed nothing yet. */
  isUnchanged?: boolean;
  /** The response stands in the file, from the process that ran the call or from one that went on before. */
  isAnswered: boolean;
  /** What the model reads of it. */
  response: Part;
}

export interface SessionHistory {
  turns: Content[];
  /** The message each turn came from. */
  ids: Map<Content, string>;
  /** Calls of the last turn, if nothing but answers followed it. */
  openCalls: OpenCall[];
  /** The last turn was sent to the model and got no answer. */
  awaitsAnswer: boolean;
}

const TOLD: Record<InterruptedStatus, string> = {
  not_started: 'The program stopped before this call started. The call had no effect.',
  carried_out:
    'The program stopped while this call was running, so its result is lost. The call was carried out: the file has the new content.',
  unknown: 'The program stopped while this call was running. Its effect is unknown: check before you repeat it.',
};
const TOLD_UNCHANGED = 'The program stopped before this call changed anything: the file is unchanged.';
const NOT_FINISHED: ReadonlySet<EndedCall['status']> = new Set(['cancelled', 'not_started', 'carried_out', 'unknown']);

/** Of what an interrupted call printed, this much from the end is told. */
const TOLD_OUTPUT = 8192;
const TOLD_WITHOUT_EFFECT =
  'The program stopped while this call was running, so its result is lost. The call changes nothing, so you can repeat it.';

const TOLD_AFTER_LOSS =
  'The session record is incomplete, so it is unknown whether this call ran: check before you repeat it.';

export interface HistoryOptions {
  /** The recording ended before the session did: that nothing is on record of a call means nothing. */
  hasLoss?: boolean;
  /** Checks whether a change has happened; without it the effect is unknown. */
  stateOf?: (change: FileChange) => 'before' | 'after' | 'other';
}

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
 * Words that never reached a model: commands of the surface, and context that a
 * resumed session gets anew. What carries a `prompt_id` was sent as it is.
 */
function isInternal(message: LoadedMessage, parts: readonly Part[]): boolean {
  const text = (parts.length === 1 && parts[0]?.text) || textOf([...parts]);
  if (/^\s*<session_context>/.test(text)) return true;
  return message.prompt_id === undefined && /^\s*([/?]|<hook_context>)/.test(text);
}

/** A turn that asked for calls, and what has answered it so far. */
class Asking {
  readonly message: LoadedMessage;
  readonly calls: readonly FunctionCall[];
  /** By the index of the call: its response, and the media that belong to it. */
  private readonly answers = new Map<number, Part[]>();
  /** By the index of the call: how it ended, where that was written down with the response. */
  private readonly endings = new Map<number, EndedCall['status']>();
  /** What a person added. */
  private readonly words: Part[] = [];
  private readonly options: HistoryOptions;

  constructor(message: LoadedMessage, calls: readonly FunctionCall[], options: HistoryOptions) {
    this.options = options;
    this.message = message;
    this.calls = calls;
    for (const { parts, status } of storedAnswers(message)) this.add(parts, { belongTogether: true, status });
  }

  /** An answer given before is replaced: a fact told twice is one fact. */
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

  /** The answers in the order of the calls, then what came along with them. */
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

  /** A call of ours that has an answer and never began was refused or cancelled before it could. */
  private endingOf(index: number): OpenCall['status'] {
    const ending = this.endings.get(index);
    if (ending !== undefined) return NOT_FINISHED.has(ending) ? (ending as OpenCall['status']) : 'finished';
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
  /** The last turn asks for nothing. */
  private isAside = false;
  private readonly options: HistoryOptions;

  constructor(options: HistoryOptions) {
    this.options = options;
  }

  model(message: LoadedMessage): void {
    this.answer();
    const parts = toModelParts(message);
    if (parts.length === 0) return;
    this.push({ role: 'model', parts }, message.id);
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

/** Calls and thoughts are in the content of newer files; older ones keep them beside it. */
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

/** For each stored result its response, and the media that belong to it. */
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

/** Gemini CLI puts the name before an id, not everywhere. */
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

function toInterrupted(call: FunctionCall, message: LoadedMessage, options: HistoryOptions): OpenCall {
  const started = message.started?.findLast(({ callId }) => callId === call.id);
  const status = options.hasLoss ? 'unknown' : toStatus(started, message, options);
  const { id, name = '', args = {} } = call;
  const output = started?.output?.slice(-TOLD_OUTPUT);
  const sentence = toSentence(status, started, options);
  const told =
    status === 'carried_out' ? { output: sentence, status } : { error: sentence, status, ...(output && { output }) };
  const response = { functionResponse: { ...(id !== undefined && { id }), name, response: told } };
  const isUnchanged = status === 'not_started' && started !== undefined;
  return {
    id,
    name,
    args: started?.args ?? args,
    status,
    ...(isUnchanged && { isUnchanged }),
    isAnswered: false,
    response,
  };
}

function toSentence(status: InterruptedStatus, started: StartedCall | undefined, { hasLoss }: HistoryOptions): string {
  if (status === 'unknown' && started?.hasEffects === false) return TOLD_WITHOUT_EFFECT;
  if (hasLoss) return TOLD_AFTER_LOSS;
  return status === 'not_started' && started ? TOLD_UNCHANGED : TOLD[status];
}

/** Only our own records say when a call begins and what it is about to change; of other calls nothing is known. */
function toStatus(
  started: StartedCall | undefined,
  { prompt_id }: LoadedMessage,
  { stateOf }: HistoryOptions,
): InterruptedStatus {
  if (!started) return prompt_id === undefined ? 'unknown' : 'not_started';
  const states = new Set(stateOf && started.changes?.map(stateOf));
  if (states.size !== 1) return 'unknown';
  return states.has('after') ? 'carried_out' : states.has('before') ? 'not_started' : 'unknown';
}
