/** A reference in the text of a prompt: where it stands and what it names. */

export interface TextReference {
  start: number;
  /** The index of the first character after it. */
  end: number;
  /** Without quotes and backslashes. */
  name: string;
}
