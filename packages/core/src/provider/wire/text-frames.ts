/**
 * Reads frames of a long answer without parsing them: they equal the one before except for their text, and for a counter
 * where the protocol numbers its frames. A frame that differs in anything else, or whose text holds an escape, is
 * left to the parser.
 */

/** Frames that always differ, such as those with random padding, are not compared any longer. */
const MAX_VAIN = 16;
const ZERO = 0x30;
const NINE = 0x39;

/** The text of adjacent events. */
export interface TextRun {
  text: string;
  /** What the noted frame belongs to. */
  owner: unknown;
  /** Where the event after them begins. */
  end: number;
}

export interface TextFramesOptions {
  /** The key of a number that each frame increases. */
  counter?: string;
  /** The name of the events, where they have one. */
  event?: string;
}

export class TextFrames {
  /** The key of the counter, with its colon. */
  private readonly counter: string | undefined;
  /** What stands before the data of an event. */
  private readonly lead: string;
  /** The frame up to the counter, from there to the text, and after the text. */
  private start = '';
  private middle = '';
  private end = '';
  private vain = 0;
  private owner: unknown;

  constructor({ counter, event }: TextFramesOptions = {}) {
    this.counter = counter === undefined ? undefined : `"${counter}":`;
    this.lead = event === undefined ? 'data: ' : `event: ${event}\ndata: `;
  }

  /** The noted frame's owner. */
  get noted(): unknown {
    return this.owner;
  }

  /**
   * The text of the events from `start` on that hold frames like the noted one. Only events in the form that servers
   * usually write are found; any other is left to the line reader.
   */
  readRun(text: string, start: number): TextRun | undefined {
    if (this.end === '') return undefined;
    const head = this.lead + this.start;
    const tail = `${this.end}\n\n`;
    const texts: string[] = [];
    let from = start;
    while (text.startsWith(head, from)) {
      const at = this.passCounter(text, from + head.length);
      const last = at === -1 ? -1 : text.indexOf('"', at);
      if (last <= at || !text.startsWith(tail, last)) break;
      const piece = text.slice(at, last);
      if (piece.includes('\\')) break;
      texts.push(piece);
      from = last + tail.length;
    }
    if (texts.length === 0) return undefined;
    this.vain = 0;
    return { text: texts.join(''), owner: this.owner, end: from };
  }

  /** The text of a frame that equals the noted one in everything else. */
  textOf(data: string): string | undefined {
    const { start, end } = this;
    if (end === '' || !data.startsWith(start) || !data.endsWith(end)) return undefined;
    const at = this.passCounter(data, start.length);
    const last = data.length - end.length;
    const text = at !== -1 && at < last ? data.slice(at, last) : '';
    if (text === '' || text.includes('"') || text.includes('\\')) return undefined;
    this.vain = 0;
    return text;
  }

  /** Where the text begins; -1 for another frame. */
  private passCounter(data: string, from: number): number {
    if (this.counter === undefined) return from;
    let at = from;
    while (isDigit(data.charCodeAt(at))) at += 1;
    return data.startsWith(this.middle, at) ? at + this.middle.length : -1;
  }

  /** Notes a parsed frame that holds this text, once, and nothing else of the answer. */
  note(data: string, text: string, owner?: unknown): void {
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
    this.owner = owner;
    this.start = head.slice(0, cut);
    this.middle = head.slice(after);
    this.end = data.slice(at + quoted.length - 1);
  }
}

function isDigit(character: number): boolean {
  return character >= ZERO && character <= NINE;
}
