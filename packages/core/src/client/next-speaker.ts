/** Who should speak now that the model ended its turn: the user, or the model once more. */

import { hasFunctionResponse } from '../chat/parts.ts';
import type { Content } from '../protocol/content.ts';
import type { UtilityModel } from './utility-model.ts';

export type NextSpeaker = 'user' | 'model';

const SCHEMA = {
  type: 'object',
  properties: {
    reasoning: { type: 'string', description: 'Why, in one sentence.' },
    next_speaker: { type: 'string', enum: ['user', 'model'], description: 'Who should speak next.' },
  },
  required: ['reasoning', 'next_speaker'],
};

const QUESTION = `Look only at your last message. Who should speak next?
- "model": you announced an immediate next step of your own ("Next, I will…") and did not take it, or you were cut off.
- "user": you asked the user something, or you completed what was asked.
Answer as JSON.`;

export interface NextSpeakerInput {
  history: readonly Content[];
  curated: readonly Content[];
  model: UtilityModel;
  signal: AbortSignal;
  prompt_id: string;
}

/** Undefined when there is nothing to judge, or no judgement to be had. */
export async function checkNextSpeaker(input: NextSpeakerInput): Promise<NextSpeaker | undefined> {
  const last = input.history.at(-1);
  if (input.curated.length === 0 || !last) return undefined;
  if (hasFunctionResponse(last)) return 'model';
  if (last.role === 'model' && last.parts?.length === 0) return 'model';
  if (input.curated.at(-1)?.role !== 'model') return undefined;
  const answer = await input.model.generateJson(
    {
      model: 'next-speaker-checker',
      contents: [...input.curated, { role: 'user', parts: [{ text: QUESTION }] }],
      signal: input.signal,
      prompt_id: input.prompt_id,
      role: 'utility_next_speaker',
    },
    SCHEMA,
  );
  const speaker = answer?.['next_speaker'];
  return speaker === 'user' || speaker === 'model' ? speaker : undefined;
}
