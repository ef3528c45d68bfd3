/** One way in which a command does more than its name says, and what a rule must spell to cover it. */

export interface Risk {
  reason: string;
  /** What a rule has to spell in order to cover it; no rule can when it is empty. */
  word: string;
  /** Whether it runs something that cannot be judged here. */
  unreadable: boolean;
  /** Shell text it runs, where that is known. */
  script?: string | undefined;
}
