/**
 * The app: maps keys to actions and events to frames. It connects the parts and decides what each key means at the
 * moment; the parts do the work. Typing works from the first millisecond, before Ink and the agent are loaded.
 */

import { StreamingState, createTranscriptStore } from '@castor/core';
import type { ApprovalMode, TranscriptItem, TranscriptStore } from '@castor/core';
import { AgentLink } from './agent-link.ts';
import { createAppComposer } from './app-composer.ts';
import { createAppConversation } from './app-conversation.ts';
import { createAppQuestions } from './app-questions.ts';
import { createAppScreens } from './app-screens.ts';
import { Appearance } from './appearance.ts';
import { createAppState } from './app-state.ts';
import type { AppState } from './app-state.ts';
import { ClientCalls, pendingCalls } from './client-calls.ts';
import type { CommandScreens } from './command-screens.ts';
import type { Conversation } from '../surface/conversation.ts';
import type { GivenPrompt } from '../surface/conversation-ports.ts';
import { DialogHost } from './dialogs/dialog-host.ts';
import { keyOf } from './dialogs/key-hint.ts';
import { drawApp, sayApp } from './draw-app.ts';
import type { Picture } from './draw-app.ts';
import { geminiStreamOf } from './gemini-stream.ts';
import type { GeminiStreamPort } from './gemini-stream.ts';
import type { ToolSchedulerPort } from './hooks/use-react-tool-scheduler.ts';
import type { ComposerController } from './input/composer-contract.ts';
import type { InkView } from './ink-view.tsx';
import { LinearFrame } from './linear-frame.ts';
import type { Questions } from './questions.ts';
import { createHighlighter } from './render/highlight.ts';
import type { Grammars } from './render/highlight.ts';
import type { ScreenLook } from './render/screen-rows.ts';
import { renderNote } from './render/transcript-item.ts';
import { Screen } from './screen.ts';
import { ShellFocus } from './shell-focus.ts';
import type { Reflow, Size } from './terminal/painter.ts';
import { settleMsOf } from './terminal/resize-behaviour.ts';
import type { TerminalSession } from './terminal/terminal-session.ts';
import { TranscriptPrinter } from './transcript-printer.ts';
import type { Style } from './theme/styles.ts';

export interface AppOptions {
  readonly terminal: TerminalSession;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly reflow: Reflow;
  readonly version: string;
  readonly onExit: () => void;
}

const TOAST_MS = 3_000;

export class App {
  readonly state: AppState = createAppState();
  store: TranscriptStore;
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
  readonly startedAt = Date.now();
  inkView: InkView | undefined;
  grammars: Grammars | undefined;
  /** Called when an answer is complete or a question waits. */
  onAttention: ((what: string) => void) | undefined;
  onStateChange: (() => void) | undefined;
  /** The user has returned to the terminal. */
  onFocused: (() => void) | undefined;
  /** Messages of Node and libraries. */
  takeMessages: (() => string[]) | undefined;
  /** Aborted when the user no longer waits for the shutdown. */
  readonly hurry = new AbortController();
  /** Runs once, when the settings are read. */
  readonly onStarted: (() => void)[] = [];
  /** Runs at the end, in order. */
  readonly onClose: (() => void | Promise<void>)[] = [];
  private readonly printer: TranscriptPrinter;
  private readonly questions: Questions;
  private toastTimer: NodeJS.Timeout | undefined;
  private linear: LinearFrame | undefined;
  private isLeaving = false;

