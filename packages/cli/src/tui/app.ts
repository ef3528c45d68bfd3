/**
 * The app: keys to actions, events to frames. It holds the parts together and decides
 * what each key means at the moment; the parts do the work. Works from the first
 * millisecond: before Ink and the agent are there, one can type.
 */

import { createTranscriptStore } from '@castor/core';
import type { ApprovalMode, StreamingState, TranscriptItem, TranscriptStore, WorkspaceAgent } from '@castor/core';
import { editorCommand } from '../editor-command.ts';
import { isShellText, isSlashText } from '../slash/command-signs.ts';
import { approvalChoices } from './approval-choices.ts';
import { takeBeside } from './beside-prompt.ts';
import type { BesideAnswer } from './beside-prompt.ts';
import { AgentLink } from './agent-link.ts';
import { Appearance } from './appearance.ts';
import { runAppCommand } from './app-commands.ts';
import { createAppState } from './app-state.ts';
import type { AppState } from './app-state.ts';
import { ClientCalls } from './client-calls.ts';
import { composerRows } from './components/composer-rows.ts';
import { Conversation } from './conversation.ts';
import type { PrepareTurn } from './conversation.ts';
import { DialogHost } from './dialogs/dialog-host.ts';
import { askAboutLoop } from './dialogs/loop-question.ts';
import { layoutFrame } from './frame-layout.ts';
import { frameCaret, frameRows } from './frame-rows.ts';
import { frameStateOf } from './frame-state.ts';
import type { InkView } from './ink-view.tsx';
import type { ComposerController, Submission } from './input/composer-contract.ts';
import { createComposerController } from './input/composer-controller.ts';
import { composerCaret, composerHeight } from './input/composer-view.ts';
import type { InputReport } from './input/key-parser.ts';
import { LinearFrame } from './linear-frame.ts';
import { Questions } from './questions.ts';
import { createHighlighter } from './render/highlight.ts';
import type { Grammars } from './render/highlight.ts';
import { renderNote } from './render/transcript-item.ts';
import { Screen } from './screen.ts';
import { StreamProcessingStatus } from './stream-processing-status.ts';
import { streamingStateOf } from './streaming-state-of.ts';
import { showSession } from './session-change.ts';
import { tellHookMessages } from './session-hooks.ts';
import type { Frame, Reflow, Size } from './terminal/painter.ts';
import type { TerminalSession } from './terminal/terminal-session.ts';
import { backgroundOfReport } from './theme/detect-background.ts';
import { TranscriptPrinter } from './transcript-printer.ts';
import type { Style } from './theme/styles.ts';

export interface AppOptions {
  readonly terminal: TerminalSession;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly reflow: Reflow;
  /** What a submitted text stands for. */
  readonly prepare: (app: App, ...input: Parameters<PrepareTurn>) => ReturnType<PrepareTurn>;
  /** Runs a command while a prompt is under way. */
  readonly runBeside: (app: App, text: string) => Promise<BesideAnswer>;
  readonly onExit: () => void;
}

const TOAST_MS = 3_000;
const WHEEL_UP = 64;
const ENDS = { [StreamProcessingStatus.Completed]: 'Done', [StreamProcessingStatus.Error]: 'Stopped' } as const;

export class App {
  readonly state: AppState = createAppState();
  store: TranscriptStore;
  readonly appearance: Appearance;
  readonly composer: ComposerController;
  readonly dialogs: DialogHost;
  readonly conversation: Conversation;
  readonly clientCalls: ClientCalls;
  readonly link: AgentLink;
  readonly screen: Screen;
  readonly options: AppOptions;
  inkView: InkView | undefined;
  grammars: Grammars | undefined;
  /** Told when an answer is done or a question waits. */
  onAttention: ((what: string) => void) | undefined;
  onStateChange: (() => void) | undefined;
  /** The person has come back to the terminal. */
  onFocused: (() => void) | undefined;
  /** What Node and libraries wanted to say. */
  takeMessages: (() => string[]) | undefined;
  /** Aborted when nobody wants to wait for the end. */
  readonly hurry = new AbortController();
  /** Run at the end, in order. */
  readonly onClose: (() => void | Promise<void>)[] = [];
  private readonly printer: TranscriptPrinter;
  private readonly questions: Questions;
  private toastTimer: NodeJS.Timeout | undefined;
  private linear: LinearFrame | undefined;
  private isLeaving = false;
  /** Said when calls of the prompt under way were declined. */
  private feedback: string[] = [];

