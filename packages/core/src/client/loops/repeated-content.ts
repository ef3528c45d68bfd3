/**
 * RepeatedContent: detects whether a streamed answer repeats itself. It classifies the lines: headings, lists,
 * quotes, tables and dividers repeat by nature and restart the search; code blocks are not searched; `RepeatedWindow`
 * searches the rest. The verdict does not depend on how the text is split.
 */

import { RepeatedWindow } from './repeated-window.ts';

/** Tables are padded with long runs of spaces and dashes; this much of a row is skipped. */
const MAX_ROW_LENGTH = 2000;

/** Enough of a line, without its indentation, to determine its kind. */
const HEAD_LENGTH = 8;
const FENCE = /^(?:```|~~~)/;
const ROW = /^(?:[|│┃]|[-_=*+─-╿]{3})/;
const MARKED_LINE = /^(?:(?:[*+•‣-]|\d{1,6}[.)]|#{1,6})\s|>)/;
/** May still become one of the above. */
const UNDECIDED = /^(?:`{1,2}|~{1,2}|[-_=*+─-╿•‣]{1,2}|\d{1,6}[.)]?|#{1,6})$/;

const NEWLINE = 10;
const SPACE = 32;
const TAB = 9;

type Line =
  /** Too little of the line has arrived. */
  | 'head'
  | 'text'
  | 'row'
  /** Opens or closes a code block, or turns out to be inline code. */
  | 'fence'
  | 'code';

export class RepeatedContent {
  private line: Line = 'head';
  private head = '';
  private rowLength = 0;
  private fence = { mark: 0, hasOther: false, isInline: false };
  /** The character of the open fence; 0 outside code. */
  private codeMark = 0;
  private readonly window = new RepeatedWindow();

  /** Returns the repeated text once there is one; the search then restarts. */
  add(text: string): string | undefined {
    for (let index = 0; index < text.length; index++) {
      if (this.line === 'text') {
        index = this.window.trackRun(text, index, NEWLINE);
        if (this.window.isComplete) return this.takeText();
        if (index === text.length) return undefined;
      }
      if (this.step(text.charCodeAt(index))) return this.takeText();
    }
    return undefined;
  }

  /** The next text starts a line outside code; earlier text still counts. */
  endAnswer(): void {
    this.beginLine();
    this.codeMark = 0;
  }

  /** Returns to the initial state. */
  reset(): void {
    this.window.forget();
    this.endAnswer();
  }

  private takeText(): string {
    const text = this.window.takeWindow();
    this.endAnswer();
    return text;
  }

  private step(code: number): boolean {
    if (code === NEWLINE) return this.endLine();
    switch (this.line) {
      case 'head':
        return this.stepHead(code);
      case 'text':
        return this.window.track(code);
      case 'row':
        this.rowLength += 1;
        return this.rowLength > MAX_ROW_LENGTH && this.window.track(code);
      case 'fence':
        this.stepFence(code);
        return false;
      case 'code':
        return false;
    }
  }

  private stepHead(code: number): boolean {
    if (this.head === '' && (code === SPACE || code === TAB)) return this.codeMark === 0 && this.window.track(code);
    this.head += String.fromCharCode(code);
    if (FENCE.test(this.head)) {
      this.line = 'fence';
      this.fence = { mark: code, hasOther: false, isInline: false };
      return false;
    }
    const isUndecided = this.head.length < HEAD_LENGTH && UNDECIDED.test(this.head);
    if (isUndecided) return false;
    return this.decideLine();
  }

  /** Returns whether the characters held back as head complete a loop. */
  private decideLine(): boolean {
    if (this.codeMark !== 0) {
      this.line = 'code';
      return false;
    }
    this.line = ROW.test(this.head) ? 'row' : 'text';
    if (this.line === 'row' || MARKED_LINE.test(this.head)) {
      this.window.forget();
      return false;
    }
    let isLoop = false;
    for (let index = 0; index < this.head.length; index++)
      isLoop = this.window.track(this.head.charCodeAt(index)) || isLoop;
    return isLoop;
  }

  private stepFence(code: number): void {
    const { mark, hasOther } = this.fence;
    if (code !== mark) this.fence.hasOther ||= code !== SPACE && code !== TAB && code !== 13;
    else if (hasOther) this.fence.isInline = true;
  }

  private endLine(): boolean {
    if (this.line === 'fence') this.endFence();
    else if (this.line === 'head' && this.head !== '' && this.decideLine()) return true;
    this.beginLine();
    return this.codeMark === 0 && this.window.track(NEWLINE);
  }

  private endFence(): void {
    const { mark, hasOther, isInline } = this.fence;
    this.window.forget();
    if (this.codeMark === 0) this.codeMark = isInline ? 0 : mark;
    else if (this.codeMark === mark && !hasOther) this.codeMark = 0;
  }

  private beginLine(): void {
    this.line = 'head';
    this.head = '';
    this.rowLength = 0;
  }
}
