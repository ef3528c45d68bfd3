/** One row of `castor doctor`. */

/** `problem`: a requested feature does not work. `missing`: a useful program or module is missing. */
export type CheckStatus = 'ok' | 'missing' | 'problem';

export interface Check {
  topic: string;
  status: CheckStatus;
  says: string;
  /** How to fix it. */
  fix?: string;
}
