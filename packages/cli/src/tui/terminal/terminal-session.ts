/**
 * Takes over the terminal: raw mode, the modes Castor switches on, and restoring all of it whatever happens. `leave`
 * may be called any number of times and from an exit handler: it writes synchronously and leaves nothing switched on.
 */

import { writeSync } from 'node:fs';
import type { Size } from './painter.ts';

export interface TerminalSessionOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Linear output: nothing but line feeds, so no modes that redraw. */
  readonly isPlain?: boolean;
  /** Writes signs as the terminal can show them. */
  readonly spell?: ((bytes: string) => string) | undefined;
}

const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';
const FOCUS_ON = '\x1b[?1004h';
const FOCUS_OFF = '\x1b[?1004l';
const KITTY_QUERY = '\x1b[?u';
/** Device attributes: the answer identifies a terminal that no variable names. */
const DEVICE_QUERY = '\x1b[>c';
const KITTY_ON = '\x1b[>1u';
const KITTY_OFF = '\x1b[<u';
const ALTERNATE_ON = '\x1b[?1049h';
const ALTERNATE_OFF = '\x1b[?1049l';
const MOUSE_ON = '\x1b[?1000h\x1b[?1006h';
const MOUSE_OFF = '\x1b[?1006l\x1b[?1000l';
const SHOW_CURSOR = '\x1b[?25h';
const FRESH_LINE = '\r\x1b[J';
const END_UPDATE = '\x1b[?2026l';
const BREAK_ROWS = '\x1b[?7h';

export class TerminalSession {
  private readonly options: TerminalSessionOptions;
  private readonly onBytes = (bytes: Buffer) => {
    const isEarly = this.isFirst;
    this.isFirst = false;
    this.listener?.(isEarly ? withEnter(bytes) : bytes);
  };
  private readonly onExit = () => this.leave();
  private listener: ((bytes: Buffer) => void) | undefined;
  private isEntered = false;
  private isFirst = true;
  private isAlternate = false;
  private hasMouse = true;
  private hasKitty = false;

  constructor(options: TerminalSessionOptions) {
    this.options = options;
  }

  get size(): Size {
    // A terminal that does not report its size has neither.
    const { columns, rows } = this.options.output;
    return { columns: Math.max(columns || 80, 2), rows: Math.max(rows || 24, 2) };
  }

  /** The current size, which may precede the event that updates `size`. */
  measure(): Size {
    const { output } = this.options;
    try {
      const [columns, rows] = output.getWindowSize();
      return columns > 0 && rows > 0 ? { columns: Math.max(columns, 2), rows: Math.max(rows, 2) } : this.size;
    } catch {
      // Not a terminal, or closed by now.
      return this.size;
    }
  }

  get isWritable(): boolean {
    return this.options.output.writable && !this.options.output.destroyed;
  }

  /** Passes keys to `onBytes` from now on, including those typed before. */
  enter(onBytes: (bytes: Buffer) => void): void {
    this.listener = onBytes;
    process.on('exit', this.onExit);
    // The terminal echoed keys typed before this moment; they are shown where they belong.
    if (!this.options.isPlain) this.write(FRESH_LINE);
    this.takeOver();
  }

  /** Enables the protocol that tells Shift+Enter from Enter; called once the terminal has reported support for it. */
  enableKittyKeyboard(): void {
    if (this.hasKitty || !this.isEntered) return;
    this.hasKitty = true;
    this.write(KITTY_ON);
  }

  /** Switches to the alternate screen, which vanishes at the end, with the mouse wheel. */
  useAlternate(): void {
    if (this.isAlternate) return;
    this.isAlternate = true;
    this.write(ALTERNATE_ON + (this.hasMouse ? MOUSE_ON : ''));
  }

  /** On the alternate screen Castor captures the mouse unless the user selects text with it; elsewhere it never does. */
  useMouse(isOurs: boolean): void {
    if (this.hasMouse === isOurs) return;
    this.hasMouse = isOurs;
    if (this.isAlternate) this.write(isOurs ? MOUSE_ON : MOUSE_OFF);
  }

  write(bytes: string): void {
    if (bytes !== '' && this.isWritable) this.options.output.write(this.options.spell?.(bytes) ?? bytes);
  }

  onResize(listener: () => void): () => void {
    this.options.output.on('resize', listener);
    return () => void this.options.output.off('resize', listener);
  }

  /** Resolves when the reader keeps up; undefined while it does. */
  drained(): Promise<void> | undefined {
    const { output } = this.options;
    if (!output.writableNeedDrain) return undefined;
    return new Promise((resolve) => output.once('drain', resolve));
  }

  /** Releases the terminal to `run` and takes it back, also when it throws. */
  async suspend(run: () => Promise<void>): Promise<void> {
    this.giveBack();
    try {
      await run();
    } finally {
      this.takeOver();
    }
  }

  leave(): void {
    process.off('exit', this.onExit);
    this.listener = undefined;
    this.giveBack();
  }

  private takeOver(): void {
    const { input, isPlain } = this.options;
    this.isEntered = true;
    input.setRawMode?.(true);
    input.on('data', this.onBytes);
    input.resume();
    const modes = isPlain ? PASTE_ON : `${PASTE_ON}${FOCUS_ON}${KITTY_QUERY}${DEVICE_QUERY}`;
    const alternate = this.isAlternate ? ALTERNATE_ON + (this.hasMouse ? MOUSE_ON : '') : '';
    this.write(`${alternate}${modes}`);
  }

  private giveBack(): void {
    if (!this.isEntered) return;
    this.isEntered = false;
    const { input, isPlain } = this.options;
    const kitty = this.hasKitty ? KITTY_OFF : '';
    this.hasKitty = false;
    const modes = isPlain ? PASTE_OFF : `${END_UPDATE}${BREAK_ROWS}${kitty}${PASTE_OFF}${FOCUS_OFF}${SHOW_CURSOR}`;
    this.writeNow(`${modes}${this.isAlternate ? MOUSE_OFF + ALTERNATE_OFF : ''}`);
    input.off('data', this.onBytes);
    input.pause();
    try {
      input.setRawMode?.(false);
    } catch {
      // The terminal is closed; there is nothing to restore.
    }
  }

  /** Not through the stream: the process may end before it flushes. The stream's buffer comes first. */
  private writeNow(bytes: string): void {
    const { output } = this.options;
    if (output.writableLength > 0) {
      this.write(bytes);
      return;
    }
    try {
      writeSync((output as { fd?: number }).fd ?? 1, bytes);
    } catch {
      // The terminal is closed, or its buffer is full: the stream is the second try.
      this.write(bytes);
    }
  }
}

/**
 * Enter pressed before raw mode arrives as a line feed, perhaps followed by answers of the terminal. A text of several
 * lines is left as it is.
 */
function withEnter(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  // oxlint-disable-next-line no-control-regex -- answers of the terminal begin with ESC
  return Buffer.from(text.replace(/^([^\n\x1b]+)\n(?=\x1b|$)/, '$1\r'), 'latin1');
}
