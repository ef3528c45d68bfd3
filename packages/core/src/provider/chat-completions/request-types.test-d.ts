/**
 * What we send against the types of OpenAI's client: whatever we write may stand where it takes a request. Checked by the
 * compiler in `npm run check`; nothing of it runs.
 */

import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ChatRequest, ChatThinking } from './request-types.ts';

/** Fails to compile unless a value of the first type may stand where the second is expected. */
type Fits<From extends To, To> = [From, To];

/** The other ways to ask for thinking are fields of other servers. */
type ToOpenai = Omit<ChatRequest, Exclude<keyof ChatThinking, 'reasoning_effort'>>;

export type Sent = Fits<ToOpenai, ChatCompletionCreateParamsStreaming>;
