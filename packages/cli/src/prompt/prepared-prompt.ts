/** The result of reading a prompt, for every surface. Types only. */

import type { Part } from '@castor/core';

export type PreparedPrompt =
  /**
   * For `session.prompt(parts, signal, { text: displayText })`. `notes` tell the user what was left out and why,
   * `brought` which files go along.
   */
  | { kind: 'prompt'; parts: Part[]; displayText: string; notes: string[]; brought?: readonly string[] }
  /** The model is not asked. */
  | { kind: 'answered'; text: string; exitCode: 0 | 1 }
  /** The input is invalid; a program that runs once ends with 42. */
  | { kind: 'error'; message: string };
