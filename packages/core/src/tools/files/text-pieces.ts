/** Holds a long text in pieces. A query copies only the requested part, never the whole text. */

export class TextPieces implements Iterable<string> {
  readonly length: number;
  private readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Joins the texts as consecutive lines. */
  static ofLines(texts: readonly string[]): TextPieces {
    return new TextPieces(texts.flatMap((text, index) => (index === 0 ? [text] : ['\n', text])));
  }

  [Symbol.iterator](): Iterator<string> {
    return this.pieces[Symbol.iterator]();
  }

  charCodeAt(index: number): number {
    return this.slice(index, index + 1).charCodeAt(0);
  }

  slice(from: number, to: number = this.length): string {
    let start = 0;
    let text = '';
    for (const piece of this.pieces) {
      const end = start + piece.length;
      if (end > from && start < to) text += piece.slice(Math.max(0, from - start), to - start);
      start = end;
    }
    return text;
  }
}
