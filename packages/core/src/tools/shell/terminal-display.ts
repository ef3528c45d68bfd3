/**
 * The interface to a surface that shows the terminals of commands and decides their size.
 * Only the surface knows how to draw a terminal; core passes on the bytes unchanged.
 */

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalDisplay {
  /** For the next command. */
  readonly size: TerminalSize;
  /** Called when a command has started and not written yet. */
  open(pid: number): TerminalSink;
}

export interface TerminalSink {
  /** The receiver may keep the bytes: they never change. */
  write(bytes: Uint8Array): void;
  /** The command waits for input at this line, which may be empty; undefined when it continues. */
  wait(line: string | undefined): void;
  close(): void;
}

/** The size without a display. */
export const DEFAULT_TERMINAL_SIZE: TerminalSize = { columns: 120, rows: 40 };
