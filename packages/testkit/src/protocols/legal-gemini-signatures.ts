/**
 * Judges the signatures a Gemini request carries by what the server sent, for tests that share a memory: a signature of
 * another vendor in this place is the mistake that such tests look for.
 */

import type { Answer } from '../answer.ts';
import { objectsOf } from './legal-fields.ts';
import type { Memory } from './memory.ts';
import { field } from './protocol.ts';

/** The constant that the service accepts instead of a signature. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

export function rememberSignatures({ pieces }: Answer, model: string, memory: Memory): void {
  const frames = pieces.flatMap((piece) => (piece.kind === 'frame' ? [piece.frame] : []));
  const parts = frames.flatMap((frame) =>
    objectsOf(field(frame, 'candidates')).flatMap(({ value }) => objectsOf(field(value['content'], 'parts'))),
  );
  memory.remember(
    model,
    parts.map(({ value }) => value),
  );
}

/** One sentence per signature that this server did not send. */
export function findForeignSignatures(contents: unknown, memory: Memory): string[] {
  return objectsOf(contents).flatMap(({ value: turn, position }) =>
    objectsOf(turn['parts']).flatMap(({ value: part }) => {
      const signature = part['thoughtSignature'];
      if (signature === undefined || signature === NO_SIGNATURE) return [];
      const isKnown = memory.find((sent) => sent['thoughtSignature'] === signature) !== undefined;
      return isKnown ? [] : [`turn ${position + 1}: Corrupted thought signature`];
    }),
  );
}
