/**
 * RepeatedWindow: detects whether a window of 50 characters occurs ten times close together, with little variety in
 * between. The caller decides which text counts; it knows nothing of lines. The cost of a piece is proportional to
 * its length, and memory is fixed: a ring of the last characters and, as in LZ77, chains from each window to the one
 * before it in the same hash bucket.
 */

/** Compared characters. Overlapping occurrences count once. */
const WINDOW = 50;
const OCCURRENCES = 10;
/** Between two occurrences, on average over the last ten. */
const MAX_AVERAGE_DISTANCE = 250;
/** Different texts between occurrences. More of them indicate a list with a common prefix, not a loop. */
const MAX_PERIODS = 5;
/** Distinct characters a window needs at least to be significant. */
const MIN_DISTINCT = 3;
/** How far back occurrences are searched. */
const MEMORY = 5000;

/** Larger than the memory, a window and a period together, and a power of two. */
const RING = 8192;
const MASK = RING - 1;
/** Many more than there are windows: an empty bucket is the fastest answer. */
const BUCKETS = 65_536;
const BUCKET_SHIFT = 32 - Math.log2(BUCKETS);
const NONE = -1;
/** Positions are 32-bit; at this one the count restarts. */
const LAST_POSITION = 0x4000_0000;

const MULTIPLIER = 0x0100_0193;
const POWERS = new Int32Array(RING);
POWERS[0] = 1;
for (let exponent = 1; exponent < RING; exponent++) {
  POWERS[exponent] = Math.imul(POWERS[exponent - 1] ?? 0, MULTIPLIER);
}

const WINDOW_POWER = POWERS[WINDOW] as number;

export class RepeatedWindow {
  /** The last tracked character completed a loop. */
  isComplete = false;
  /** Text before it does not count. */
  private start = 0;
  private end = 0;
  private readonly characters = new Uint16Array(RING);
  /** By position: hash of all text before it. */
  private readonly prefixes = new Int32Array(RING);
  /** By bucket: the newest window in it. */
  private readonly newest = new Int32Array(BUCKETS).fill(NONE);
  /** By position of a window: the one before it in its bucket. */
  private readonly older = new Int32Array(RING);
  /** By position of a window that has a twin: the latest counted occurrence of its text. */
  private readonly counted = new Int32Array(RING).fill(-RING);
  /** By position of a counted window: the previously counted one. */
  private readonly previous = new Int32Array(RING);
  /** By position of a counted window: the count up to it. */
  private readonly tally = new Int32Array(RING);

  /** Earlier text no longer counts. */
  forget(): void {
    this.start = this.end;
  }

  /** Returns whether the window that this character completes is the last of a loop. */
  track(code: number): boolean {
    this.trackRun(String.fromCharCode(code), 0, NONE);
    return this.isComplete;
  }

  /**
   * Tracks the characters from `from` up to a `stop` or the end, or until one completes a loop; returns the position
   * where it stopped. Nearly every character of an answer passes here, so it works on locals and returns at the first
   * window that may not be new.
   */
  trackRun(text: string, from: number, stop: number): number {
    if (this.end + text.length >= LAST_POSITION) this.startAnew();
    const { characters, prefixes, newest, older, start } = this;
    let { end } = this;
    let hash = prefixes[end & MASK] as number;
    this.isComplete = false;
    let index = from;
    for (; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === stop) break;
      hash = (Math.imul(hash, MULTIPLIER) + code) | 0;
      characters[end & MASK] = code;
      end += 1;
      prefixes[end & MASK] = hash;
      const position = end - WINDOW;
      if (position < start) continue;
      const slot = position & MASK;
      const window = hash - Math.imul(prefixes[slot] as number, WINDOW_POWER);
      const bucket = Math.imul(window, 0x9e37_79b1) >>> BUCKET_SHIFT;
      const candidate = newest[bucket] as number;
      newest[bucket] = position;
      older[slot] = candidate;
      if (candidate < start || candidate < end - MEMORY) continue;
      this.end = end;
      if (this.count(position, candidate) >= OCCURRENCES && this.isLoop(position)) {
        this.isComplete = true;
        return index;
      }
    }
    this.end = end;
    return index;
  }

  /** The number of the occurrence that the window at `position` is; 0 if it overlaps the one before. */
  private count(position: number, candidate: number): number {
    const slot = position & MASK;
    const twin = this.findTwin(position, candidate);
    if (twin === NONE) return 1;
    const latest = this.latestOf(twin);
    if (position - latest < WINDOW) {
      this.counted[slot] = latest;
      return 0;
    }
    this.counted[slot] = position;
    this.previous[slot] = latest;
    return (this.tally[slot] = (this.tally[latest & MASK] as number) + 1);
  }

  /**
   * The latest counted occurrence, according to the window at `twin`. A window is recorded only once it has a twin;
   * until then its slot holds a stale entry.
   */
  private latestOf(twin: number): number {
    const slot = twin & MASK;
    if (twin - (this.counted[slot] as number) >= WINDOW) {
      this.counted[slot] = twin;
      this.previous[slot] = NONE;
      this.tally[slot] = 1;
    }
    return this.counted[slot] as number;
  }

  /** The latest earlier window with the same text, along the chain that starts with `candidate`. */
  private findTwin(position: number, candidate: number): number {
    const oldest = Math.max(this.start, this.end - MEMORY);
    let twin = candidate;
    while (twin >= oldest && !this.isSameWindow(twin, position)) twin = this.older[twin & MASK] as number;
    return twin >= oldest ? twin : NONE;
  }

  private isSameWindow(left: number, right: number): boolean {
    for (let offset = WINDOW - 1; offset >= 0; offset--) {
      if (this.characters[(left + offset) & MASK] !== this.characters[(right + offset) & MASK]) return false;
    }
    return true;
  }

  private isLoop(position: number): boolean {
    if (this.isFiller(position)) return false;
    const periods = new Set<number>();
    let from = position;
    for (let occurrence = 1; occurrence < OCCURRENCES; occurrence++) {
      const to = from;
      from = this.previous[to & MASK] as number;
      if (position - from > MAX_AVERAGE_DISTANCE * (OCCURRENCES - 1)) return false;
      periods.add(this.hash(from, to));
    }
    return periods.size <= MAX_PERIODS;
  }

  /** A rule, a row of dots, padding: it repeats by nature, for its whole length. */
  private isFiller(position: number): boolean {
    const distinct = new Set<number>();
    for (let offset = 0; offset < WINDOW; offset++) distinct.add(this.characters[(position + offset) & MASK] as number);
    return distinct.size < MIN_DISTINCT;
  }

  /** Of the text between two positions in the ring. */
  private hash(from: number, to: number): number {
    const prefix = Math.imul(this.prefixes[from & MASK] as number, POWERS[to - from] as number);
    return ((this.prefixes[to & MASK] as number) - prefix) | 0;
  }

  /** Returns the repeated text; the search then restarts. */
  takeWindow(): string {
    const codes = Array.from(
      { length: WINDOW },
      (_, offset) => this.characters[(this.end - WINDOW + offset) & MASK] ?? 0,
    );
    this.forget();
    return String.fromCharCode(...codes);
  }

  private startAnew(): void {
    this.start = 0;
    this.end = 0;
    this.newest.fill(NONE);
    this.counted.fill(-RING);
  }
}
