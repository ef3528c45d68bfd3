/** What the questions of a session need of the app around them. */

import type { WorkspaceAgent } from '@castor/core';
import type { ApprovalOptions } from '../dialogs/approval.ts';
import type { DialogHost } from '../dialogs/dialog-host.ts';
import type { EditorDiffs } from './diff-in-editor.ts';

export interface QuestionOptions {
  readonly host: DialogHost;
  readonly agent: () => Promise<WorkspaceAgent>;
  readonly approval: () => Omit<ApprovalOptions, 'host' | 'signal'>;
  /** The editor around the terminal, where it shows diffs. */
  readonly editorDiffs: () => EditorDiffs | undefined;
  /** Prints a plan for reading; returns what was counted in it. */
  readonly printPlan: (path: string) => Promise<string>;
  /** A question could not be asked, or its answer could not be delivered. */
  readonly onProblem: (message: string) => void;
  /** Why a call was declined, in the user's words. */
  readonly onFeedback: (feedback: string) => void;
  /** The user looks elsewhere: a question needs attention. */
  readonly onAsked: (what: string) => void;
}
