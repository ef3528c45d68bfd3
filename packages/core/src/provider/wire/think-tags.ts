/**
 * Separates reasoning that a server left in the text as `<think>…</think>` from the answer, wherever the text is cut. Only
 * a tag at the very start of an answer opens reasoning; later ones are content.
 */

const OPENING = '<think>';
const CLOSING = '</think>';
const LESS_THAN = 0x3c;

export interface TextPiece {
  text: string;
  thought: boolean;
}

type State =
  /** Nothing but white space so far. */
  | 'start'
  | 'thinking'
  /** Reasoning has ended; white space between it and the answer is dropped. */
  | 'ended'
  | 'answering';

export class ThinkTags {
  private state: State;
  private held = '';
  /** Whether the answer may begin inside reasoning whose opening tag the server's template consumed. */
  private readonly startsInside: boolean;
  private readonly expectsLoneClosing: boolean;
  private sawClosing = false;

  /** A hosted model that writes `</think>` alone is talking about the tag. */
  constructor(options: { startsInside: boolean; expectsLoneClosing: boolean }) {
    this.startsInside = options.startsInside;
    this.expectsLoneClosing = options.expectsLoneClosing;
    this.state = options.startsInside ? 'thinking' : 'start';
  }

  /** Whether a closing tag came without an opening one: what was shown before it was reasoning. */
  hasLoneClosing = false;

  /** Whether a text is certainly all answer, so that it need not be pushed: nearly every piece of a long answer. */
  passes(text: string): boolean {
    return this.state === 'answering' && this.held === '' && (!this.watchesClosing || !text.includes('<'));
  }

  push(text: string): TextPiece[] {
    this.held += text;
    const pieces: TextPiece[] = [];
    for (let piece = this.next(); piece; piece = this.next()) if (piece.text !== '') pieces.push(piece);
    return pieces;
  }

  /** What was held back. Reasoning that never ended, of an answer that only might begin inside it, is the answer. */
  end(): TextPiece[] {
    const text = this.held;
    this.held = '';
    return text === '' ? [] : [{ text, thought: this.state === 'thinking' && !this.endsOpen }];
  }

  /** Whether the whole answer was taken for reasoning because of the assumption alone. */
  get endsOpen(): boolean {
    return this.startsInside && !this.sawClosing;
  }

  /** Whether a closing tag in the answer would be one without an opening. */
  private get watchesClosing(): boolean {
    return this.expectsLoneClosing && !this.sawClosing;
  }

  /** Takes the next piece off the held text; undefined when more text is needed. */
  private next(): TextPiece | undefined {
    if (this.held === '') return undefined;
    if (this.state === 'start') return this.atStart();
    if (this.state === 'ended') return this.afterThought();
    return this.state === 'thinking' ? this.inThought() : this.inAnswer();
  }

  private atStart(): TextPiece | undefined {
    const begun = this.held.trimStart();
    if (begun === '' || (begun.length < OPENING.length && OPENING.startsWith(begun))) return undefined;
    if (begun.startsWith(OPENING)) {
      this.held = begun.slice(OPENING.length);
      this.state = 'thinking';
    } else this.state = 'answering';
    return { text: '', thought: false };
  }

  private inThought(): TextPiece | undefined {
    const end = this.held.indexOf(CLOSING);
    if (end === -1) return this.take(safeLength(this.held, CLOSING), true);
    const piece = { text: this.held.slice(0, end), thought: true };
    this.held = this.held.slice(end + CLOSING.length);
    this.state = 'ended';
    this.sawClosing = true;
    return piece;
  }

  private afterThought(): TextPiece | undefined {
    this.held = this.held.trimStart();
    if (this.held === '') return undefined;
    this.state = 'answering';
    return { text: '', thought: false };
  }

  private inAnswer(): TextPiece | undefined {
    if (!this.watchesClosing) return this.take(this.held.length, false);
    const end = this.held.indexOf(CLOSING);
    if (end === -1) return this.take(safeLength(this.held, CLOSING), false);
    this.hasLoneClosing = true;
    this.sawClosing = true;
    return this.take(end, false);
  }

  private take(length: number, thought: boolean): TextPiece | undefined {
    if (length === 0) return undefined;
    const piece = { text: this.held.slice(0, length), thought };
    this.held = this.held.slice(length);
    return piece;
  }
}

/** How much of a text can be passed on while its end may be the beginning of a tag, which has one `<`, its first character. */
function safeLength(text: string, tag: string): number {
  const least = Math.max(0, text.length - tag.length + 1);
  for (let at = text.length - 1; at >= least; at--) {
    if (text.charCodeAt(at) === LESS_THAN) return tag.startsWith(text.slice(at)) ? at : text.length;
  }
  return text.length;
}