  constructor(options: AppOptions) {
    this.options = options;
    const { terminal } = options;
    this.store = this.openStore();
    this.appearance = new Appearance(options.environment);
    this.dialogs = new DialogHost({
      onChange: () => this.screen.drawNow(),
      isTyping: () => !this.composer.isEmpty(),
      now: () => performance.now(),
    });
    this.composer = createComposerController({
      onSubmit: (submission) => this.submit(submission),
      onQueue: (submission) => this.queue(submission),
      canQueue: () => this.conversation.isBusy,
      onCommand: (command) => runAppCommand(this, command),
      takeQueued: () => this.conversation.takeQueue(),
      onReport: (report) => this.onReport(report),
      onFocus: (isFocused) => {
        this.state.isTerminalFocused = isFocused;
        if (isFocused) this.onFocused?.();
      },
      editor: {
        environment: options.environment,
        command: () => this.state.start && editorCommand(this.state.start.settings.general, options.environment),
        suspend: (run) => this.suspend(run),
      },
      escapesPastedAt: () => this.state.start?.settings.ui.escapePastedAtSymbols ?? false,
    });
    this.composer.pushConsumer(this.dialogs);
    this.screen = new Screen({
      terminal,
      reflow: options.reflow,
      draw: (size) => this.draw(size),
      onResize: (size) => this.sizeComposer(size),
    });
    this.printer = new TranscriptPrinter({
      styles: () => this.appearance.styles,
      width: () => this.width,
      show: () => this.state.show,
      createHighlighter: (styles) => createHighlighter(styles, () => this.grammars),
      isSpoken: () => this.linear !== undefined,
      onItem: (item) => this.onItem(item),
    });
    this.link = new AgentLink({
      onWarning: (message) => this.warn(message),
      onInfo: (message) => this.info(message),
      suspend: (run) => this.suspend(run),
      onOpened: (agent, session) => showSession(this, agent, session),
    });
    this.clientCalls = new ClientCalls(() => this.screen.refresh());
    this.conversation = new Conversation({
      store: () => this.store,
      agent: () => this.link.current(),
      prepare: (text, signal) => options.prepare(this, text, signal),
      onChange: () => this.onConversationChange(),
      onUnauthorized: (message) => this.onUnauthorized(message),
      onFailure: (message) => this.fail(message),
      onUnsent: (text) => this.composer.isEmpty() && this.composer.setText(text),
      onIdle: (status) => this.onIdle(status),
      onLoop: (signal) => this.askAboutLoop(signal),
      beside: (text) => takeBeside(this, text),
      takeFeedback: () => this.takeFeedback(),
      showsItself: (text) => isSlashText(text) || isShellText(text),
    });
    this.questions = new Questions({
      host: this.dialogs,
      agent: () => this.link.current(),
      printPlan: (path) => this.printPlan(path),
      onAsked: (what) => this.onAttention?.(what),
      onFeedback: (feedback) => this.feedback.push(feedback),
      onProblem: (message) => this.fail(message),
      approval: () => ({
        ...approvalChoices(this.state.start),
        hasEditor: true,
        print: (rows) => this.print(rows(this.appearance.styles, this.width)),
        height: terminal.size.rows,
        width: terminal.size.columns,
        styles: this.appearance.styles,
      }),
    });
    this.sizeComposer(terminal.size);
    this.composer.subscribe(() => this.screen.drawNow());
  }

  /** An approval or a plan may have changed it. */
  get mode(): ApprovalMode {
    return this.state.agent?.policy.mode ?? this.state.mode;
  }

  /** Cells a line may take. */
  get width(): number {
    return this.options.terminal.size.columns - 1;
  }

  get streaming(): StreamingState {
    return streamingStateOf(this.store.getSnapshot(), this.conversation.isBusy);
  }

  /** Lines of our own, for good, behind all that has arrived so far. */
  print(lines: readonly string[]): void {
    this.screen.print([...this.printer.take(this.store.getSnapshot()), ...lines]);
  }

  info(text: string): void {
    this.note('ℹ', text, this.appearance.styles.secondary);
  }

  warn(text: string): void {
    this.note('⚠', text, this.appearance.styles.warning);
  }

  fail(text: string): void {
    this.note('✕', text, this.appearance.styles.error);
  }

  toast(text: string, milliseconds = TOAST_MS): void {
    clearTimeout(this.toastTimer);
    this.state.toast = text;
    this.toastTimer = setTimeout(() => this.clearToast(), milliseconds);
    this.screen.drawNow();
  }

  /** The hint is gone, and what it asked to press again is forgotten. */
  clearToast(): void {
    clearTimeout(this.toastTimer);
    this.state.toast = undefined;
    this.state.isExitArmed = false;
    this.state.isClearArmed = false;
    this.state.isRewindArmed = false;
    this.screen.drawNow();
  }

  setMode(mode: ApprovalMode): void {
    this.state.mode = mode;
    if (this.state.agent) this.state.agent.policy.mode = mode;
    this.screen.drawNow();
  }

  /** For another session. What was printed stays. */
  startOver(): void {
    this.store = this.openStore();
    this.printer.reset();
    this.state.todos = [];
  }

  /** What was there is scrolled away, not erased: it stays in the scrollback. Nothing to a voice. */
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

