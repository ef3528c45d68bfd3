/**
 * Markdown that arrives in pieces, as rows. It works line by line: a line is final as
 * soon as its end has come, so it is rendered once and never looked at again, however
 * long the answer is. Only a table waits until it is complete. `write` gives final rows,
 * `pending` what the unfinished rest would look like. The text must be harmless already.
 */

import type { Styles } from '../theme/styles.ts';
import { renderInline } from './inline.ts';
import { isDelimiterLine, looksLikeTableRow, renderTable, sayTable } from './table.ts';
import { expandTabs, wrapRows } from './wrap-rows.ts';

export interface MarkdownOptions {
  readonly styles: Styles;
  /** Cells a row may take, asked for every line: a terminal may be resized meanwhile. */
  readonly width: () => number;
  /** Colours for a line of code; the lines of a block come in order, `begin` with the first. */
  readonly highlight?: LineHighlighter;
  /** For a voice: words instead of boxes and lines. */
  readonly isSpoken?: boolean;
}

export interface LineHighlighter {
  begin(language: string): void;
  line(code: string): string;
  /** The same of a line that has not ended; nothing is remembered of it. */
  peek(code: string): string;
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^\s{0,3}((?:>\s?)+)(.*)$/;
const RULE = /^\s{0,3}([-*_])\s*(?:\1\s*){2,}$/;
const TASK = /^\[([ xX])\]\s+/;

export class MarkdownStream {
  private readonly options: MarkdownOptions;
  private rest = '';
  private fence: { mark: string; indent: number } | undefined;
  private table: string[] = [];
  private endsBlank = true;

  constructor(options: MarkdownOptions) {
    this.options = options;
  }

  /** The rows that became final. */
  write(piece: string): string[] {
    const text = this.rest + piece;
    const end = text.lastIndexOf('\n');
    if (end < 0) {
      this.rest = text;
      return [];
    }
    this.rest = text.slice(end + 1);
    return text
      .slice(0, end)
      .split('\n')
      .flatMap((line) => this.takeLine(line));
  }

  /** The rows of what is left, for good; open blocks are closed. */
  end(): string[] {
    const rows = this.rest === '' ? [] : this.takeLine(this.rest);
    this.rest = '';
    rows.push(...this.flushTable());
    this.fence = undefined;
    return rows;
  }

  /** What the unfinished rest looks like by now; changes nothing. */
  pending(): string[] {
    const rows = this.table.length > 0 ? this.renderTable() : [];
    if (this.rest === '') return rows;
    if (this.table.length > 0 && looksLikeTableRow(this.rest)) return rows;
    return [...rows, ...this.renderLine(this.rest)];
  }

  private takeLine(line: string): string[] {
    if (!this.fence && (looksLikeTableRow(line) || (this.table.length === 1 && isDelimiterLine(line)))) {
      this.table.push(line);
      return [];
    }
    const rows = this.flushTable();
    if (rows.length > 0) this.endsBlank = false;
    if (this.takeFence(line)) return rows;
    if (this.fence) rows.push(this.renderCode(line));
    else if (line.trim() !== '') rows.push(...this.renderLine(line));
    // One empty row between blocks is enough.
    else if (!this.endsBlank) rows.push('');
    if (rows.length > 0) this.endsBlank = rows.at(-1) === '';
    return rows;
  }

  /** Fences themselves are not shown: a block is copied as it was written. */
  private takeFence(line: string): boolean {
    const match = FENCE.exec(line);
    if (this.fence) {
      const isEnd = match !== null && match[3] === '' && (match[2] ?? '').startsWith(this.fence.mark);
      if (isEnd) this.fence = undefined;
      return isEnd;
    }
    if (!match) return false;
    this.fence = { mark: match[2] ?? '```', indent: (match[1] ?? '').length };
    this.options.highlight?.begin(match[3] ?? '');
    return true;
  }

  private renderCode(line: string): string {
    const code = this.codeOf(line);
    return this.options.highlight?.line(code) ?? this.options.styles.accent(code);
  }

  /** As it will look, so that nothing changes its colour when the line ends. */
  private peekCode(line: string): string {
    const code = this.codeOf(line);
    return this.options.highlight?.peek(code) ?? this.options.styles.accent(code);
  }

  private codeOf(line: string): string {
    const indent = this.fence?.indent ?? 0;
    return expandTabs(line.slice(0, indent).trim() === '' ? line.slice(indent) : line);
  }

  private renderLine(line: string): string[] {
    const { styles } = this.options;
    const width = this.options.width();
    if (this.fence) return wrapRows(this.peekCode(line), { width });
    const text = expandTabs(line);
    const heading = HEADING.exec(text);
    if (heading)
      return wrapRows(styles.bold(this.headingStyle(heading[1] ?? '#')(renderInline(heading[2] ?? '', styles))), {
        width,
      });
    if (RULE.test(text)) return this.options.isSpoken ? [] : [styles.border('─'.repeat(Math.min(width, 40)))];
    const item = ITEM.exec(text);
    if (item) return this.renderItem(item, width);
    const quote = QUOTE.exec(text);
    if (quote) {
      const bar = styles.border('│ '.repeat((quote[1] ?? '').replaceAll(/\s/g, '').length));
      return wrapRows(styles.secondary(renderInline(quote[2] ?? '', styles)), { width, first: bar, rest: bar });
    }
    const indent = /^\s*/.exec(text)?.[0].slice(0, 12) ?? '';
    return wrapRows(styles.response(renderInline(text.trim(), styles)), { width, first: indent });
  }

  private renderItem([, indent = '', mark = '', body = '']: RegExpExecArray, width: number): string[] {
    const { styles } = this.options;
    const task = TASK.exec(body);
    const bullet = /^\d/.test(mark) ? mark : '•';
    const box = task ? `${task[1] === ' ' ? '☐' : '☑'} ` : '';
    const first = `${indent.slice(0, 20)}${styles.accent(bullet)} ${box}`;
    return wrapRows(styles.response(renderInline(task ? body.slice(task[0].length) : body, styles)), { width, first });
  }

  private headingStyle(marks: string): (text: string) => string {
    const { styles } = this.options;
    if (marks.length <= 2) return styles.link;
    return marks.length === 3 ? styles.primary : styles.secondary;
  }

  private flushTable(): string[] {
    if (this.table.length === 0) return [];
    const rows = this.renderTable();
    this.table = [];
    return rows;
  }

  private renderTable(): string[] {
    const { styles, width, isSpoken } = this.options;
    return isSpoken ? sayTable(this.table, styles) : renderTable(this.table, width(), styles);
  }
}

/** A whole text at once. */
export function renderMarkdown(text: string, options: MarkdownOptions): string[] {
  const stream = new MarkdownStream(options);
  const rows = [...stream.write(text), ...stream.end()];
  while (rows.at(-1) === '') rows.pop();
  return rows;
}
