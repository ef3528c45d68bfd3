/**
 * What we send against the types of Anthropic's client: whatever we write may stand where it takes a request. Checked by
 * the compiler in `npm run check`; nothing of it runs.
 */

import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { AnthropicRequest } from './request-types.ts';

/** Fails to compile unless a value of the first type may stand where the second is expected. */
type Fits<From extends To, To> = [From, To];

export type Sent = Fits<AnthropicRequest, MessageCreateParamsStreaming>;
