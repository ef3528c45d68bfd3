/** Implements the port of loop detection: asks a model whether the agent is stuck. */

import type { LoopJudge } from '../client/loops/loop-judge.ts';
import type { UtilityModel } from '../client/utility-model.ts';

/** The second one double-checks a loop that the first one found. */
const ALIASES = { flash: 'loop-detection', pro: 'loop-detection-double-check' } as const;

const SYSTEM_INSTRUCTION = `You judge whether a coding agent is stuck: it repeats the same action or idea without new results, or alternates between the same states. Steps that look alike but change something, such as editing many files or waiting for a process whose output changes, are progress.`;

const SCHEMA = {
  type: 'object',
  properties: {
    unproductive_state_analysis: {
      type: 'string',
      description: 'What the agent did in its last steps, and whether anything came of it.',
    },
    unproductive_state_confidence: { type: 'number', description: 'From 0 (progress) to 1 (stuck for certain).' },
  },
  required: ['unproductive_state_analysis', 'unproductive_state_confidence'],
};

export function createLoopJudge(model: UtilityModel): LoopJudge {
  return async ({ history, userRequest, model: which, prompt_id }, signal) => {
    const question = `<original_user_request>\n${userRequest}\n</original_user_request>\nIs the agent stuck? Answer as JSON.`;
    const answer = await model.generateJson(
      {
        model: ALIASES[which],
        contents: [...history, { role: 'user', parts: [{ text: question }] }],
        systemInstruction: SYSTEM_INSTRUCTION,
        signal,
        prompt_id,
        role: 'utility_loop_detector',
      },
      SCHEMA,
    );
    const { unproductive_state_analysis: analysis, unproductive_state_confidence: confidence } = answer ?? {};
    return typeof analysis === 'string' && typeof confidence === 'number' ? { analysis, confidence } : undefined;
  };
}
