/** Parses the frames and bodies of the Gemini API into the answer they hold, or throws the error they report. */

import type { GenerateContentResponse } from '../../protocol/content.ts';
import { parseObject, unreadable } from '../wire/answer.ts';
import type { WireFrame } from '../wire/wire-protocol.ts';
import { classifyGoogleError } from './errors.ts';
import { tidyFrame } from './frame-shape.ts';
import { findGoogleError } from './google-error.ts';

/** Parses a frame or a body; throws the error it reports. */
export function parseAnswer<T extends object>({ data, bare }: WireFrame): T {
  const answer = parseObject(data);
  // A gateway may answer with one whole response where a stream was asked for.
  if ((bare && !('candidates' in answer)) || 'error' in answer || Array.isArray(answer)) {
    const error = findGoogleError(answer);
    if (!error) throw unreadable('The answer contains neither a response nor an error', data);
    throw classifyGoogleError(error.code !== undefined && error.code >= 400 ? error.code : 500, error);
  }
  return answer as T;
}

/** Parses one frame of a streamed answer. */
export function parseResponse(frame: WireFrame): GenerateContentResponse {
  const response = parseAnswer<Record<string, unknown>>(frame);
  const problem = tidyFrame(response);
  if (problem !== undefined) throw unreadable(problem, frame.data);
  return response;
}
