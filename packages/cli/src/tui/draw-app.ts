/** Draws the app once: the lines that became final since the last paint, and the frame under them. */

import type { App } from './app.ts';
import { composerRows } from './components/composer-rows.ts';
import { layoutFrame } from './frame-layout.ts';
import { frameCaret, frameRows } from './frame-rows.ts';
import { frameStateOf, keyHintsOf } from './frame-state.ts';
import { composerCaret, composerHeight } from './input/composer-view.ts';
import type { LinearFrame } from './linear-frame.ts';
import type { Frame, Size } from './terminal/painter.ts';
import type { TranscriptPrinter } from './transcript-printer.ts';

export interface Picture {
  readonly lines: readonly string[];
  readonly frame: Frame;
}

export function drawApp(app: App, printer: TranscriptPrinter, size: Size): Picture {
  const { composer, inkView, appearance } = app;
  const { styles } = appearance;
  const lines = printer.take(app.store.getSnapshot());
  const snapshot = composer.getSnapshot();
  const answer = (maxRows: number) => printer.pendingRows(maxRows, lines.length > 0);
  const { endsInGap: isBelowGap } = printer;
  const given = { size, answer, isBelowGap, composerHeight: composerHeight(snapshot) };
  const sections = layoutFrame(frameStateOf(app, given));
  const picture = { rows: composerRows(snapshot, styles), caret: composerCaret(snapshot) };
  // Before Ink is loaded, and where it failed, the same rows are assembled without it.
  const rows =
    inkView?.draw({ sections, composer, styles, stream: app.streamPort }, size) ?? frameRows(sections, picture);
  const isCaretDrawn = app.conversation.isBusy && composer.isEmpty() && !sections.dialog;
  const caret = frameCaret(sections, picture);
  const seam = sections.answer.length > 0 ? printer.pendingSeam() : undefined;
  return { lines, frame: { rows, caret, isCaretDrawn, seam } };
}

/** The same for a screen reader. */
export function sayApp(app: App, printer: TranscriptPrinter, linear: LinearFrame): Picture {
  const lines = printer.take(app.store.getSnapshot());
  const { streaming, dialogs, composer, state, appearance, width } = app;
  const { toast } = state;
  const { styles } = appearance;
  const said = linear.draw({
    streaming,
    dialog: dialogs.top,
    snapshot: composer.getSnapshot(),
    toast,
    keyHints: keyHintsOf(app),
    isWaitedFor: app.commandScreens.isWaiting,
    styles,
    width,
  });
  return { lines: [...lines, ...said.lines], frame: said.frame };
}
