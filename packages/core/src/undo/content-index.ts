/**
 * ContentIndex: which block holds a content, for hundreds of thousands of contents in few bytes each: an open hash table in
 * one typed array, by the first half of the SHA-256.
 */

/** Four words of the hash, then the number of the block and one: zero is a free slot. */
const WORDS = 4;
const SLOT = WORDS + 1;
const FIRST_SLOTS = 1024;
/** Above this share of used slots it grows. */
const MOST_USED = 0.8;
/** In place of a removed entry, so that those behind it are still found. */
const REMOVED = 0xff_ff_ff_ff;

export class ContentIndex {
  private slots = FIRST_SLOTS;
  private table: Uint32Array;
  /** Removed entries included. */
  private used = 0;
  private readonly key = new Uint32Array(WORDS);
  /** Of the hash that was last read from hex digits. */
  private readonly bytes = Buffer.alloc(WORDS * 4);
  private readonly view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);

  /** `expected`: as many fit without growing, which needs room for the old table and the new one. */
  constructor(expected = 0) {
    while (this.slots * MOST_USED <= expected) this.slots *= 2;
    this.table = new Uint32Array(this.slots * SLOT);
  }

  /** At most this many contents are known. */
  get count(): number {
    return this.used;
  }

  /** Undefined for an unknown content. `hash`: hex digits. */
  get(hash: string): number | undefined {
    this.read(hash);
    const at = this.find();
    return at < 0 ? undefined : this.table[at + WORDS]! - 1;
  }

  has(hash: string): boolean {
    this.read(hash);
    return this.find() >= 0;
  }

  /** `at`: where the bytes of the hash are. */
  hasBytes(view: DataView, at: number): boolean {
    this.readBytes(view, at);
    return this.find() >= 0;
  }

  set(hash: string, block: number): void {
    this.read(hash);
    this.put(block);
  }

  /** `at`: where the bytes of the hash are. */
  setBytes(view: DataView, at: number, block: number): void {
    this.readBytes(view, at);
    this.put(block);
  }

  delete(hash: string): void {
    this.read(hash);
    const at = this.find();
    if (at >= 0) this.table[at + WORDS] = REMOVED;
  }

  deleteWhere(isGone: (block: number) => boolean): void {
    const { table } = this;
    for (let at = WORDS; at < table.length; at += SLOT) {
      const value = table[at]!;
      if (value !== 0 && value !== REMOVED && isGone(value - 1)) table[at] = REMOVED;
    }
  }

  private put(block: number): void {
    const at = this.find();
    if (at >= 0) this.table[at + WORDS] = block + 1;
    else this.insert(block + 1);
  }

  private readBytes(view: DataView, at: number): void {
    const { key } = this;
    for (let word = 0; word < WORDS; word++) key[word] = view.getUint32(at + word * 4, false);
  }

  /** By Node, at once: digit by digit is slow until V8 has compiled it. */
  private read(hash: string): void {
    this.bytes.write(hash, 'hex');
    this.readBytes(this.view, 0);
  }

  /** Where the key is; negative when it is nowhere. */
  private find(): number {
    const { table, slots, key } = this;
    const first = key[0]!;
    const second = key[1]!;
    const third = key[2]!;
    const fourth = key[3]!;
    for (let slot = first & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = slot * SLOT;
      const value = table[at + WORDS]!;
      if (value === 0) return -1;
      const isKey =
        table[at] === first && table[at + 1] === second && table[at + 2] === third && table[at + 3] === fourth;
      if (isKey && value !== REMOVED) return at;
    }
  }

  private insert(value: number): void {
    if (this.used >= this.slots * MOST_USED) this.grow();
    this.place(this.key, 0, value);
  }

  private place(from: Uint32Array, at: number, value: number): void {
    const { table, slots } = this;
    let slot = from[at]! & (slots - 1);
    while (table[slot * SLOT + WORDS] !== 0) slot = (slot + 1) & (slots - 1);
    for (let word = 0; word < WORDS; word++) table[slot * SLOT + word] = from[at + word]!;
    table[slot * SLOT + WORDS] = value;
    this.used += 1;
  }

  private grow(): void {
    const old = this.table;
    this.slots *= 2;
    this.table = new Uint32Array(this.slots * SLOT);
    this.used = 0;
    for (let at = 0; at < old.length; at += SLOT) {
      const value = old[at + WORDS]!;
      if (value !== 0 && value !== REMOVED) this.place(old, at, value);
    }
  }
}
