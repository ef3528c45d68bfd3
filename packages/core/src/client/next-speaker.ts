/** Decides who speaks after the model ended its turn: the user, or the model once more. */

import { hasFunctionResponse } from '../chat/parts.ts';
import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { JsonModel } from './utility-model.ts';

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

export interface NextSpeakerResponse {
  reasoning: string;
  next_speaker: NextSpeaker;
}

const ANSWERS_A_CALL = { reasoning: 'The last message answers a call.', next_speaker: 'model' } as const;
const SAYS_NOTHING = { reasoning: 'The last message is empty.', next_speaker: 'model' } as const;

/** Undefined when there is nothing to judge, or no verdict is available. Rejects on abort. */
export async function checkNextSpeaker(
  chat: Pick<GeminiChat, 'getHistory'>,
  llmClient: JsonModel,
  signal: AbortSignal,
  prompt_id = '',
): Promise<NextSpeakerResponse | undefined> {
  requireJsonModel(llmClient);
  const last = chat.getHistory().at(-1);
  const curated = chat.getHistory(true);
  if (curated.length === 0 || !last) return undefined;
  if (hasFunctionResponse(last)) return ANSWERS_A_CALL;
  if (last.role === 'model' && last.parts?.length === 0) return SAYS_NOTHING;
  if (curated.at(-1)?.role !== 'model') return undefined;
  const answer = await llmClient.generateJson(
    {
      model: 'next-speaker-checker',
      contents: [...curated, { role: 'user', parts: [{ text: QUESTION }] }],
      signal,
      prompt_id,
      role: 'utility_next_speaker',
    },
    SCHEMA,
  );
  const { reasoning, next_speaker: speaker } = answer ?? {};
  if (speaker !== 'user' && speaker !== 'model') return undefined;
  return { reasoning: typeof reasoning === 'string' ? reasoning : '', next_speaker: speaker };
}

function requireJsonModel(llmClient: JsonModel): void {
  if (typeof llmClient?.generateJson === 'function') return;
  throw new TypeError(
    'Use checkNextSpeaker(chat, llmClient, signal, prompt_id) with a UtilityModel or a GeminiClient.',
  );
}
