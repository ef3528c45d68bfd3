/**
 * Classifies the difficulty of a request by asking a small model: two classifiers, each with its question and its
 * parser of the answer. It sends one user turn of bounded text, legal whatever the history holds. The router maps the
 * answer to a model.
 */

import type { Content, Part, PartListUnion } from '../protocol/content.ts';
import type { LlmRole } from '../provider/content-generator.ts';
import { shorten } from '../util/short-text.ts';
import { toParts } from '../util/part-list.ts';

/** `UtilityModel.generateJson` fits. Undefined when no answer is available. */
export type AskJson = (question: JsonQuestion, schema: object) => Promise<Record<string, unknown> | undefined>;

export interface JsonQuestion {
  /** A model or an alias. */
  model: string;
  contents: readonly Content[];
  systemInstruction: string;
  signal: AbortSignal;
  prompt_id: string;
  role: LlmRole;
}

export interface Conversation {
  history: readonly Content[];
  request: PartListUnion;
}

export interface Verdict {
  choice: 'pro' | 'flash';
  reasoning: string;
}

export interface Classifier {
  systemInstruction: string;
  schema: object;
  /** The part of the history to send. */
  select(history: readonly Content[]): readonly Content[];
  /** Undefined when the answer is invalid. */
  read(answer: Record<string, unknown>): Verdict | undefined;
}

const SEARCHED_TURNS = 20;
const SHOWN_TURNS = 4;
const SHOWN_TURNS_NUMERICAL = 8;
const MAX_TURN_LENGTH = 2_000;
const MAX_REQUEST_LENGTH = 8_000;

/** Chooses between the two models by name. */
export const choiceClassifier: Classifier = {
  systemInstruction: `You choose the model for a coding agent's next request. Do not answer the request itself.
"flash": the request is clear and small: one to three operations, a fact, a simple edit.
"pro": many steps, design or strategy, vague goals, a search for the cause of a fault.
Answer with JSON: the reasoning first, then the choice.`,
  schema: {
    type: 'object',
    properties: { reasoning: { type: 'string' }, model_choice: { type: 'string', enum: ['flash', 'pro'] } },
    required: ['reasoning', 'model_choice'],
  },
  select: (history) =>
    history
      .slice(-SEARCHED_TURNS)
      .filter((turn) => !isToolTurn(turn))
      .slice(-SHOWN_TURNS),
  read({ reasoning, model_choice: choice }) {
    if (choice !== 'flash' && choice !== 'pro') return undefined;
    return { choice, reasoning: typeof reasoning === 'string' ? reasoning : '' };
  },
};

/** Requests with at least this grade go to `pro`. */
const PRO_SCORE = 90;

/** Grades the request from 1 to 100. */
export const numericalClassifier: Classifier = {
  systemInstruction: `You grade how hard a coding agent's next request is. Do not carry the request out.
1-20: trivial, one read or a known fact. 21-50: a few plain steps in one place.
51-80: several files, or some finding out first. 81-100: design, deep debugging, unclear goals, high risk.
Answer with JSON: the reasoning first, then the score as a whole number.`,
  schema: {
    type: 'object',
    properties: {
      complexity_reasoning: { type: 'string' },
      complexity_score: { type: 'integer', minimum: 1, maximum: 100 },
    },
    required: ['complexity_reasoning', 'complexity_score'],
  },
  select(history) {
    const recent = history.slice(-SHOWN_TURNS_NUMERICAL);
    const first = recent.findIndex((turn) => !isToolTurn(turn));
    return first === -1 ? [] : recent.slice(first);
  },
  read({ complexity_reasoning: reasoning, complexity_score: score }) {
    if (typeof score !== 'number' || !(score >= 1 && score <= 100)) return undefined;
    const why = `Score ${score} of 100, threshold ${PRO_SCORE}.`;
    return {
      choice: score >= PRO_SCORE ? 'pro' : 'flash',
      reasoning: typeof reasoning === 'string' && reasoning !== '' ? `${why} ${reasoning}` : why,
    };
  },
};

/** The one turn sent to a classifier. */
export function toClassifierContents(classifier: Classifier, conversation: Conversation): Content[] {
  const turns = classifier
    .select(conversation.history)
    .map(
      ({ role, parts }) => `${role === 'model' ? 'Agent' : 'User'}: ${shorten(describe(parts ?? []), MAX_TURN_LENGTH)}`,
    );
  const before = turns.length > 0 ? `The conversation so far:\n${turns.join('\n')}\n\n` : '';
  const request = shorten(describe(toParts(conversation.request)), MAX_REQUEST_LENGTH);
  return [{ role: 'user', parts: [{ text: `${before}The request:\n${request || '(no text)'}` }] }];
}

function isToolTurn({ parts = [] }: Content): boolean {
  return parts.some((part) => part.functionCall !== undefined || part.functionResponse !== undefined);
}

function describe(parts: readonly Part[]): string {
  return parts.map(describePart).filter(Boolean).join('\n');
}

function describePart({ text, thought, functionCall, functionResponse, inlineData, fileData }: Part): string {
  if (text !== undefined) return thought ? '' : text;
  if (functionCall) return `[calls ${functionCall.name}]`;
  if (functionResponse) return `[result of ${functionResponse.name}]`;
  const media = inlineData ?? fileData;
  return media ? `[${media.mimeType ?? 'file'}]` : '';
}
