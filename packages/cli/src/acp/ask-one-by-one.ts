/**
 * Asks the questions of the model one after the other, as choices: for editors without forms. What can only be typed is
 * answered with a sentence.
 */

import type { PermissionOption } from '@agentclientprotocol/sdk';
import type { AskUserQuestion } from '@castor/core';
import { makeVisible, makeVisibleLine } from '../make-visible.ts';
import { option, REJECT } from './permissions.ts';

export interface AskedChoice {
  readonly title: string;
  readonly text: string;
  readonly options: PermissionOption[];
}

/** The id of the chosen option; undefined when the user dismissed the question. */
export type Choose = (asked: AskedChoice) => Promise<string | undefined>;

const CANNOT_ASK =
  'The user cannot be asked for text here. Decide yourself where that is safe, or end your answer with the question.';
const ANSWER = 'answer_';
const DONE = option('answer_done', 'No more', 'allow_once');

/** By index of the question; undefined when the user dismissed one of them. */
export async function askOneByOne(
  questions: readonly AskUserQuestion[],
  choose: Choose,
): Promise<Record<string, string> | undefined> {
  const answers: Record<string, string> = {};
  for (const [index, question] of questions.entries()) {
    const labels = labelsOf(question);
    const answer = labels.length === 0 ? CANNOT_ASK : await askForChoice(question, labels, choose);
    if (answer === undefined) return undefined;
    answers[index] = answer;
  }
  return answers;
}

/** What can be chosen; nothing for a question that wants text. */
function labelsOf({ type, options = [] }: AskUserQuestion): string[] {
  if (type === 'yesno') return ['Yes', 'No'];
  return type === 'choice' ? options.map(({ label }) => label) : [];
}

/** Several answers are chosen one after the other. */
async function askForChoice(
  { question, type, multiSelect = false, options = [] }: AskUserQuestion,
  labels: readonly string[],
  choose: Choose,
): Promise<string | undefined> {
  const chosen: string[] = [];
  const isMany = multiSelect && type === 'choice';
  const described = options.filter(({ description }) => type === 'choice' && description !== '');
  const lines = described.map(({ label, description }) => `- ${label}: ${description}`);
  do {
    const left = labels.flatMap((label, index) =>
      chosen.includes(label) ? [] : [option(`${ANSWER}${index}`, makeVisibleLine(label), 'allow_once')],
    );
    if (left.length === 0) break;
    const already = chosen.length === 0 ? [] : [`Chosen: ${chosen.join(', ')}`];
    const optionId = await choose({
      title: makeVisibleLine(question),
      text: makeVisible([question, ...lines, ...already].join('\n')),
      options: [...left, ...(isMany ? [DONE] : []), REJECT],
    });
    if (isMany && optionId === DONE.optionId) break;
    const label = optionId?.startsWith(ANSWER) ? labels[Number(optionId.slice(ANSWER.length))] : undefined;
    if (label === undefined) return undefined;
    chosen.push(label);
  } while (isMany);
  return chosen.length === 0 ? 'None of them.' : chosen.join(', ');
}
