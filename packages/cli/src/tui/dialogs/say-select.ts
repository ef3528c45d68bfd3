/** A question with answers for a voice: what is chosen, columns one after the other, keys in a sentence. Pure. */

import { stripStyles } from '../text/row-width.ts';
import { withoutDots } from '../text/without-dots.ts';

interface SpokenOption {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly mark?: string | undefined;
  readonly below?: readonly string[] | undefined;
}

/** What is said of an answer while it is being typed. */
export interface TypedAnswer {
  readonly placeholder: string;
  readonly enters: string;
  readonly escapes: string;
}

interface SpokenKeys {
  readonly input?: TypedAnswer;
  readonly search?: boolean;
  readonly escapes?: string;
  /** What Enter does. */
  readonly enters?: string;
  readonly options: readonly SpokenOption[];
  readonly index: number;
}

/** Answers after these have no digit. */
const DIGITS = 9;
const SPOKEN_MARKS: Readonly<Record<string, string>> = { '✓': 'chosen, ', '☐': 'not chosen, ' };

/** Columns are said one after the other. */
export function sayOption(
  { label, hint = '', mark = '', below = [] }: SpokenOption,
  { isChosen, number }: { isChosen: boolean; number: string },
): string {
  const columns = withoutDots(hint.trim().replace(/^→ /, 'then ').replaceAll(/ {2,}/g, ', '));
  const words = [label.replaceAll(/ {2,}/g, ', '), columns, ...below]
    .map((part) => part.replaceAll(/,? …/g, ''))
    .filter(Boolean)
    .join('; ');
  const lead = `${isChosen ? 'Chosen: ' : ''}${number === '' ? '' : `${number}, `}`;
  const before = stripStyles(mark).trim();
  const state = before === '' ? '' : (SPOKEN_MARKS[before] ?? `${before}, `);
  return `${lead}${state}${words}${/[.?!]$/.test(words) ? '' : '.'}`;
}

export function sayKeys({
  search,
  escapes = 'leaves',
  enters = 'takes it',
  input,
  options,
  index,
}: SpokenKeys): string {
  if (input) {
    const words = `${input.placeholder.charAt(0).toUpperCase()}${input.placeholder.slice(1)}`;
    return `${words}. Enter ${input.enters}, Up goes back, Escape ${input.escapes}.`;
  }
  const enter = index < DIGITS ? String(index + 1) : (options[index]?.label ?? '');
  const answers = search ? `Arrows choose, Enter ${enters}` : `A digit answers, Enter means ${enter}`;
  return `${answers}, Escape ${escapes === 'no' ? 'means no' : escapes}.`;
}

/** The names of the columns. */
export function sayHeading(heading: string): string {
  return `Columns: ${heading.trim().replaceAll(/ {2,}/g, ', ')}.`;
}
