/**
 * Renders Markdown that arrives in pieces as rows. It works line by line: a line is final as soon as it ends, most rows
 * of a long one before; it is never examined again, however long the answer is. Only a table waits until it is
 * complete. `write` returns final rows, `pending` the current rendering of the unfinished rest. The text must already
 * be sanitised.
 */

import type { Styles } from '../theme/styles.ts';
import { renderProse, settleProse, splitProse, toProseLine } from './prose-line.ts';
import type { ProseLine } from './prose-line.ts';
import { isDelimiterLine, looksLikeTableRow, renderTable, sayTable } from './table.ts';
import { expandTabs, proseWidth, wrapRows } from '../text/wrap-rows.ts';

export interface MarkdownOptions {
  readonly styles: Styles;
  /** Cells available to a row, read for every line: the terminal may be resized meanwhile. */
  readonly width: () => number;
  /** Colours for a line of code; the lines of a block arrive in order, `begin` with the first. */
  readonly highlight?: LineHighlighter;
  /** For a screen reader: words instead of boxes and lines. */
  readonly isSpoken?: boolean;
}

export interface LineHighlighter {
  begin(language: string): void;
  line(code: string): string;
  /** The same for an unfinished line; it changes no state. */
  peek(code: string): string;
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/;
const RULE = /^\s{0,3}([-*_])\s*(?:\1\s*){2,}$/;
/** Lines that may become a fence or a table. */
const UNDECIDED = /^\s*(?:`{3}|~{3}|\|)/;
/** For an unfinished line of code, the end is shown. */
const PEEKED = 2_000;

export class MarkdownStream {
  private readonly options: MarkdownOptions;
  private rest = '';
  private fence: { mark: string; indent: number; language: string } | undefined;
  private table: string[] = [];
  private tableRows: { readonly key: string; readonly rows: string[] } | undefined;
  /** The unfinished line, once rows of it were returned. */
  private line: ProseLine | undefined;
  private endsBlank = true;
  /** The input of the last call of `settled`. */
  private asked: { readonly rest: string; readonly line: ProseLine | undefined; readonly left: ProseLine } | undefined;

  constructor(options: MarkdownOptions) {
    this.options = options;
  }

  /** The rows that became final. */
  write(piece: string): string[] {
    const text = this.rest + piece;
    const end = text.lastIndexOf('\n');
    this.rest = text.slice(end + 1);
    const rows =
      end < 0
        ? []
        : text
            .slice(0, end)
            .split('\n')
            .flatMap((line) => this.takeLine(line));
    rows.push(...this.settle());
    return rows;
  }

  /** The final rows of the rest; open blocks are closed. */
  end(): string[] {
    const rows = this.rest === '' ? [] : this.takeLine(this.rest);
    this.rest = '';
    rows.push(...this.flushTable());
    if (this.fence) {
      const { mark } = this.fence;
      this.fence = undefined;
      rows.push(...this.renderFence(mark));
    }
    return rows;
  }

  /** The current rendering of the unfinished rest. */
  pending(): string[] {
    const rows = this.table.length > 0 ? this.renderTable() : [];
    if (this.rest === '') return rows;
    if (this.line) return this.renderLine(this.rest);
    if (this.table.length > 0 && looksLikeTableRow(this.rest)) return rows;
    return [...rows, ...this.renderLine(this.rest)];
  }

  /**
   * The beginning of `pending` that will not change; rows, the last perhaps incomplete. Only prose has such a
   * beginning: a table or a line of code is returned as a whole when it ends.
   */
  settled(): string[] {
    this.asked = undefined;
    if (this.rest === '' || this.fence || this.table.length > 0) return [];
    if (!this.line && (UNDECIDED.test(this.rest) || RULE.test(this.rest))) return [];
    const { settled, left } = splitProse(this.proseOf(this.rest), this.options.styles);
    if (settled.body === '') return [];
    this.asked = { rest: this.rest, line: this.line, left };
    return renderProse(settled, this.options.styles, this.proseWidth);
  }

  /** The caller has printed the rows of `settled`; the rest continues under them. False if that is impossible. */
  leave(): boolean {
    const { asked } = this;
    this.asked = undefined;
    if (!asked || asked.line !== this.line || !this.rest.startsWith(asked.rest)) return false;
    this.rest = asked.left.body + this.rest.slice(asked.rest.length);
    this.line = asked.left;
    this.endsBlank = false;
    return true;
  }

  /** Returns a long line row by row while it grows, so that the changeable part stays small. */
  private settle(): string[] {
    const width = this.proseWidth;
    if (this.rest.length <= width || this.fence || this.table.length > 0) return [];
    if (!this.line && UNDECIDED.test(this.rest)) return [];
    const settled = settleProse(this.proseOf(this.rest), this.options.styles, width);
    if (!settled) return [];
    this.line = settled.left;
    this.rest = settled.left.body;
    this.endsBlank = false;
    return settled.rows;
  }

  private takeLine(line: string): string[] {
    if (this.line) return this.endLine(line);
    if (!this.fence && (looksLikeTableRow(line) || (this.table.length === 1 && isDelimiterLine(line)))) {
      this.table.push(line);
      return [];
    }
    const rows = this.flushTable();
    if (rows.length > 0) this.endsBlank = false;
    if (this.takeFence(line)) {
      const fence = this.renderFence(line);
      if (fence.length > 0) this.endsBlank = false;
      return [...rows, ...fence];
    }
    if (this.fence) rows.push(this.renderCode(line));
    else if (line.trim() !== '') rows.push(...this.renderLine(line));
    // One empty row between blocks is enough.
    else if (!this.endsBlank) rows.push('');
    if (rows.length > 0) this.endsBlank = rows.at(-1) === '';
    return rows;
  }

  /** The end of a line whose beginning was returned. */
  private endLine(rest: string): string[] {
    const rows = rest.trim() === '' ? [] : this.renderLine(rest);
    this.line = undefined;
    return rows;
  }

  /** Long rows are hard to read; code and tables use the window. */
  private get proseWidth(): number {
    return proseWidth(this.options.width());
  }

  private proseOf(text: string): ProseLine {
    const expanded = expandTabs(text);
    return this.line ? { ...this.line, body: expanded.trimStart() } : toProseLine(expanded, this.options.styles);
  }

  /** Without colours only the fences tell code from prose; elsewhere a block begins with its language, if it has one. */
  private renderFence(line: string): string[] {
    const { styles } = this.options;
    const language = this.fence?.language ?? '';
    if (this.options.isSpoken) return [this.fence ? `Code${language === '' ? '' : `, ${language}`}.` : 'End of code.'];
    if (styles.keepsMarks) return [line.trim()];
    return language === '' ? [] : [styles.code(styles.secondary(language))];
  }

  /** Where colours mark code, fences are hidden: a block is copied as it was written. */
  private takeFence(line: string): boolean {
    const match = FENCE.exec(line);
    if (this.fence) {
      const isEnd = match !== null && match[3] === '' && (match[2] ?? '').startsWith(this.fence.mark);
      if (isEnd) this.fence = undefined;
      return isEnd;
    }
    if (!match) return false;
    this.fence = { mark: match[2] ?? '```', indent: (match[1] ?? '').length, language: match[3] ?? '' };
    this.options.highlight?.begin(match[3] ?? '');
    return true;
  }

