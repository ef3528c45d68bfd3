/**
 * What we send against the types of OpenAI's client: whatever we write may stand where it takes a request. Checked by the
 * compiler in `npm run check`; nothing of it runs.
 */

import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';
import type { ResponsesRequest } from './request-types.ts';

/** Fails to compile unless a value of the first type may stand where the second is expected. */
type Fits<From extends To, To> = [From, To];

export type Sent = Fits<ResponsesRequest, ResponseCreateParamsStreaming>;
