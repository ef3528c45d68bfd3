/** A long text in pieces. What is asked of it copies only what is asked for, never the whole. */

export class TextPieces implements Iterable<string> {
  readonly length: number;
  private readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** As if the texts stood one below the other. */
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