  private renderCode(line: string): string {
    const code = this.codeOf(line);
    const { styles, highlight } = this.options;
    if (/^(diff|patch)$/i.test(this.fence?.language ?? '')) return renderPatchLine(code, styles);
    return styles.code(highlight?.line(code) ?? code);
  }

  /** In its final look, so that no colour changes when the line ends. */
  private peekCode(line: string): string {
    const code = this.codeOf(line);
    return this.options.highlight?.peek(code) ?? code;
  }

  private codeOf(line: string): string {
    const indent = this.fence?.indent ?? 0;
    return expandTabs(line.slice(0, indent).trim() === '' ? line.slice(indent) : line);
  }

  private renderLine(line: string): string[] {
    const { styles } = this.options;
    const width = this.options.width();
    if (this.fence) {
      const rows = wrapRows(this.peekCode(line.slice(-PEEKED).toWellFormed()), { width });
      return rows.map((row) => styles.code(row));
    }
    if (!this.line && RULE.test(line))
      return this.options.isSpoken ? [] : [styles.border('─'.repeat(Math.min(width, 40)))];
    return renderProse(this.proseOf(line), styles, this.proseWidth);
  }

  private flushTable(): string[] {
    if (this.table.length === 0) return [];
    const rows = this.renderTable();
    this.table = [];
    this.tableRows = undefined;
    return rows;
  }

  private renderTable(): string[] {
    const { styles, isSpoken } = this.options;
    const width = this.options.width();
    const key = `${this.table.length} ${width}`;
    if (this.tableRows?.key !== key) {
      const rows = isSpoken ? sayTable(this.table, styles) : renderTable(this.table, width, styles);
      this.tableRows = { key, rows };
    }
    return [...this.tableRows.rows];
  }
}

/** Its signs stay at column 0: it can be applied after copying. */
function renderPatchLine(line: string, styles: Styles): string {
  const sign = (style: Styles['success']) => `${styles.bold(style(line.slice(0, 1)))}${line.slice(1)}`;
  if (/^\+(?!\+\+ )/.test(line)) return styles.added(sign(styles.success));
  if (/^-(?!-- )/.test(line)) return styles.removed(sign(styles.error));
  return styles.code(/^(?:@@|\+\+\+ |--- |diff |index )/.test(line) ? styles.secondary(line) : line);
}

/** A whole text at once. */
export function renderMarkdown(text: string, options: MarkdownOptions): string[] {
  const stream = new MarkdownStream(options);
  const rows = [...stream.write(text), ...stream.end()];
  while (rows.at(-1) === '') rows.pop();
  return rows;
}
