/**
 * ToolCallUpdates: tells the editor of every call, of the agent and of its sub-agents: pending when it is requested, in
 * progress with its output while it runs, completed or failed with its result.
 */

import type { SessionUpdate, ToolCallContent, ToolCallStatus, ToolKind as AcpKind } from '@agentclientprotocol/sdk';
import type {
  AgentEvent,
  Part,
  ToolCallRequestInfo,
  ToolCallResponseInfo,
  ToolCallUpdatedEvent,
  ToolKind,
  ToolResultDisplay,
} from '@castor/core';
import { callWords } from '../call-words.ts';
import { makeVisibleLine } from '../make-visible.ts';
import { diffContent, fence, textContent } from './permissions.ts';

type Fields = Omit<Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>, 'sessionUpdate' | 'toolCallId'>;

/** What a question about the call repeats: some editors show nothing else. */
export type CallFacts = Pick<Fields, 'title' | 'kind' | 'locations' | 'rawInput'>;

interface Call {
  readonly id: string;
  facts: CallFacts;
  /** Of the tool that runs: a hook may change it. */
  name: string;
  kind: AcpKind;
  status: ToolCallStatus;
  isCancelled: boolean;
  output: string;
  /** The terminal of the editor that the command runs in. */
  terminalId?: string;
  /** When its output was last shown, and the timer that shows the rest. */
  shownAt: number;
  timer?: NodeJS.Timeout | undefined;
}

export interface ToolCallUpdatesOptions {
  readonly emit: (update: SessionUpdate) => void;
  readonly toolOf: (name: string) => { readonly displayName: string; readonly kind: ToolKind } | undefined;
}

/** The end of a running command's output that is shown; the result has the rest. */
const SHOWN_OUTPUT = 16_000;
const OUTPUT_PAUSE_MS = 100;

const KINDS: Readonly<Record<ToolKind, AcpKind>> = {
  ...{ read: 'read', edit: 'edit', delete: 'delete', move: 'move', search: 'search', execute: 'execute' },
  ...{ think: 'think', agent: 'think', fetch: 'fetch', communicate: 'other', plan: 'other' },
  ...{ switch_mode: 'switch_mode', other: 'other' },
};

export class ToolCallUpdates {
  private readonly options: ToolCallUpdatesOptions;
  private readonly calls = new Map<string, Call>();

  constructor(options: ToolCallUpdatesOptions) {
    this.options = options;
  }

  /** The id of a call for the editor: those of a sub-agent may repeat. */
  static idOf(callId: string, { parentCallId }: Pick<AgentEvent, 'parentCallId'>): string {
    return parentCallId === undefined ? callId : `${parentCallId}/${callId}`;
  }

  requested(request: ToolCallRequestInfo, event: AgentEvent): void {
    const { callId, name, args, display } = request;
    const id = ToolCallUpdates.idOf(callId, event);
    const tool = this.options.toolOf(name);
    const kind = KINDS[tool?.kind ?? 'other'];
    const title = display ? titleOf(name, display, kind) : makeVisibleLine(tool?.displayName ?? name);
    const begun = { status: 'pending', isCancelled: false, output: '', shownAt: -Infinity } as const;
    this.calls.set(id, { id, name, kind, facts: { title, kind, rawInput: args }, ...begun });
    const { parentCallId } = event;
    this.options.emit({
      sessionUpdate: 'tool_call',
      toolCallId: id,
      title,
      name,
      kind,
      status: 'pending',
      rawInput: args,
      ...(parentCallId !== undefined && { _meta: { parentToolCallId: parentCallId } }),
    });
  }

  updated({ callId, status, shown, output, name, args }: ToolCallUpdatedEvent, event: AgentEvent): void {
    const call = this.calls.get(ToolCallUpdates.idOf(callId, event));
    if (!call) return;
    call.isCancelled ||= status === 'cancelled';
    const fields: Fields = {};
    if (name !== undefined) call.name = name;
    if (shown) {
      call.kind = KINDS[shown.kind];
      const title = titleOf(call.name, shown.display, call.kind);
      Object.assign(fields, { title, kind: call.kind, locations: shown.locations });
    }
    if (args) fields.rawInput = args;
    call.facts = { ...call.facts, ...fields };
    if (status === 'executing' && call.status === 'pending') {
      call.status = 'in_progress';
      fields.status = call.status;
    }
    if (Object.keys(fields).length > 0) this.update(call, fields);
    if (output !== undefined && call.terminalId === undefined) this.addOutput(call, output);
  }

