/** The text of a system instruction, whichever form it was given in. */

import type { Content } from '../../protocol/content.ts';

export function systemText(instruction: Content | string | undefined): string {
  if (typeof instruction === 'string' || instruction === undefined) return instruction ?? '';
  return (instruction.parts ?? []).map(({ text = '' }) => text).join('\n');
}
