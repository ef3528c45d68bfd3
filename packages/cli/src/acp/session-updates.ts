/**
 * SessionUpdates: shows the events of a session in an editor, as updates of the protocol. Everything a terminal would
 * show has a form here: retries, summaries and messages of hooks too.
 */

import type { ClientCapabilities, SessionUpdate } from '@agentclientprotocol/sdk';
import { assertNever, GeminiEventType } from '@castor/core';
import { describeRequestFailure } from '@castor/core/program';
import type { AgentEvent, PromptEndedEvent, Todo, ToolCallResponseInfo } from '@castor/core';
import { describeOverflow } from '../headless/run-summary.ts';
import { describeRetry } from '../headless/retry-note.ts';
import { ToolCallUpdates } from './tool-call-updates.ts';
import type { ToolCallUpdatesOptions } from './tool-call-updates.ts';

export interface SessionUpdatesOptions extends ToolCallUpdatesOptions {
  readonly capabilities: ClientCapabilities;
  /** Called when the mode changed. */
  readonly onMode: (mode: string) => void;
  /** The size of the request that was answered, in tokens. */
  readonly onUsage: (tokens: number) => void;
  /** Whether the events are those of an earlier run: the words of the user are shown too. */
  readonly isReplay?: boolean;
}

export class SessionUpdates {
  readonly calls: ToolCallUpdates;
  /** The end of the last prompt. */
  ended: PromptEndedEvent | undefined;
  private readonly options: SessionUpdatesOptions;
  /** Tells the pieces of one message from those of the next. */
  private messageId = crypto.randomUUID();
  private hasText = false;
  private compactions = 0;

  constructor(options: SessionUpdatesOptions) {
    this.options = options;
    this.calls = new ToolCallUpdates(options);
  }

  show(event: AgentEvent): void {
    if (event.parentCallId !== undefined) this.showChild(event);
    else this.showOwn(event);
  }

  /** A message that is not the model's. */
  tell(severity: 'info' | 'warning', message: string): void {
    if (this.options.capabilities.session?.notices) {
      this.options.emit({ sessionUpdate: 'notice', severity, title: message });
    } else {
      this.options.emit(chunk('agent_thought_chunk', `${message}\n`));
    }
  }

  /** Its result reports a sub-agent's work; its calls are shown as they happen. */
  private showChild(event: AgentEvent): void {
    switch (event.type) {
      case GeminiEventType.ToolCallRequest:
        return this.calls.requested(event.value, event);
      case 'tool_call_updated':
        return this.calls.updated(event, event);
      case GeminiEventType.ToolCallResponse:
        return this.calls.ended(event.value, event);
      default:
        return;
    }
  }