  factsOf(callId: string, event: AgentEvent): CallFacts {
    return this.calls.get(ToolCallUpdates.idOf(callId, event))?.facts ?? {};
  }

  /** A terminal of the editor shows the command. */
  attachTerminal(callId: string, terminalId: string): void {
    const call = [...this.calls.values()].findLast(({ id }) => id === callId || id.endsWith(`/${callId}`));
    if (!call) return;
    call.terminalId = terminalId;
    this.update(call, { content: [{ type: 'terminal', terminalId }] });
  }

  ended(response: ToolCallResponseInfo, event: AgentEvent): void {
    const { callId, error, resultDisplay, data, responseParts } = response;
    const id = ToolCallUpdates.idOf(callId, event);
    const call = this.calls.get(id);
    if (!call) return;
    // A cancelled sub-agent does not report the ends of its calls any more.
    this.close(`${id}/`);
    this.calls.delete(id);
    clearTimeout(call.timer);
    const content = [...contentOf(resultDisplay, call, error), ...mediaIn(responseParts)];
    const status = error || call.isCancelled ? 'failed' : 'completed';
    this.update(call, { status, content, ...(data && { rawOutput: data }) });
  }

  /** Ends what a prompt or a sub-agent left open: those whose id begins so, a sub-agent's calls before its own. */
  close(prefix = ''): void {
    for (const call of [...this.calls.values()].toReversed()) {
      if (!call.id.startsWith(prefix)) continue;
      this.calls.delete(call.id);
      clearTimeout(call.timer);
      const hasRest = call.timer !== undefined && call.output !== '';
      this.update(call, { status: 'failed', ...(hasRest && { content: shownOutput(call) }) });
    }
  }

  private addOutput(call: Call, more: string): void {
    call.output = (call.output + more).slice(-SHOWN_OUTPUT).toWellFormed();
    if (call.timer) return;
    const wait = call.shownAt + OUTPUT_PAUSE_MS - performance.now();
    if (wait <= 0) this.showOutput(call);
    else call.timer = setTimeout(() => this.showOutput(call), wait);
  }

  private showOutput(call: Call): void {
    call.timer = undefined;
    call.shownAt = performance.now();
    this.update(call, { content: shownOutput(call) });
  }

  private update({ id }: Call, fields: Fields): void {
    this.options.emit({ sessionUpdate: 'tool_call_update', toolCallId: id, ...fields });
  }
}

function shownOutput({ output }: Call): ToolCallContent[] {
  return [textContent(fence(output))];
}

/** A command is its own title. */
function titleOf(toolName: string, display: NonNullable<ToolCallRequestInfo['display']>, kind: AcpKind): string {
  const name = makeVisibleLine(display.name.trim() || toolName);
  const description = makeVisibleLine(display.description.trim());
  if (kind === 'execute') return description || name;
  const { verb, object } = callWords(toolName, { name, description });
  return `${verb} ${object}`.trimEnd();
}

function contentOf(
  display: ToolResultDisplay | undefined,
  { terminalId, kind }: Pick<Call, 'terminalId' | 'kind'>,
  error: Error | undefined,
): ToolCallContent[] {
  const shown: ToolCallContent[] = terminalId === undefined ? [] : [{ type: 'terminal', terminalId }];
  if (error) return [...shown, textContent(error.message)];
  if (typeof display === 'string') {
    if (display.trim() === '' || terminalId !== undefined) return shown;
    return [...shown, textContent(kind === 'execute' ? fence(display.replace(/\n+$/, '')) : display)];
  }
  if (display && 'fileDiff' in display) return [...shown, diffContent(display)];
  if (display && 'summary' in display)
    return [...shown, ...(display.diffs?.map(diffContent) ?? [textContent(display.summary)])];
  return shown;
}

/** Pictures and sounds of a result, which the editor can show. */
function mediaIn(parts: readonly Part[]): ToolCallContent[] {
  const all = parts.flatMap((part) => [part, ...(part.functionResponse?.parts ?? [])]);
  return all.flatMap(({ inlineData }) => {
    const { data = '', mimeType = '' } = inlineData ?? {};
    const type = (['image', 'audio'] as const).find((each) => mimeType.startsWith(`${each}/`));
    return type === undefined || data === '' ? [] : [{ type: 'content', content: { type, data, mimeType } }];
  });
}
