/** Asks the questions of a model, one after the other. Cancelling one cancels all. */

import type { AskUserQuestion } from '@castor/core';
import { makeVisible, makeVisibleLine } from '../../make-visible.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogHost } from './dialog-host.ts';
import type { DialogSpace } from './dialog.ts';

const OTHER = '\0other';
const DONE = '\0done';

/** By index of the question; undefined when the user declined to answer. */
export async function askQuestions(
  questions: readonly AskUserQuestion[],
  host: DialogHost,
  signal: AbortSignal,
): Promise<Record<string, string> | undefined> {
  const answers: Record<string, string> = {};
  for (const [index, question] of questions.entries()) {
    const answer = await askOne(question, host, signal);
    if (answer === undefined) return undefined;
    answers[String(index)] = answer;
  }
  return answers;
}

async function askOne(question: AskUserQuestion, host: DialogHost, signal: AbortSignal): Promise<string | undefined> {
  const title = makeVisibleLine(question.header || 'A question');
  const body = ({ width }: DialogSpace) => wrapRows(makeVisible(question.question), { width: width - 4 });
  const askFreely = () =>
    host.askText(
      {
        title,
        body,
        ...(question.placeholder !== undefined && { placeholder: makeVisibleLine(question.placeholder) }),
      },
      signal,
    );
  if (question.type === 'text') return askFreely();
  if (question.type === 'yesno') {
    const options = ['Yes', 'No'].map((label) => ({ label, value: label }));
    return host.choose({ title, body, options }, signal);
  }
  const options = (question.options ?? []).map(({ label, description }) => ({
    label: makeVisibleLine(label),
    value: label,
    ...(description !== '' && { hint: makeVisibleLine(description) }),
  }));
  if (question.multiSelect) return askSeveral(title, body, options, host, signal);
  const chosen = await host.choose(
    { title, body, options: [...options, { label: 'Something else…', value: OTHER }] },
    signal,
  );
  return chosen === OTHER ? askFreely() : chosen;
}

async function askSeveral(
  title: string,
  body: (space: DialogSpace) => readonly string[],
  options: readonly { label: string; value: string; hint?: string }[],
  host: DialogHost,
  signal: AbortSignal,
): Promise<string | undefined> {
  const chosen = new Set<string>();
  for (let initial = 0; ;) {
    const marked = options.map((option) => ({
      ...option,
      label: `${chosen.has(option.value) ? '✓' : '☐'} ${option.label}`,
    }));
    const value = await host.choose(
      { title, body, options: [...marked, { label: 'Done', value: DONE }], initial },
      signal,
    );
    if (value === undefined) return undefined;
    if (value === DONE)
      return options
        .filter((option) => chosen.has(option.value))
        .map((option) => option.value)
        .join(', ');
    if (!chosen.delete(value)) chosen.add(value);
    initial = options.findIndex((option) => option.value === value);
  }
}
