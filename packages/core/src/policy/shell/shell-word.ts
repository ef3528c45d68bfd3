/** The type of one word of a shell line, and of what the substitutions in it can print. */

/**
 * number: digits. names: names of files, revisions or dates that no file content
 * influences. text: anything. spelled: text that the line itself contains in another form,
 * `echo tig. | rev`.
 */
export type OutputShape = 'number' | 'names' | 'text' | 'spelled';

/**
 * literal: exactly this text. glob: a pattern over file names. resolved: expansions whose
 * values the line itself fixes. dynamic: unknown before it runs.
 */
export type WordKind = 'literal' | 'glob' | 'resolved' | 'dynamic';

export interface ShellWord {
  /** After quote removal; an unknown expansion stays as written. */
  readonly value: string;
  /** As written, without line continuations. */
  readonly text: string;
  readonly kind: WordKind;
  /** The fixed characters around unknown expansions; equals `value` when there are none. */
  readonly skeleton: string;
  /** For a dynamic word: what the substitutions in it, or in the line's variables it uses, can print. */
  readonly output?: OutputShape;
  /** For a dynamic word: its possible values when the line gives its variables fixed texts. */
  readonly candidates?: readonly string[];
  /**
   * Whether the line sets the word to something that neither its value nor its candidates
   * contain. A variable of the user's environment, which the line does not set, is not open.
   */
  readonly open?: true;
}