  /** Said twice, it is meant. */
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
        // Ours to fix, and nothing to go on with: a question might never be asked.
        throw error;
      });
    const store = createTranscriptStore({ onListenerError });
    store.subscribe(() => this.onTranscriptChange());
    return store;
  }

  /** What hooks said outside a prompt. */
  tellHookMessages(agent: WorkspaceAgent): void {
    tellHookMessages(agent, { onInfo: (text) => this.info(text), onWarning: (text) => this.warn(text) });
  }

  private async askAboutLoop(signal: AbortSignal): Promise<boolean> {
    const answer = await askAboutLoop(this.dialogs, signal);
    if (answer !== 'disable') return false;
    this.state.agent?.disableLoopDetection();
    this.info('Loop detection is off for this session. The request is sent again.');
    return true;
  }

  /** What was asked stays in the history of prompts; first there must be a key that is taken. */
  private onUnauthorized(message: string): void {
    this.fail(`The credentials were refused: ${message}`);
    setImmediate(() => !this.conversation.isBusy && this.conversation.submit('/auth'));
  }

  private takeFeedback(): string | undefined {
    const said = this.feedback.join('\n\n');
    this.feedback = [];
    return said || undefined;
  }

  /** Whoever cancelled is looking. */
  private onIdle(status: StreamProcessingStatus): void {
    if (status !== StreamProcessingStatus.UserCancelled) this.onAttention?.(ENDS[status]);
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

  private readonly submitQuery = (query: string) => this.conversation.submit(query);

  private submit({ text, isShell }: Submission): void {
    this.conversation.submit(isShell ? `!${text}` : text);
  }

  /** Behind the prompt under way, never into it; commands are no prompts. */
  private queue({ text, isShell }: Submission): void {
    if (isSlashText(text)) this.conversation.submit(text);
    else this.conversation.enqueue(isShell ? `!${text}` : text);
  }

  private onReport(report: InputReport): void {
    if (report.kind === 'mouse' && report.button >= WHEEL_UP) this.screen.scroll(report.button === WHEEL_UP ? -3 : 3);
    if (report.kind === 'keyboard') this.options.terminal.enableKittyKeyboard();
    if (report.kind !== 'color' || report.slot !== 11) return;
    const background = backgroundOfReport(report.value);
    if (background && this.appearance.noteBackground(background)) this.screen.drawNow();
  }

  private onConversationChange(): void {
    const { isBusy } = this.conversation;
    if (isBusy) this.state.promptStartedAt ??= performance.now();
    else this.state.promptStartedAt = undefined;
    this.screen.animate(isBusy && !this.linear);
    this.onStateChange?.();
    this.screen.refresh();
  }

  private onTranscriptChange(): void {
    const transcript = this.store.getSnapshot();
    this.questions.look(transcript);
    this.onStateChange?.();
    this.screen.refresh();
  }

  private async printPlan(path: string): Promise<void> {
    const { readPlan } = await import('./read-plan.ts');
    const { styles } = this.appearance;
    const isSpoken = this.linear !== undefined;
    const rows = await readPlan(path, { styles, width: () => this.width, isSpoken });
    this.print(['', ...rows]);
  }

  private sizeComposer({ columns, rows }: Size): void {
    this.composer.setSize({ columns: columns - 1, maxRows: Math.max(3, Math.min(14, Math.floor(rows / 2))) });
  }

  /** For a screen reader: plain lines, no colours, no frame. */
  useLinear(): void {
    if (this.linear) return;
    this.linear = new LinearFrame();
    this.appearance.useNoColors();
    this.screen.useLinear();
  }

  /** The whole screen, with scrolling of our own. */
  useAlternate(): void {
    if (this.linear) return;
    this.screen.hold();
    this.options.terminal.useAlternate();
    this.screen.useAlternate();
    this.screen.release();
  }

  private draw(size: Size): { lines: readonly string[]; frame: Frame } {
    const { styles } = this.appearance;
    const lines = this.printer.take(this.store.getSnapshot());
    const snapshot = this.composer.getSnapshot();
    if (this.linear) {
      const { streaming, dialogs, width } = this;
      const { toast } = this.state;
      const said = this.linear.draw({ streaming, dialog: dialogs.top, snapshot, toast, styles, width });
      return { lines: [...lines, ...said.lines], frame: said.frame };
    }
    const answer = (maxRows: number) => this.printer.pendingRows(maxRows);
    const sections = layoutFrame(frameStateOf(this, { size, answer, composerHeight: composerHeight(snapshot) }));
    const picture = { rows: composerRows(snapshot, styles), caret: composerCaret(snapshot) };
    const stream = {
      transcript: this.store.getSnapshot(),
      isResponding: this.conversation.isBusy,
      submitQuery: this.submitQuery,
      initError: this.state.initError,
      clientCalls: this.clientCalls,
    };
    const props = { sections, composer: this.composer, styles, stream };
    const rows = this.inkView?.draw(props, size) ?? frameRows(sections, picture);
    return { lines, frame: { rows, caret: frameCaret(sections, picture) } };
  }
}
