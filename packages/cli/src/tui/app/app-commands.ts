/** Handles the keys that neither a dialog nor the composer uses. */

import { setImmediate as afterInput } from 'node:timers/promises';
import type { PendingCall } from '@castor/core';
import type { App } from './app.ts';
import { nextMode } from '../conversation/approval-modes.ts';
import { enterCopyMode, toggleMouse } from './copy-mode.ts';
import type { CommandName } from '../input/commands.ts';

type Command = (app: App) => boolean;

const MOST_RESULT_ROWS = 2_000;
/** Rows that stay visible when the user scrolls by a page. */
const PAGE_OVERLAP = 6;

const COMMANDS: Readonly<Partial<Record<CommandName, Command>>> = {
  // A prompt that waits for MCP servers is sent without those that are late.
  'basic.cancel': (app) => app.state.agent?.servers?.skipWait() || cancel(app) || clearInput(app) || rewind(app),
  'input.submit': sendQueueNow,
  'basic.quit': quit,
  'basic.exit': (app) => armExit(app, 'Press Ctrl+D again to exit.'),
  'app.cycleApprovalMode': done((app) => whenStarted(app, cycleMode)),
  'app.toggleYolo': done((app) => whenStarted(app, toggleYolo)),
  'app.showFullTodos': done(toggleTodos),
  'app.clearScreen': done((app) => {
    app.composer.releaseRows();
    app.clearScreen();
  }),
  'app.showMoreLines': done(showMore),
  'app.showErrorDetails': done((app) => app.info(app.takeMessages?.().join('\n') || 'No messages.')),
  'app.showShortcuts': showShortcuts,
  'app.toggleMarkdown': done(toggleMarkdown),
  'app.toggleCopyMode': done(enterCopyMode),
  'app.toggleMouseMode': done(toggleMouse),
  'app.showIdeContextDetail': done((app) => void showEditor(app)),
  'app.suspend': done((app) => void app.suspend(() => stopProcess(app))),
  'app.focusShellInput': (app) => app.shellFocus.focus() || toggleMinimal(app),
  'background.toggle': (app) => app.shellFocus.moveToBackground() || showBackground(app),
  'scroll.up': (app) => app.screen.scroll(-1),
  'scroll.down': (app) => app.screen.scroll(1),
  'scroll.pageUp': (app) => scrollPage(app, -1),
  'scroll.pageDown': (app) => scrollPage(app, 1),
  'scroll.home': (app) => app.screen.scroll(-Infinity),
  'scroll.end': (app) => app.screen.scroll(Infinity),
};

/** Whether the command did something. */
export function runAppCommand(app: App, command: CommandName): boolean {
  return COMMANDS[command]?.(app) ?? false;
}

function done(run: (app: App) => void): Command {
  return (app) => {
    run(app);
    return true;
  };
}

/** Prompts queued behind the request return to the editor: no typed text is lost. */
function cancel({ conversation, composer, link }: App): boolean {
  if (!conversation.cancel()) return false;
  link.skipStartHooks();
  const queued = conversation.takeQueue();
  if (queued !== undefined) composer.insert(composer.isEmpty() ? queued : `\n\n${queued}`);
  return true;
}

/** Twice, so that one stray key does not erase a long prompt. */
function clearInput(app: App): boolean {
  if (app.composer.isEmpty()) return false;
  if (app.state.ui.armed === 'clear') {
    app.composer.clear();
    app.clearToast();
  } else {
    app.toast('Press Esc again to clear the input.', { arms: 'clear' });
  }
  return true;
}

/** Twice on empty input: rewinds to an earlier message. */
function rewind(app: App): boolean {
  if (app.store.getSnapshot().committed.length === 0) return false;
  if (app.state.ui.armed === 'rewind') {
    app.clearToast();
    app.conversation.occupy((signal) => openRewind(app, signal));
  } else {
    app.toast('Press Esc again to rewind to an earlier message.', { arms: 'rewind' });
  }
  return true;
}

/** Without a line in the transcript: a user who leaves the dialog has submitted nothing. */
async function openRewind(app: App, signal: AbortSignal): Promise<void> {
  const [{ chooseRewind }, { choosing }] = await Promise.all([
    import('../choices/rewind.ts'),
    import('./open-dialog.ts'),
  ]);
  await choosing(app, () => chooseRewind(app, signal));
}

/** Enter on empty input: sends the queue with the model's next request. */
function sendQueueNow(app: App): boolean {
  return app.composer.isEmpty() && app.conversation.steerQueue();
}

function quit(app: App): boolean {
  if (cancel(app)) return true;
  if (app.composer.isEmpty()) return armExit(app, 'Press Ctrl+C again to exit.');
  app.composer.clear();
  return true;
}

/** The first press asks, the second exits. */
function armExit(app: App, hint: string): boolean {
  if (app.state.ui.armed === 'exit') app.exit();
  else app.toast(hint, { arms: 'exit' });
  return true;
}

/** Settings and trust must be known: an earlier key is kept until then. */
function whenStarted(app: App, run: (app: App) => void): void {
  if (app.state.start) run(app);
  else app.onStarted.push(() => run(app));
}

