/**
 * What the parts of the terminal UI know of each other: the members that keys, commands and dialogs use. TerminalApp
 * implements it; a part takes this interface, or the few members it needs, and never the class.
 */

import type { ApprovalMode, TranscriptItem, TranscriptStore } from '@castor/core';
import type { Companion } from '../../ide/companion.ts';
import type { CompanionService } from '../../slash/command.ts';
import type { GivenPrompt } from '../../surface/conversation-ports.ts';
import type { Conversation } from '../../surface/conversation.ts';
import type { CommandScreens } from '../command-screen/command-screens.ts';
import type { ScreenLook } from '../command-screen/screen-rows.ts';
import type { ShellFocus } from '../command-screen/shell-focus.ts';
import type { CallTimes } from '../conversation/call-times.ts';
import type { ClientCalls } from '../conversation/client-calls.ts';
import type { TranscriptPrinter } from '../conversation/transcript-printer.ts';
import type { GeminiStreamPort } from '../conversation/gemini-stream.ts';
import type { DialogHost } from '../dialogs/dialog-host.ts';
import type { Screen } from '../frame/screen.ts';
import type { ToolSchedulerPort } from '../hooks/use-react-tool-scheduler.ts';
import type { ComposerController } from '../input/composer-contract.ts';
import type { Grammars } from '../render/highlight.ts';
import type { Frame, Reflow, Size } from '../terminal/painter.ts';
import type { TerminalSession } from '../terminal/terminal-session.ts';
import type { Style } from '../theme/styles.ts';
import type { StreamingState } from '@castor/core';
import type { AgentLink } from './agent-link.ts';
import type { AppState } from './app-state.ts';
import type { Appearance } from './appearance.ts';
import type { ToastLife } from './toasts.ts';
import type { UiAction } from './ui-state.ts';

export interface AppOptions {
  readonly terminal: TerminalSession;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly reflow: Reflow;
  readonly version: string;
  readonly onExit: () => void;
}

/** A frame with all its parts, and the lines above it. */
export interface Picture {
  readonly lines: readonly string[];
  readonly frame: Frame;
}

export interface FullView {
  draw(lines: readonly string[], size: Size): Frame;
  close(): void;
}

/** The editor around the terminal: its diffs and files, and `/ide`. */
export interface CompanionPort extends CompanionService {
  readonly companion: Companion;
  connect(): Promise<void>;
}

export interface App {
  readonly state: AppState;
  readonly store: TranscriptStore;
  readonly appearance: Appearance;
  readonly composer: ComposerController;
  readonly dialogs: DialogHost;
  readonly conversation: Conversation;
  readonly clientCalls: ClientCalls;
  readonly shellFocus: ShellFocus;
  readonly commandScreens: CommandScreens;
  readonly link: AgentLink;
  readonly screen: Screen;
  readonly options: AppOptions;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Draws whole frames, once Ink is loaded. */
  inkView: FullView | undefined;
  /** Prints the transcript; loaded after the first frame. */
  printer: TranscriptPrinter | undefined;
  readonly callTimes: CallTimes;
  /** A final item of the transcript. */
  onItem(item: TranscriptItem): void;
  grammars: Grammars | undefined;
  /** The editor around the terminal; absent while IDE mode is off. */
  companion: CompanionPort | undefined;
  /** Called when an answer is complete or a question waits. */
  onAttention: ((what: string) => void) | undefined;
  onStateChange: (() => void) | undefined;
  /** The user has returned to the terminal. */
  onFocused: (() => void) | undefined;
  /** Messages of Node and libraries. */
  takeMessages: (() => string[]) | undefined;
  /** Aborted when the user no longer waits for the shutdown. */
  readonly hurry: AbortController;
  /** Runs once, when the settings are read. */
  readonly onStarted: (() => void)[];
  /** Runs at the end, in order. */
  readonly onClose: (() => void | Promise<void>)[];
  /** An approval or a plan may have changed it. */
  readonly mode: ApprovalMode;
  /** Cells available to a line. */
  readonly width: number;
  /** The folder as the user knows it. */
  readonly folder: string;
  readonly streaming: StreamingState;
  /** The state that the layout of a frame and the hooks of its components read. */
  readonly streamPort: GeminiStreamPort & ToolSchedulerPort;
  /** Whether a screen reader reads the output. */
  readonly isSpoken: boolean;
  readonly submitQuery: (query: string) => void;
  /** The look of the screens of commands. */
  screenLook(plain: Style): Omit<ScreenLook, 'hasCursor'>;
  submit(given: GivenPrompt): void;
  /** Prints lines of our own permanently, after everything that has arrived so far. */
  print(lines: readonly string[], kind?: 'turn'): void;
  info(text: string): void;
  /** Prints a slash command; the next note is its outcome, and hangs below it. */
  showCommand(text: string): void;
  /** Says that the command changed nothing, unless something was said. */
  endCommand(): void;
  warn(text: string): void;
  fail(text: string): void;
  /** A toast that stays until it is cleared. */
  hint(text: string): void;
  toast(text: string, options?: ToastLife): void;
  /** Changes what keys change of the UI. */
  readonly dispatch: (action: UiAction) => void;
  /** The hint has expired, and the pending second press with it. */
  clearToast(): void;
  setMode(mode: ApprovalMode): void;
  /** Prints the last answer again, in the current form. */
  printLastAnswer(): void;
  /** Starts over for another session. Printed lines stay. */
  startOver(): void;
  /** Scrolls the old content away instead of erasing it: it stays in the scrollback. */
  clearScreen(): void;
  suspend(run: () => Promise<void>): Promise<void>;
  /** A second call stops waiting for the shutdown. */
  exit(deletesSession?: boolean): void;
  /** For a screen reader: plain lines, no colours, no frame. */
  useLinear(): void;
  /** The alternate screen, with scrolling of our own. */
  useAlternate(): void;
}
