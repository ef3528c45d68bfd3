/** The events of a prompt that its surface answered without a model. Pure. */

import type { AgentEvent } from '../protocol/agent-events.ts';
import { FinishReason } from '../protocol/content.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { Ending } from './prompt-ending.ts';

/** Without text the prompt has no answer. */
export function* answerEvents(
  prompt_id: string,
  text: string,
  ending: Ending,
  asked: { text?: string },
): Generator<AgentEvent, void> {
  yield { type: 'prompt_started', prompt_id, ...asked };
  if (text !== '') {
    yield { type: GeminiEventType.Content, value: text };
    yield { type: GeminiEventType.Finished, value: { reason: FinishReason.STOP, usageMetadata: undefined } };
  }
  yield { type: 'prompt_ended', prompt_id, ...ending };
}
