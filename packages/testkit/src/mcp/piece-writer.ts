/** Writes texts whole and in order, some of them cut into pieces with a turn of the event loop between. */

export class PieceWriter {
  private readonly put: (text: string) => void;
  /** The text that is being written in pieces, and those that wait for it. */
  private pending: Promise<void> | undefined;

  constructor(put: (text: string) => void) {
    this.put = put;
  }

  /** Synchronous unless the text has pieces or follows one that has. */
  write(text: string, pieces = 1): Promise<void> | void {
    if (pieces === 1 && !this.pending) return this.put(text);
    const written = this.writeAfter(this.pending, text, pieces).finally(() => {
      if (this.pending === written) this.pending = undefined;
    });
    this.pending = written;
    return written;
  }

  private async writeAfter(earlier: Promise<void> | undefined, text: string, pieces: number): Promise<void> {
    await earlier;
    const size = Math.ceil(text.length / pieces);
    for (let begin = 0; begin < text.length; begin += size) {
      if (begin > 0) await new Promise(setImmediate);
      this.put(text.slice(begin, begin + size));
    }
  }
}
