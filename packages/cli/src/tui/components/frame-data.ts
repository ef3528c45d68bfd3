/** What the frame shows, as data. The app collects it, `frame/share-rows.ts` shares the rows, components draw it. */

import type { PendingCall, StreamingState, Todo } from '@castor/core';
import type { ScreenPicture } from '../command-screen/screen-rows.ts';
import type { Dialog, DialogView } from '../dialogs/dialog.ts';
import type { ComposerSnapshot } from '../input/composer-contract.ts';
import type { Styles } from '../theme/styles.ts';
import type { RuleState } from './status-rule.ts';
import type { StatusState } from './status-row.ts';

export interface FrameData {
  readonly size: { readonly columns: number; readonly rows: number };
  readonly styles: Styles;
  readonly streaming: StreamingState;
  /** The last rows of the answer that may still change. */
  readonly answer: (maxRows: number) => readonly string[];
  /** Reads in a row that more may join. */
  readonly held: readonly string[];
  /** The last row above the frame is empty. */
  readonly isBelowGap: boolean;
  readonly calls: readonly PendingCall[];
  /** The screen of a command that has one, and has written to it. */
  readonly screenOf?: ((call: PendingCall) => ScreenPicture | undefined) | undefined;
  /** How long a call has been under way, in words. */
  readonly ageOf?: ((callId: string) => string | undefined) | undefined;
  /** The call shown elsewhere: its command has the focus. */
  readonly focusedCallId?: string | undefined;
  readonly todos: readonly Todo[];
  readonly queue: readonly string[];
  /** Text on its way that is not in the transcript yet. */
  readonly preparing?: string | undefined;
  /** Whether todos and queue stay visible beside a question. */
  readonly keepsDrawer: boolean;
  /** Undefined while nothing is under way. */
  readonly status: StatusState | undefined;
  readonly rule: RuleState;
  readonly dialog: Dialog | undefined;
  readonly composer: ComposerSnapshot;
}

/** How many rows each part of the frame gets, from top to bottom; together never more than the window has. */
export interface FrameShares {
  readonly answer: readonly string[];
  readonly calls: number;
  readonly plan: number;
  readonly queue: number;
  readonly hasStatus: boolean;
  readonly hasGap: boolean;
  /** Replaces the composer. */
  readonly dialog: DialogView | undefined;
}
