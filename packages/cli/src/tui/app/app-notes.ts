/** Prints the notes of the app: marked rows, and the outcome of a slash command, which hangs under its row. */

import { withTilde } from '../text/with-tilde.ts';
import type { Style } from '../theme/styles.ts';
import type { App } from './app.ts';

type NoteApp = Pick<App, 'print' | 'printer' | 'appearance' | 'options' | 'composer'>;

export class AppNotes {
  private readonly app: NoteApp;
  /** Whether the last row is a slash command. */
  private isAfterCommand = false;

  constructor(app: NoteApp) {
    this.app = app;
  }

  info(text: string): void {
    const { app } = this;
    const shown = withTilde(text, app.options.home);
    if (this.isAfterCommand) app.print(app.printer?.outcome(shown) ?? [shown]);
    else this.note('·', text, app.appearance.styles.secondary);
  }

  warn(text: string): void {
    this.note('!', text, this.app.appearance.styles.warning);
  }

  fail(text: string): void {
    this.note('✗', text, this.app.appearance.styles.error);
  }

  showCommand(text: string): void {
    this.app.print(['', ...(this.app.printer?.user(text) ?? [text])]);
    this.isAfterCommand = true;
  }

  /** Every command has an outcome. */
  endCommand(): void {
    if (this.isAfterCommand) this.info('unchanged');
  }

  /** Something else is the last row now. */
  onPrinted(): void {
    this.isAfterCommand = false;
    this.app.composer.releaseRows();
  }

  private note(mark: string, text: string, style: Style): void {
    const { app } = this;
    const shown = withTilde(text, app.options.home);
    const rows = app.printer?.note(mark, shown, style) ?? [`${mark} ${shown}`];
    // What a slash command could not do stands below it, as its outcome does.
    app.print(this.isAfterCommand ? rows : ['', ...rows]);
  }
}
