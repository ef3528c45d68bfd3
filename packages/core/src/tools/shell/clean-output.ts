/**
 * OutputCleaner: bytes of a process in, text that is harmless for a model and for a
 * screen out. Escape sequences, control characters and invalid UTF-8 are gone, also
 * when cut over chunks; a line redrawn from its beginning is its last state. It keeps
 * no colours and interprets no other cursor movement.
 */

type State = 'text' | 'escape' | 'control_sequence' | 'string' | 'string_escape';

/** Every control but tab and newline; C1 because terminals obey it in UTF-8 too. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** Stands for an erased line: no text holds it, being a control. */
const ERASE = '\v';
/** Marks that only turn. */
const SPINNER = /^[\s\u2800-\u28ff]*$/;
/** A line this long without an end is handed on as it is; it can no longer be redrawn. */
const LINE_LIMIT = 32 * 1024;
/** Longer than any real one: what comes after is text again. */
const SEQUENCE_LIMIT = 1024;

export class OutputCleaner {
  private readonly decoder = new TextDecoder();
  private state: State = 'text';
  private sequenceLength = 0;
  private parameters = '';
  private line = '';
  private returned = false;

  /** Text that will not change any more: whole lines, or parts of very long ones. */
  write(bytes: Uint8Array): string {
    return this.lines(this.strip(this.decoder.decode(bytes, { stream: true })));
  }

  /** What is left of the last line. */
  end(): string {
    const rest = this.lines(this.strip(this.decoder.decode()));
    const line = this.line;
    this.line = '';
    this.returned = false;
    return rest + line;
  }

  /** The line that has no end yet. */
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

  /** One character of a sequence; gives the index of the next one to look at. */
  private skip(text: string, index: number): number {
    const character = text[index]!;
    // No sequence holds a line's end: what never closes must not swallow the lines after it.
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
        // The payload of a string may be long; only its end counts.
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

  /** To the first column is a carriage return by another name. */
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

  /** Carriage returns and backspaces are applied to the line they are in. */
  private lines(text: string): string {
    if (text === '') return '';
    if (!this.returned && !/[\r\b\v]/.test(text)) return this.plainLines(text);
    let done = '';
    // oxlint-disable-next-line no-control-regex -- backspace is what is looked for
    for (const piece of text.match(/\n|\r|\u0008|\u000b|[^\n\r\u0008\u000b]+/g) ?? []) {
      if (piece === '\n') {
        done += `${this.line}\n`;
        this.line = '';
        this.returned = false;
      } else if (piece === '\r') {
        this.returned = true;
      } else if (piece === ERASE) {
        // A bar that was erased is the last state of its line; a spinner says nothing.
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

/** A whole output at once, for what is read from a file. */
export function cleanOutput(bytes: Uint8Array): string {
  const cleaner = new OutputCleaner();
  return cleaner.write(bytes) + cleaner.end();
}
