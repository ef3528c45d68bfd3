/** Draws the app once: the lines that became final since the last paint, and the frame under them. */

import type { LinearFrame } from '../frame/linear-frame.ts';
import { caretIn, plainDialog, plainFrame } from '../frame/plain-frame.ts';
import type { Size } from '../terminal/painter.ts';
import type { App, Picture } from './app.ts';
import { keyHintsOf, plainDataOf } from './frame-state.ts';

export function drawApp(app: App, size: Size): Picture {
  const lines = app.printer?.take(app.store.getSnapshot()) ?? [];
  if (lines.length > 0) app.composer.releaseRows();
  if (app.inkView) return { lines, frame: app.inkView.draw(lines, size) };
  const data = plainDataOf(app, size);
  const dialog = plainDialog(data);
  const rows = plainFrame(data, dialog);
  return { lines, frame: { rows, caret: caretIn(rows, data, dialog) } };
}

/** The same for a screen reader. */
export function sayApp(app: App, linear: LinearFrame): Picture {
  const transcript = app.store.getSnapshot();
  const lines = app.printer?.take(transcript) ?? [];
  const { streaming, dialogs, composer, state, appearance, width } = app;
  const { toast } = state.ui;
  const { styles } = appearance;
  const said = linear.draw({
    streaming,
    isPrompt: transcript.prompt !== undefined,
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