function hasPlanMode({ state }: App): boolean {
  return state.start?.settings.general.plan.enabled ?? true;
}

function toggleYolo(app: App): void {
  if (app.state.start?.trustedFolder === false) {
    app.toast('This approval mode needs a trusted folder.');
    return;
  }
  const mode = app.mode === 'yolo' ? 'default' : 'yolo';
  const { security, admin } = app.state.start?.settings ?? {};
  if (mode === 'yolo' && (security?.disableYoloMode || admin?.secureModeEnabled)) {
    app.toast('YOLO mode is disabled (security.disableYoloMode).');
    return;
  }
  app.setMode(mode);
  if (mode === 'yolo') approveWaiting(app, () => true);
}

function cycleMode(app: App): void {
  const mode = nextMode(app.mode, !hasPlanMode(app) || app.conversation.isBusy);
  app.setMode(mode);
  if (mode === 'autoEdit') approveWaiting(app, ({ confirmation }) => confirmation?.type === 'edit');
}

/** The confirmations that wait for the user and would not in the new mode. */
function approveWaiting({ store, state }: App, fits: (call: PendingCall) => boolean): void {
  for (const call of store.getSnapshot().pendingGroup?.calls ?? []) {
    // Messages of hooks and questions to the user wait in every mode.
    const type = call.confirmation?.type;
    // Without a confirmation the question is already answered.
    const isOpen = call.status === 'awaiting_approval' && type !== undefined;
    if (!isOpen || call.forcedAsk || type === 'ask_user' || type === 'exit_plan_mode' || !fits(call)) continue;
    state.agent?.session.respond(call.callId, 'proceed_once');
  }
}

function toggleTodos(app: App): void {
  app.dispatch({ type: 'toggle', what: 'showsTodos' });
  if (app.state.todos.length === 0) app.toast(`The todo list is ${app.state.ui.showsTodos ? 'shown' : 'hidden'}.`);
  app.screen.drawNow();
}

/** The page of results that is open: the key that opened it closes it. */
const openResults = new WeakMap<App, AbortController>();

/** Shows the results of the last prompt in full, on a page that leaves nothing behind. */
function showMore(app: App): void {
  const open = openResults.get(app);
  if (open) return open.abort();
  const { lastCalls } = app.state;
  if (lastCalls.length === 0) {
    app.toast('No output to expand.');
    return;
  }
  const page = new AbortController();
  openResults.set(app, page);
  const shown = import('../conversation/tool-call.ts').then(({ renderToolCall }) => {
    const rows = (width: number) =>
      lastCalls.flatMap((call) =>
        renderToolCall(call, {
          styles: app.appearance.styles,
          width,
          maxRows: MOST_RESULT_ROWS,
          isWhole: true,
          grammars: app.grammars,
        }),
      );
    if (app.isSpoken) return app.print(['', ...rows(app.width)]);
    const results = { title: 'Results', rows: ({ width }: { width: number }) => rows(width), startsAtEnd: true };
    return app.dialogs.showPage(results, page.signal);
  });
  void shown.finally(() => openResults.delete(app));
}

function showShortcuts(app: App): boolean {
  if (!app.composer.isEmpty()) return false;
  void import('../choices/help.ts').then(({ showKeys }) => showKeys(app));
  return true;
}

function showBackground(app: App): boolean {
  void import('../choices/background.ts').then((choice) => choice.showBackground(app));
  return true;
}

/** Twice on empty input: hides or shows the details around the prompt. */
function toggleMinimal(app: App): boolean {
  const { state } = app;
  if (!app.composer.isEmpty()) return false;
  if (state.ui.armed === 'minimal') {
    app.dispatch({ type: 'toggle', what: 'isMinimal' });
    app.clearToast();
  } else {
    const does = state.ui.isMinimal ? 'show' : 'hide';
    app.toast(`Press Tab again to ${does} the details around the prompt.`, { arms: 'minimal' });
  }
  return true;
}

/** Printed lines stay; the last answer is printed again in the other form. */
function toggleMarkdown(app: App): void {
  const { state } = app;
  app.dispatch({ type: 'toggle', what: 'showsRawMarkdown' });
  app.toast(`Answers are shown ${state.ui.showsRawMarkdown ? 'as raw markdown' : 'rendered'} from here on.`);
  if (!app.conversation.isBusy) app.printLastAnswer();
}

/** As Ctrl+Z in other programs; `fg` resumes. Does nothing without a shell to return to. */
async function stopProcess({ options: { terminal } }: App): Promise<void> {
  // Parts what is drawn next from the row of the shell.
  const onResumed = () => terminal.write('\n');
  process.once('SIGCONT', onResumed);
  process.kill(process.pid, 'SIGTSTP');
  await afterInput();
  process.off('SIGCONT', onResumed);
}

function scrollPage({ screen, options }: App, direction: 1 | -1): boolean {
  return screen.scroll(direction * Math.max(options.terminal.size.rows - PAGE_OVERLAP, 1));
}

async function showEditor(app: App): Promise<void> {
  const { companion } = app;
  if (!companion) app.toast('IDE mode is off: /ide enable turns it on.');
  else app.info(await companion.status());
}
