/**
 * Renders text that arrives in pieces as it was written: every line is final when it ends, and returned as one, however
 * long it is. The terminal wraps it, so that it is copied as one line. The text must already be sanitised.
 */

import type { Styles } from '../theme/styles.ts';
import { expandTabs, wrapRows } from '../text/wrap-rows.ts';

export interface RawStreamOptions {
  readonly styles: Styles;
  /** Cells available to a row, read for every line. */
  readonly width: () => number;
}

/** For an unfinished line, the end is shown. */
const PEEKED = 2_000;

export class RawStream {
  private readonly options: RawStreamOptions;
  private rest = '';

  constructor(options: RawStreamOptions) {
    this.options = options;
  }

  /** The lines that became final. */
  write(piece: string): string[] {
    const lines = (this.rest + piece).split('\n');
    this.rest = lines.pop() ?? '';
    return lines.map((line) => this.toLine(line));
  }

  /** The rest, final. */
  end(): string[] {
    const lines = this.rest === '' ? [] : [this.toLine(this.rest)];
    this.rest = '';
    return lines;
  }

  /** The current rendering of the unfinished rest. */
  pending(): string[] {
    const end = this.rest.slice(-PEEKED).toWellFormed();
    return end === '' ? [] : wrapRows(this.toLine(end), { width: this.options.width() });
  }

  /** A line is returned whole when it ends: no part of it before. */
  settled(): string[] {
    return [];
  }

  leave(): boolean {
    return false;
  }

  private toLine(line: string): string {
    return this.options.styles.response(expandTabs(line));
  }
}
