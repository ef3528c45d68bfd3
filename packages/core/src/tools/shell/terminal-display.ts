/**
 * What a surface that shows the terminals of commands is told, and what it decides: their
 * size. Only it knows how a terminal is drawn; here bytes are handed on as they come.
 */

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface TerminalDisplay {
  /** For the next command. */
  readonly size: TerminalSize;
  /** A command has begun, and has written nothing yet. */
  open(pid: number): TerminalSink;
}

export interface TerminalSink {
  /** The receiver may keep the bytes: they never change. */
  write(bytes: Uint8Array): void;
  /** The command waits for input at this line, which may be empty; undefined when it continues. */
  wait(line: string | undefined): void;
  close(): void;
}

/** A display without a screen. */
export const DEFAULT_TERMINAL_SIZE: TerminalSize = { columns: 120, rows: 40 };
