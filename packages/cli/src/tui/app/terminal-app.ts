/**
 * The app: maps keys to actions and events to frames. It connects the parts and decides what each key means at the
 * moment; the parts do the work. Typing works from the first millisecond, before Ink and the agent are loaded.
 */

import { StreamingState } from '@castor/core';
import type { ApprovalMode, TranscriptItem, TranscriptStore } from '@castor/core';
import { AgentLink } from './agent-link.ts';
import type { AppCompanion } from './app-companion.ts';
import type { App, AppOptions, FullView, Picture } from './app.ts';
import { openStore } from './open-store.ts';
import { AppNotes } from './app-notes.ts';
import { Toasts } from './toasts.ts';
import type { ToastLife } from './toasts.ts';
import { reduceUi } from './ui-state.ts';
import type { UiAction } from './ui-state.ts';
import { createAppComposer } from './app-composer.ts';
import { createAppConversation } from './app-conversation.ts';
import { createAppDialogs, createAppFocus } from './app-dialogs.ts';
import { createAppQuestions } from './app-questions.ts';
import { createAppScreens } from './app-screens.ts';
import { Appearance } from './appearance.ts';
import { createAppState, noteItem } from './app-state.ts';
import type { AppState } from './app-state.ts';
import { CallTimes } from '../conversation/call-times.ts';
import { ClientCalls } from '../conversation/client-calls.ts';
import type { CommandScreens } from '../command-screen/command-screens.ts';
import type { Conversation } from '../../surface/conversation.ts';
import type { GivenPrompt } from '../../surface/conversation-ports.ts';
import type { DialogHost } from '../dialogs/dialog-host.ts';
import { drawApp, sayApp } from './draw-app.ts';
import { geminiStreamOf } from '../conversation/gemini-stream.ts';
import type { GeminiStreamPort } from '../conversation/gemini-stream.ts';
import type { ToolSchedulerPort } from '../hooks/use-react-tool-scheduler.ts';
import type { ComposerController } from '../input/composer-contract.ts';
import { LinearFrame } from '../frame/linear-frame.ts';
import type { Questions } from '../conversation/questions.ts';
import type { Grammars } from '../render/highlight.ts';
import type { ScreenLook } from '../command-screen/screen-rows.ts';
import { Screen } from '../frame/screen.ts';
import type { ShellFocus } from '../command-screen/shell-focus.ts';
import type { Size } from '../terminal/painter.ts';
import { settleMsOf } from '../terminal/resize-behaviour.ts';
import type { TranscriptPrinter } from '../conversation/transcript-printer.ts';
import type { Style } from '../theme/styles.ts';

export class TerminalApp implements App {
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
  readonly startedAt = Date.now();
  inkView: FullView | undefined;
  grammars: Grammars | undefined;
  companion: AppCompanion | undefined;
  onAttention: ((what: string) => void) | undefined;
  onStateChange: (() => void) | undefined;
  onFocused: (() => void) | undefined;
  takeMessages: (() => string[]) | undefined;
  readonly hurry = new AbortController();
  readonly onStarted: (() => void)[] = [];
  readonly onClose: (() => void | Promise<void>)[] = [];
  printer: TranscriptPrinter | undefined;
  readonly callTimes = new CallTimes(() => performance.now());
  private readonly questions: Questions;
  private readonly toasts = new Toasts({
    dispatch: (action) => this.dispatch(action),
    onChange: () => this.screen.drawNow(),
  });
  private linear: LinearFrame | undefined;
  private isLeaving = false;
  private readonly notes = new AppNotes(this);

  constructor(options: AppOptions) {
    this.options = options;
    const { terminal } = options;
    this.store = this.openStore();
    this.appearance = new Appearance(options.environment);
    this.dialogs = createAppDialogs(this);
    this.composer = createAppComposer(this);
    this.composer.pushConsumer(this.dialogs);
    this.screen = new Screen({
      terminal,
      reflow: options.reflow,
      draw: (size) => this.draw(size),
      onResize: (size) => this.sizeComposer(size),
      onGrownLeft: () => this.printer?.leaveSettled() ?? false,
      onTallFrame: () => this.state.agent?.telemetry?.note({ kind: 'flicker' }),
      settleMs: settleMsOf(options.environment),
    });
    this.link = new AgentLink({
      onWarning: (message) => this.warn(message),
      onInfo: (message) => this.info(message),
      onReport: (path) => {
        this.state.report = path;
      },
      onEvent: (event) => this.store.dispatch(event),
      suspend: (run) => this.suspend(run),
      asker: this,
      ideState: () => this.companion?.companion.editorState,
      onOpened: async (live) => {
        this.companion?.addFolders(live.agent);
        return (await import('./session-change.ts')).showSession(this, live);
      },
    });
    this.clientCalls = new ClientCalls(() => {
      this.shellFocus.look();
      this.screen.refresh();
    });
    this.shellFocus = createAppFocus(this);
    this.commandScreens = createAppScreens(this);
    this.conversation = createAppConversation(this);
    this.questions = createAppQuestions(this);
    this.sizeComposer(terminal.size);
    this.composer.subscribe(() => this.screen.drawNow());
  }

