/** What a link to the agent needs of the app around it. */

import type { IdeState, SessionEvent } from '@castor/core';
import type { LiveSession } from '../../surface/session-lifecycle.ts';
import type { DialogHost } from '../dialogs/dialog-host.ts';

export interface AgentLinkOptions {
  readonly onWarning: (message: string) => void;
  readonly onInfo: (message: string) => void;
  /** A file about a failed request was written. */
  readonly onReport: (path: string) => void;
  /** An event between two prompts. */
  readonly onEvent: (event: SessionEvent) => void;
  /** Lends the terminal to another program. */
  readonly suspend: (run: () => Promise<void>) => Promise<void>;
  /** Asks the questions of MCP servers. */
  readonly asker: { readonly dialogs: DialogHost; onAttention?: ((what: string) => void) | undefined };
  /** What the editor around the terminal shows. */
  readonly ideState: () => IdeState | undefined;
  readonly onOpened: (live: LiveSession) => Promise<void>;
}