  constructor(options: AppOptions) {
    this.options = options;
    const { terminal } = options;
    this.store = this.openStore();
    this.appearance = new Appearance(options.environment);
    this.dialogs = new DialogHost({
      onChange: () => {
        this.onStateChange?.();
        this.screen.drawNow();
      },
      onClosed: () => this.screen.follow(),
      isTyping: () => !this.composer.isEmpty(),
      now: () => performance.now(),
      keymap: () => this.composer.getKeymap(),
    });
    this.composer = createAppComposer(this);
    this.composer.pushConsumer(this.dialogs);
    this.screen = new Screen({
      terminal,
      reflow: options.reflow,
      draw: (size) => this.draw(size),
      onResize: (size) => this.sizeComposer(size),
      onGrownLeft: () => this.printer.leaveSettled(),
      onTallFrame: () => this.state.agent?.telemetry?.note({ kind: 'flicker' }),
      settleMs: settleMsOf(options.environment),
    });
    this.printer = new TranscriptPrinter({
      styles: () => this.appearance.styles,
      width: () => this.width,
      show: () => this.state.show,
      moreKey: () => keyOf(this.composer.getKeymap(), 'app.showMoreLines'),
      createHighlighter: (styles) => createHighlighter(styles, () => this.grammars),
      isSpoken: () => this.isSpoken,
      isRaw: () => this.state.showsRawMarkdown,
      onItem: (item) => this.onItem(item),
    });
    this.link = new AgentLink({
      onWarning: (message) => this.warn(message),
      onInfo: (message) => this.info(message),
      onEvent: (event) => this.store.dispatch(event),
      suspend: (run) => this.suspend(run),
      asker: this,
      onOpened: async (live) => (await import('./session-change.ts')).showSession(this, live),
    });
    this.clientCalls = new ClientCalls(() => {
      this.shellFocus.look();
      this.screen.refresh();
    });
    this.shellFocus = new ShellFocus({
      calls: () => pendingCalls(this.store.getSnapshot().pendingGroup?.calls, this.clientCalls.calls),
      shell: () => this.state.agent?.shell,
      screens: () => this.commandScreens,
      look: () => this.screenLook(this.appearance.styles.primary),
      host: this.dialogs,
      keymap: () => this.composer.getKeymap(),
      toast: (text) => this.toast(text),
    });
    this.commandScreens = createAppScreens(this);
    this.conversation = createAppConversation(this);
    this.questions = createAppQuestions(this);
    this.sizeComposer(terminal.size);
    this.composer.subscribe(() => this.screen.drawNow());
  }

  /** An approval or a plan may have changed it. */
  get mode(): ApprovalMode {
    return this.state.agent?.policy.mode ?? this.state.mode;
  }

  /** Cells available to a line. */
  get width(): number {
    return this.options.terminal.size.columns - 1;
  }

  /** For a user who looks elsewhere: a question before or after a prompt waits for an answer, too. */
  get streaming(): StreamingState {
    const { streamingState } = geminiStreamOf(this.streamPort);
    if (streamingState !== StreamingState.Responding || this.store.getSnapshot().prompt) return streamingState;
    if (this.state.isChoosing) return StreamingState.Idle;
    return this.dialogs.top ? StreamingState.WaitingForConfirmation : streamingState;
  }

  /** The state that the layout of a frame and the hooks of its components read. */
  get streamPort(): GeminiStreamPort & ToolSchedulerPort {
    return {
      transcript: this.store.getSnapshot(),
      isResponding: this.conversation.isBusy,
      submitQuery: this.submitQuery,
      initError: this.state.initError,
      clientCalls: this.clientCalls,
    };
  }

  /** The look of the screens of commands. */
  screenLook(plain: Style): Omit<ScreenLook, 'hasCursor'> {
    const showsColors = this.state.start?.settings.tools.shell.showColor ?? true;
    return { depth: this.appearance.colorDepth, showsColors, plain };
  }

  /** Whether a screen reader reads the output. */
  get isSpoken(): boolean {
    return this.linear !== undefined;
  }

  readonly submitQuery = (query: string): void => this.submit({ text: query });

  submit(given: GivenPrompt): void {
    this.screen.follow();
    this.conversation.submit(given);
  }

  /** Prints lines of our own permanently, after everything that has arrived so far. */
  print(lines: readonly string[]): void {
    this.screen.print(this.printer.takeWith(this.store.getSnapshot(), lines));
  }

  info(text: string): void {
    this.note('ℹ', text, this.appearance.styles.secondary);
  }

  warn(text: string): void {
    this.note('⚠', text, this.appearance.styles.warning);
  }

  fail(text: string): void {
    this.note('✗', text, this.appearance.styles.error);
  }

