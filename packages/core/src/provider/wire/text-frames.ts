/**
 * Reads frames of a long answer without parsing them: they equal the one before except for their text, and for a counter
 * where the protocol numbers its frames. A frame that differs in anything else, or whose text holds an escape, is
 * left to the parser.
 */

/** Frames that always differ, such as those with random padding, are not compared any longer. */
const MAX_VAIN = 16;
const ZERO = 0x30;
const NINE = 0x39;

export class TextFrames {
  /** The key of the counter, with its colon. */
  private readonly counter: string | undefined;
  /** The frame up to the counter, from there to the text, and after the text. */
  private start = '';
  private middle = '';
  private end = '';
  private vain = 0;

  constructor(counter?: string) {
    this.counter = counter === undefined ? undefined : `"${counter}":`;
  }

  /** The text of a frame that equals the noted one in everything else. */
  textOf(data: string): string | undefined {
    const { start, middle, end } = this;
    if (end === '' || !data.startsWith(start) || !data.endsWith(end)) return undefined;
    let at = start.length;
    if (this.counter !== undefined) {
      while (isDigit(data.charCodeAt(at))) at += 1;
      if (!data.startsWith(middle, at)) return undefined;
      at += middle.length;
    }
    const last = data.length - end.length;
    const text = at < last ? data.slice(at, last) : '';
    if (text === '' || text.includes('"') || text.includes('\\')) return undefined;
    this.vain = 0;
    return text;
  }

  /** Notes a parsed frame that holds this text, once, and nothing else of the answer. */
  note(data: string, text: string): void {
    if (this.vain >= MAX_VAIN) return;
    this.vain += 1;
    const quoted = `"${text}"`;
    const at = data.indexOf(quoted);
    if (at === -1 || at !== data.lastIndexOf(quoted)) return;
    const head = data.slice(0, at + 1);
    const cut = this.counter === undefined ? head.length : head.indexOf(this.counter) + this.counter.length;
    if (this.counter !== undefined && cut < this.counter.length) return;
    let after = cut;
    while (isDigit(head.charCodeAt(after))) after += 1;
    this.start = head.slice(0, cut);
    this.middle = head.slice(after);
    this.end = data.slice(at + quoted.length - 1);
  }
}

function isDigit(character: number): boolean {
  return character >= ZERO && character <= NINE;
}