  get mode(): ApprovalMode {
    return this.state.agent?.policy.mode ?? this.state.mode;
  }

  get width(): number {
    return this.options.terminal.size.columns - 1;
  }

  get folder(): string {
    const { cwd, home } = this.options;
    return cwd === home ? '~' : cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  }

  /** For a user who looks elsewhere: a question before or after a prompt waits for an answer, too. */
  get streaming(): StreamingState {
    const { streamingState } = geminiStreamOf(this.streamPort);
    if (streamingState !== StreamingState.Responding || this.store.getSnapshot().prompt) return streamingState;
    if (this.state.isChoosing) return StreamingState.Idle;
    return this.dialogs.top ? StreamingState.WaitingForConfirmation : streamingState;
  }

  get streamPort(): GeminiStreamPort & ToolSchedulerPort {
    return {
      transcript: this.store.getSnapshot(),
      isResponding: this.conversation.isBusy,
      submitQuery: this.submitQuery,
      initError: this.state.initError,
      clientCalls: this.clientCalls,
    };
  }

  screenLook(plain: Style): Omit<ScreenLook, 'hasCursor'> {
    const showsColors = this.state.start?.settings.tools.shell.showColor ?? true;
    return { depth: this.appearance.colorDepth, showsColors, plain };
  }

  get isSpoken(): boolean {
    return this.linear !== undefined;
  }

  readonly submitQuery = (query: string): void => this.submit({ text: query });

  submit(given: GivenPrompt): void {
    this.screen.follow();
    this.conversation.submit(given);
  }

  print(lines: readonly string[], kind?: 'turn'): void {
    if (lines.length > 0) this.notes.onPrinted();
    this.screen.print(this.printer?.takeWith(this.store.getSnapshot(), lines, kind) ?? lines);
  }

  info(text: string): void {
    this.notes.info(text);
  }

  warn(text: string): void {
    this.notes.warn(text);
  }

  fail(text: string): void {
    this.notes.fail(text);
  }

  showCommand(text: string): void {
    this.notes.showCommand(text);
  }

  endCommand(): void {
    if (!this.isLeaving) this.notes.endCommand();
  }

  readonly dispatch = (action: UiAction): void => {
    this.state.ui = reduceUi(this.state.ui, action);
  };

  hint(text: string): void {
    this.toasts.show(text, { milliseconds: Infinity });
  }

  toast(text: string, options: ToastLife = {}): void {
    this.toasts.show(text, options);
  }

  clearToast(): void {
    this.toasts.clear();
  }

  setMode(mode: ApprovalMode): void {
    this.state.mode = mode;
    if (this.state.agent) this.state.agent.policy.mode = mode;
    this.screen.drawNow();
  }

  printLastAnswer(): void {
    this.print(this.printer?.lastAnswer(this.store.getSnapshot()) ?? []);
  }

  startOver(): void {
    this.store = this.openStore();
    this.printer?.reset();
    this.notes.onPrinted();
    this.state.todos = [];
  }

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

  exit(deletesSession = false): void {
    if (this.isLeaving) return this.hurry.abort();
    this.isLeaving = true;
    this.state.deletesSession = deletesSession;
    this.toasts.stop();
    this.conversation.leave();
    this.dialogs.dismissAll();
    this.options.onExit();
  }

  private openStore(): TranscriptStore {
    return openStore(() => this.onTranscriptChange());
  }

  onItem(item: TranscriptItem): void {
    noteItem(this.state, item);
  }

  private onTranscriptChange(): void {
    const transcript = this.store.getSnapshot();
    this.callTimes.look(transcript.pendingGroup?.calls ?? []);
    this.questions.look(transcript);
    this.shellFocus.look();
    this.onStateChange?.();
    this.screen.refresh();
  }

  private sizeComposer({ columns, rows }: Size): void {
    this.commandScreens.resize();
    this.composer.setSize({ columns: columns - 1, maxRows: Math.max(3, Math.min(14, Math.floor(rows / 2))) });
  }

  useLinear(): void {
    if (this.linear) return;
    this.linear = new LinearFrame();
    this.appearance.useVoice();
    this.screen.useLinear();
  }

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
    return this.linear ? sayApp(this, this.linear) : drawApp(this, size);
  }
}