  /** A toast that stays until it is cleared. */
  hint(text: string): void {
    clearTimeout(this.toastTimer);
    this.state.toast = text;
    this.screen.drawNow();
  }

  toast(text: string, milliseconds = TOAST_MS): void {
    clearTimeout(this.toastTimer);
    this.state.toast = text;
    this.toastTimer = setTimeout(() => this.clearToast(), milliseconds);
    this.screen.drawNow();
  }

  /** The hint has expired, and the pending second press with it. */
  clearToast(): void {
    clearTimeout(this.toastTimer);
    this.state.toast = undefined;
    this.state.isExitArmed = false;
    this.state.isClearArmed = false;
    this.state.isRewindArmed = false;
    this.state.isMinimalArmed = false;
    this.screen.drawNow();
  }

  setMode(mode: ApprovalMode): void {
    this.state.mode = mode;
    if (this.state.agent) this.state.agent.policy.mode = mode;
    this.screen.drawNow();
  }

  /** Prints the last answer again, in the current form. */
  printLastAnswer(): void {
    this.print(this.printer.lastAnswer(this.store.getSnapshot()));
  }

  /** Starts over for another session. Printed lines stay. */
  startOver(): void {
    this.store = this.openStore();
    this.printer.reset();
    this.state.todos = [];
  }

  /**
   * Scrolls the old content away instead of erasing it: it stays in the scrollback. Does nothing for a screen reader.
   */
  clearScreen(): void {
    if (this.linear) return;
    const { terminal } = this.options;
    this.screen.hold();
    terminal.write(`${'\n'.repeat(terminal.size.rows)}\x1b[H`);
    this.screen.release();
  }

  async suspend(run: () => Promise<void>): Promise<void> {
    this.screen.hold();
    try {
      await this.options.terminal.suspend(run);
    } finally {
      this.screen.release();
    }
  }

  /** A second call stops waiting for the shutdown. */
  exit(deletesSession = false): void {
    if (this.isLeaving) return this.hurry.abort();
    this.isLeaving = true;
    this.state.deletesSession = deletesSession;
    clearTimeout(this.toastTimer);
    this.conversation.leave();
    this.dialogs.dismissAll();
    this.options.onExit();
  }

  private openStore(): TranscriptStore {
    const onListenerError = (error: unknown) =>
      queueMicrotask(() => {
        // A bug of ours that the app cannot recover from: a question might never be asked.
        throw error;
      });
    const store = createTranscriptStore({ onListenerError });
    store.subscribe(() => this.onTranscriptChange());
    return store;
  }

  private onItem(item: TranscriptItem): void {
    if (item.type !== 'tool_group') return;
    this.state.lastCalls = item.calls;
    for (const { result } of item.calls) {
      if (typeof result === 'object' && 'todos' in result) this.state.todos = result.todos;
    }
  }

  private note(mark: string, text: string, style: Style): void {
    this.print(['', ...renderNote(mark, text, style, this.width)]);
  }

  private onTranscriptChange(): void {
    const transcript = this.store.getSnapshot();
    this.questions.look(transcript);
    this.shellFocus.look();
    this.onStateChange?.();
    this.screen.refresh();
  }

  private sizeComposer({ columns, rows }: Size): void {
    this.commandScreens.resize();
    this.composer.setSize({ columns: columns - 1, maxRows: Math.max(3, Math.min(14, Math.floor(rows / 2))) });
  }

  /** For a screen reader: plain lines, no colours, no frame. */
  useLinear(): void {
    if (this.linear) return;
    this.linear = new LinearFrame();
    this.appearance.useVoice();
    this.screen.useLinear();
  }

  /** The alternate screen, with scrolling of our own. */
  useAlternate(): void {
    if (this.linear) return;
    this.screen.hold();
    this.options.terminal.useAlternate();
    this.screen.useAlternate();
    this.screen.release();
  }

  private draw(size: Size): Picture {
    // If the process is killed right after, the session still contains everything that was shown.
    this.state.recorder?.flush();
    return this.linear ? sayApp(this, this.printer, this.linear) : drawApp(this, this.printer, size);
  }
}
