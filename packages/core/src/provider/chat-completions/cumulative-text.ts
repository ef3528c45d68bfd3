/**
 * Recognises a server that repeats the whole text so far in every frame, and passes on only what is new. One frame is
 * held back while it might be a repetition; three that grow decide it.
 */

export class CumulativeText {
  private first: string | undefined;
  private held: string | undefined;
  private shown = '';
  private verdict: 'open' | 'plain' | 'cumulative' = 'open';

  /** Whether no frame repeats another: each is passed on as it is. */
  get isPlain(): boolean {
    return this.verdict === 'plain';
  }

  /** The new text of a frame; empty while it is held back. */
  push(text: string): string {
    if (this.verdict === 'plain') return text;
    if (this.verdict === 'cumulative') return this.newIn(text);
    if (this.first === undefined) return this.begin(text);
    return this.held === undefined ? this.compare(text) : this.decide(text);
  }

  /** What was held back: two frames that grow are just text. */
  end(): string {
    const { held = '' } = this;
    this.held = undefined;
    return held;
  }

  private begin(text: string): string {
    if (text === '') return '';
    this.first = text;
    // A repetition of signs is a rule or an underline, not a repeated answer. The letters of all scripts are a large
    // class to compile, and most texts begin with one of these.
    const hasLetter = /[A-Za-z]/.test(text) || /\p{L}/u.test(text);
    if (!hasLetter || text.length < 2) this.verdict = 'plain';
    return text;
  }

  private compare(text: string): string {
    if (text.length > this.first!.length && text.startsWith(this.first!)) {
      this.held = text;
      return '';
    }
    this.verdict = 'plain';
    return text;
  }

  private decide(text: string): string {
    const held = this.end();
    if (!text.startsWith(held)) {
      this.verdict = 'plain';
      return held + text;
    }
    this.verdict = 'cumulative';
    this.shown = this.first!;
    return this.newIn(text);
  }

  private newIn(text: string): string {
    if (!text.startsWith(this.shown)) return text;
    const added = text.slice(this.shown.length);
    this.shown = text;
    return added;
  }
}
