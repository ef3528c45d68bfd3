/**
 * Text that arrives in pieces, as it was written: every line is final when its end has
 * come, and given out as one, however long it is. The terminal breaks it, so that it is
 * copied as the line it was. The text must be harmless already.
 */

import type { Styles } from '../theme/styles.ts';
import { expandTabs, wrapRows } from './wrap-rows.ts';

export interface RawStreamOptions {
  readonly styles: Styles;
  /** Cells a row may take, asked for every line. */
  readonly width: () => number;
}

/** Of a line that has not ended, the end is shown. */
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

  /** What is left, for good. */
  end(): string[] {
    const lines = this.rest === '' ? [] : [this.toLine(this.rest)];
    this.rest = '';
    return lines;
  }

  /** What the unfinished rest looks like by now. */
  pending(): string[] {
    const end = this.rest.slice(-PEEKED).toWellFormed();
    return end === '' ? [] : wrapRows(this.toLine(end), { width: this.options.width() });
  }

  /** A line is given out whole when it ends: none of it before. */
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
