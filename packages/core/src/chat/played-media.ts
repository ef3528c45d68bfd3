/**
 * Separates sound and video that a tool read from the turn that answers the call, where they are not allowed. They
 * follow in a user turn of their own, after a model turn that waits for them.
 */

import type { Content, Part } from '../protocol/content.ts';
import { hasFunctionResponse } from './parts.ts';
import { SYNTHETIC_THOUGHT_SIGNATURE } from './conversation.ts';

const ACKNOWLEDGEMENT = 'The tool returned media; it follows in the next message.';

/** The equivalent turns; the content alone where there is nothing to separate. */
export function separatePlayedMedia(content: Content): Content[] {
  const played = content.parts?.filter(isPlayed) ?? [];
  if (played.length === 0 || !hasFunctionResponse(content)) return [content];
  return [
    { role: 'user', parts: content.parts?.filter((part) => !isPlayed(part)) ?? [] },
    { role: 'model', parts: [{ text: ACKNOWLEDGEMENT, thoughtSignature: SYNTHETIC_THOUGHT_SIGNATURE }] },
    { role: 'user', parts: played },
  ];
}

function isPlayed({ inlineData }: Part): boolean {
  return /^(audio|video)\//.test(inlineData?.mimeType ?? '');
}
