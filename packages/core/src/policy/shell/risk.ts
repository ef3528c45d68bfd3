/** One way in which a command does more than its name suggests, and what a rule must spell to cover it. */

export interface Risk {
  reason: string;
  /** What a rule must spell to cover it; when empty, no rule can. */
  word: string;
  /** Whether it runs something that cannot be analysed here. */
  unreadable: boolean;
  /** Whether it is code, or the name of a command, that the line does not show: yolo mode asks about it too. */
  hidden?: true | undefined;
  /** The shell text it runs, if known. */
  script?: string | undefined;
}
