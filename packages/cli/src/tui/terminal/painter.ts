/** What a painter is: bytes that make a terminal show finished lines and the frame under them. Types only. */

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Caret {
  readonly row: number;
  readonly column: number;
}

export interface Frame {
  /** Without line ends; wider rows are cut. */
  readonly rows: readonly string[];
  /** The position of the real cursor; without it the cursor is hidden. */
  readonly caret?: Caret | undefined;
  /** The user is not typing: the caret may be drawn, and the cursor parked where a resize does no harm. */
  readonly isCaretDrawn?: boolean;
  /** Everything before this place is final and will not change. */
  readonly seam?: Caret | undefined;
}

/**
 * How a terminal that becomes narrower treats rows that no longer fit: it cuts them (`none`), wraps them and keeps the
 * cursor at its text (`text`), or wraps them and moves the cursor also for rows below it (`rows`, xterm.js). For most
 * terminals it is unknown which of the last two applies (`either`): there no row that may wrap stands below the cursor.
 */
export type Reflow = 'none' | 'text' | 'rows' | 'either';

export interface Painter {
  /** Whether it draws the whole screen, with scrolling of its own. */
  readonly isWhole: boolean;
  /** Whether its bytes are for one size of the window: nothing is drawn while that changes. */
  readonly needsSettledWindow: boolean;
  /** Writes `lines` above the frame, permanently, and replaces the frame. */
  paint(lines: readonly string[], frame: Frame, size: Size): string;
  /** The window changes: the terminal may have redrawn the screen, even if the window returns to its size. */
  disturb(): void;
  /** The window has another size. */
  resize(size: Size): void;
  /** The terminal has identified itself, and so perhaps how it reflows rows that no longer fit. */
  learn(reflow: Reflow | undefined): void;
  /** Rows down, or up when negative. False where the terminal scrolls. */
  scroll(rows: number): boolean;
  /** Erases the frame and leaves the cursor where it began. Other output may follow. */
  leave(): string;
  /** Another program wrote to the terminal: the next frame begins where the cursor is. */
  forget(): void;
}
