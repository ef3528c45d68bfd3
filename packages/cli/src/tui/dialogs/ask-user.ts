/** Asks the questions of a model, one after the other; the left arrow returns to the one before. Cancelling one cancels all. */

import type { AskUserQuestion } from '@castor/core';
import { makeVisible, makeVisibleLine } from '../../make-visible.ts';
import { wrapRows } from '../text/wrap-rows.ts';
import type { DialogHost, HeldKeyboard } from './dialog-host.ts';
import type { DialogSpace } from './dialog.ts';
import { LineInput } from './line-input.ts';
import type { SelectOption, SelectQuestion } from './select-dialog.ts';

const DONE = '\0done';
const BACK = '\0back';

/** What the answers of one question have in common. */
type Frame = Omit<SelectQuestion<string>, 'options'>;

/** By index of the question; undefined when the user declined to answer. */
export async function askQuestions(
  questions: readonly AskUserQuestion[],
  host: DialogHost,
  signal: AbortSignal,
): Promise<Record<string, string> | undefined> {
  using keyboard = host.hold();
  const answers: Record<string, string> = {};
  for (let index = 0; index < questions.length;) {
    const answer = await askOne(questions[index]!, frameOf(questions, index), keyboard, signal);
    if (answer === undefined) return undefined;
    if (answer === BACK) index--;
    else answers[String(index++)] = answer;
  }
  return answers;
}

function frameOf(questions: readonly AskUserQuestion[], index: number): Frame {
  const { header, question } = questions[index]!;
  return {
    title: makeVisibleLine(header || 'A question'),
    ...(questions.length > 1 && { why: `${index + 1} of ${questions.length}` }),
    body: ({ width }: DialogSpace) => wrapRows(makeVisible(question), { width: width - 4 }),
    ...(index > 0 && { keyed: { left: () => BACK }, keys: [['←', 'back']] as const }),
    escapes: 'answers nothing',
  };
}

async function askOne(
  question: AskUserQuestion,
  frame: Frame,
  keyboard: HeldKeyboard,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { title, why, body } = frame;
  const askFreely = () =>
    keyboard.askText(
      {
        ...{ title, why },
        keys: 'enter takes it · esc answers nothing',
        ...(body && { body }),
        ...(question.placeholder !== undefined && { placeholder: makeVisibleLine(question.placeholder) }),
      },
      signal,
    );
  if (question.type === 'text') return askFreely();
  if (question.type === 'yesno') {
    const options = ['Yes', 'No'].map((label) => ({ label, value: label }));
    return keyboard.choose({ ...frame, options }, signal);
  }
  const options = (question.options ?? []).map(({ label, description }) => ({
    label: makeVisibleLine(label),
    value: label,
    ...(description !== '' && { hint: makeVisibleLine(description) }),
  }));
  if (question.multiSelect) return askSeveral(frame, options, keyboard, signal);
  return keyboard.choose({ ...frame, options: [...options, inOtherWords(question)] }, signal);
}

/** Its row becomes an input. */
function inOtherWords({ placeholder = '' }: AskUserQuestion): SelectOption<string> {
  return {
    label: 'Something else',
    value: '',
    input: {
      line: new LineInput(),
      lead: '',
      placeholder: placeholder === '' ? 'say it' : makeVisibleLine(placeholder),
      enters: 'takes it',
      escapes: 'answers nothing',
      toValue: (words) => words,
    },
  };
}

async function askSeveral(
  frame: Frame,
  options: readonly SelectOption<string>[],
  keyboard: HeldKeyboard,
  signal: AbortSignal,
): Promise<string | undefined> {
  const chosen = new Set<string>();
  for (let initial = 0; ;) {
    const marked = options.map((option) => ({ ...option, mark: chosen.has(option.value) ? '✓' : '☐' }));
    const value = await keyboard.choose(
      {
        ...frame,
        options: [...marked, { label: 'Done', value: DONE }],
        initial,
        toggle: (each) => each,
        keys: [['space', 'switches'], ...(frame.keys ?? [])],
      },
      signal,
    );
    if (value === undefined || value === BACK) return value;
    if (value === DONE)
      return options
        .filter((option) => chosen.has(option.value))
        .map((option) => option.value)
        .join(', ');
    if (!chosen.delete(value)) chosen.add(value);
    initial = options.findIndex((option) => option.value === value);
  }
}