  private showOwn(event: AgentEvent): void {
    switch (event.type) {
      case 'prompt_started':
        this.nextMessage();
        return this.options.isReplay ? this.showPrompt(event) : undefined;
      case GeminiEventType.Content:
        // A session that is shown again has whole messages.
        if (this.options.isReplay) this.nextMessage();
        this.hasText = true;
        return this.options.emit({ ...chunk('agent_message_chunk', event.value), messageId: this.messageId });
      case GeminiEventType.Thought: {
        const { subject, description } = event.value;
        return this.options.emit(
          chunk('agent_thought_chunk', subject ? `**${subject}**\n${description}` : description),
        );
      }
      case GeminiEventType.Citation:
        return this.options.emit({ ...chunk('agent_message_chunk', `\n\n${event.value}`), messageId: this.messageId });
      case GeminiEventType.Finished: {
        const { reason, usageMetadata } = event.value;
        this.nextMessage();
        if (reason !== undefined && reason !== 'STOP') this.tell('warning', `The model stopped with ${reason}.`);
        return usageMetadata?.totalTokenCount === undefined
          ? undefined
          : this.options.onUsage(usageMetadata.totalTokenCount);
      }
      case GeminiEventType.Retry: {
        const words = [describeRetry(event.value) ?? '', this.hasText ? 'The answer starts again.' : ''];
        this.nextMessage();
        const message = words.filter((each) => each !== '').join(' ');
        return message === '' ? undefined : this.tell('warning', message);
      }
      case GeminiEventType.ToolCallRequest:
        return this.calls.requested(event.value, event);
      case 'tool_call_updated':
        return this.calls.updated(event, event);
      case GeminiEventType.ToolCallResponse:
        this.showPlan(event.value);
        return this.calls.ended(event.value, event);
      case GeminiEventType.ChatCompressed:
        return this.showCompression(event.value);
      case GeminiEventType.ContextWindowWillOverflow:
        return this.tell('warning', describeOverflow(event.value));
      case GeminiEventType.MaxSessionTurns:
        return this.tell('warning', 'The session reached its turn limit.');
      case GeminiEventType.LoopDetected:
        return this.tell('warning', 'The model repeated itself, so Castor stopped the prompt.');
      case GeminiEventType.InvalidStream:
        return this.tell('warning', describeRequestFailure(event.value));
      case GeminiEventType.AgentExecutionStopped:
      case GeminiEventType.AgentExecutionBlocked: {
        const { systemMessage, reason } = event.value;
        const isStop = event.type === GeminiEventType.AgentExecutionStopped;
        return this.tell('warning', `A hook ${isStop ? 'stopped' : 'blocked'} the prompt: ${systemMessage ?? reason}`);
      }
      case 'hook_message':
      case 'notice':
        return this.tell(event.level, event.message);
      case 'background_ended':
        return event.message === undefined ? undefined : this.tell('info', event.message);
      case 'mode_changed':
        return this.options.onMode(event.mode);
      case 'prompt_ended':
        this.ended = event;
        return this.calls.close();
      // The session asks these, or their effect is shown by another event.
      case GeminiEventType.ToolCallConfirmation:
      case GeminiEventType.UserCancelled:
      case GeminiEventType.Error:
      case GeminiEventType.ModelInfo:
      case 'fallback_requested':
      case 'fallback_answered':
      case 'tools_changed':
        return;
      default:
        return assertNever(event);
    }
  }

  /** The words of the user, and what was sent with them. */
  private showPrompt({ text, media = [] }: PromptStartedEvent): void {
    const messageId = crypto.randomUUID();
    if (text !== undefined) this.options.emit({ ...chunk('user_message_chunk', text), messageId });
    for (const { inlineData } of media) {
      const { data = '', mimeType = '' } = inlineData ?? {};
      const type = (['image', 'audio'] as const).find((each) => mimeType.startsWith(`${each}/`));
      if (!type) continue;
      this.options.emit({ sessionUpdate: 'user_message_chunk', content: { type, data, mimeType }, messageId });
    }
  }

  private nextMessage(): void {
    this.messageId = crypto.randomUUID();
    this.hasText = false;
  }

  private showPlan({ resultDisplay }: ToolCallResponseInfo): void {
    if (typeof resultDisplay !== 'object' || !('todos' in resultDisplay)) return;
    this.options.emit({ sessionUpdate: 'plan', entries: resultDisplay.todos.map(toPlanEntry) });
  }

  private showCompression(info: Extract<AgentEvent, { type: GeminiEventType.ChatCompressed }>['value']): void {
    if (!info) return;
    const words = `The conversation was summarised: about ${info.originalTokenCount} tokens are now ${info.newTokenCount}.`;
    if (!this.options.capabilities.session?.compaction) return this.tell('info', words);
    const compactionId = `compaction-${(this.compactions += 1)}`;
    this.options.emit({
      sessionUpdate: 'compaction_update',
      compactionId,
      status: 'completed',
      summary: [{ type: 'text', text: words }],
    });
  }
}

/** The protocol knows three states; a blocked todo waits, and one that was given up is done with. */
function toPlanEntry({ description, status }: Todo) {
  const done = status === 'completed' || status === 'cancelled';
  const state = done ? ('completed' as const) : status === 'in_progress' ? status : ('pending' as const);
  const content = status === 'cancelled' ? `~~${description}~~` : description;
  return { content, priority: 'medium' as const, status: state };
}

type PromptStartedEvent = Extract<AgentEvent, { type: 'prompt_started' }>;
type Chunk = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';

export function chunk(sessionUpdate: Chunk, text: string): Extract<SessionUpdate, { sessionUpdate: Chunk }> {
  return { sessionUpdate, content: { type: 'text', text } };
}
