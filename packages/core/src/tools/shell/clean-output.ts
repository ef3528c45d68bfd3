/**
 * OutputCleaner: converts the bytes of a process to text that is harmless for a model and
 * a screen. It removes escape sequences, control characters and invalid UTF-8, even when
 * split across chunks, and reduces a redrawn line to its last state. It drops colours and
 * interprets no other cursor movement.
 */

type State = 'text' | 'escape' | 'control_sequence' | 'string' | 'string_escape';

/** Every control character except tab and newline; C1 too, because terminals obey it in UTF-8. */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** Stands for an erased line: it is a control character, so no text contains it. */
const ERASE = '\v';
/** Characters that only animate a spinner. */
const SPINNER = /^[\s\u2800-\u28ff]*$/;
/** An unfinished line of this length is emitted as it is; it can no longer be redrawn. */
const LINE_LIMIT = 32 * 1024;
/** Longer than any real sequence: the bytes after it are text again. */
const SEQUENCE_LIMIT = 1024;

export class OutputCleaner {
  private readonly decoder = new TextDecoder();
  private state: State = 'text';
  private sequenceLength = 0;
  private parameters = '';
  private line = '';
  private returned = false;

  /** Returns text that is final: whole lines, or parts of very long ones. */
  write(bytes: Uint8Array): string {
    return this.lines(this.strip(this.decoder.decode(bytes, { stream: true })));
  }

  /** Returns the rest of the last line. */
  end(): string {
    const rest = this.lines(this.strip(this.decoder.decode()));
    const line = this.line;
    this.line = '';
    this.returned = false;
    return rest + line;
  }

  /** The line that has not ended yet. */
  get unfinishedLine(): string {
    return this.line;
  }

  private strip(text: string): string {
    let result = '';
    let index = 0;
    while (index < text.length) {
      if (this.state !== 'text') {
        const character = text[index]!;
        const isFinal = this.state === 'control_sequence' && character >= '@' && character <= '~';
        index = this.skip(text, index);
        if (isFinal && this.isReturn(character)) result += '\r';
        if (isFinal && this.isErase(character)) result += ERASE;
        continue;
      }
      CONTROL.lastIndex = index;
      const found = CONTROL.exec(text);
      if (found === null) return index === 0 ? text : result + text.slice(index);
      result += text.slice(index, found.index);
      result += this.control(found[0]);
      index = found.index + 1;
    }
    return result;
  }

  private control(character: string): string {
    this.sequenceLength = 0;
    switch (character) {
      case '\r':
      case '\b':
        return character;
      case '\u001B':
        this.state = 'escape';
        return '';
      case '\u009B':
        this.beginSequence();
        return '';
      case '\u0090':
      case '\u0098':
      case '\u009D':
      case '\u009E':
      case '\u009F':
        this.state = 'string';
        return '';
      default:
        return '';
    }
  }

  /** Consumes one character of a sequence; returns the index of the next one to examine. */
  private skip(text: string, index: number): number {
    const character = text[index]!;
    // A sequence contains no newline: an unterminated one must not swallow the following lines.
    if (character === '\n' || ++this.sequenceLength > SEQUENCE_LIMIT) return this.toText(index);
    switch (this.state) {
      case 'escape':
        return this.afterEscape(character, index);
      case 'control_sequence':
        if (character >= '@' && character <= '~') return this.toText(index + 1);
        if (character < ' ' || character > '?') return this.toText(index);
        this.parameters += character;
        return index + 1;
      case 'string':
        if (character === '\u0007' || character === '\u009C') return this.toText(index + 1);
        if (character === '\u001B') this.state = 'string_escape';
        // The payload of a string may be long; only its terminator matters.
        this.sequenceLength = 0;
        return index + 1;
      case 'string_escape':
        if (character === '\\') return this.toText(index + 1);
        this.state = 'escape';
        return index;
      default:
        return this.toText(index);
    }
  }

  private afterEscape(character: string, index: number): number {
    if (character === '[') this.beginSequence();
    else if (']PX^_'.includes(character)) this.state = 'string';
    else if (character >= ' ' && character <= '/') return index + 1;
    else return this.toText(character >= '0' && character <= '~' ? index + 1 : index);
    return index + 1;
  }

  private beginSequence(): void {
    this.state = 'control_sequence';
    this.parameters = '';
  }

  /** A cursor move to the first column equals a carriage return. */
  private isReturn(final: string): boolean {
    return final === 'G' && (this.parameters === '' || this.parameters === '1');
  }

  private isErase(final: string): boolean {
    return final === 'K' && ['', '0', '2'].includes(this.parameters);
  }

  private toText(index: number): number {
    this.state = 'text';
    return index;
  }

  /** Applies carriage returns and backspaces within their line. */
  private lines(text: string): string {
    if (text === '') return '';
    if (!this.returned && !/[\r\b\v]/.test(text)) return this.plainLines(text);
    let done = '';
    // oxlint-disable-next-line no-control-regex -- the pattern matches backspaces
    for (const piece of text.match(/\n|\r|\u0008|\u000b|[^\n\r\u0008\u000b]+/g) ?? []) {
      if (piece === '\n') {
        done += `${this.line}\n`;
        this.line = '';
        this.returned = false;
      } else if (piece === '\r') {
        this.returned = true;
      } else if (piece === ERASE) {
        // Keep an erased progress bar as the last state of its line; drop a spinner.
        if (this.returned && SPINNER.test(this.line)) this.line = '';
      } else if (piece === '\b') {
        this.line = this.line.slice(0, -1);
      } else {
        this.line = this.returned ? piece : this.line + piece;
        this.returned = false;
      }
    }
    return done + this.overlong();
  }

  private plainLines(text: string): string {
    const end = text.lastIndexOf('\n') + 1;
    const done = end === 0 ? '' : this.line + text.slice(0, end);
    this.line = end === 0 ? this.line + text : text.slice(end);
    return done + this.overlong();
  }

  private overlong(): string {
    if (this.line.length <= LINE_LIMIT) return '';
    const line = this.line;
    this.line = '';
    return line;
  }
}

/** Cleans a complete output at once, for example one read from a file. */
export function cleanOutput(bytes: Uint8Array): string {
  const cleaner = new OutputCleaner();
  return cleaner.write(bytes) + cleaner.end();
}
