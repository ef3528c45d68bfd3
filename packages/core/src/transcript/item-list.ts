/**
 * ItemList: an append-only list as a persistent value. Appending costs the same however long the list is, items keep
 * their identity and index, and a list that was handed out never changes. Memory is bounded by weight: the oldest
 * items are dropped, while indices and `length` still count them.
 */

const CHUNK_ITEMS = 128;
/** A chunk is closed at this share of the capacity, so that dropping one is never a large loss. */
const CHUNK_SHARE = 1 / 16;

export interface ItemListOptions<T> {
  weigh: (item: T) => number;
  /** Kept weight; exceeded by at most one chunk and one item. */
  capacity: number;
}

interface Chunk<T> {
  readonly items: readonly T[];
  readonly start: number;
  readonly weight: number;
}

interface State<T> {
  /** Oldest first. */
  readonly closed: readonly Chunk<T>[];
  readonly closedWeight: number;
  /** Shared with lists derived from this one; only the first `tailCount` are in this list. */
  readonly tail: T[];
  readonly tailStart: number;
  readonly tailCount: number;
  readonly tailWeight: number;
}

export class ItemList<T> implements Iterable<T> {
  private readonly options: ItemListOptions<T>;
  private readonly state: State<T>;

  private constructor(options: ItemListOptions<T>, state: State<T>) {
    this.options = options;
    this.state = state;
  }

  static empty<T>(options: ItemListOptions<T>): ItemList<T> {
    return new ItemList(options, {
      closed: [],
      closedWeight: 0,
      tail: [],
      tailStart: 0,
      tailCount: 0,
      tailWeight: 0,
    });
  }

  /** Number of items ever appended. */
  get length(): number {
    return this.state.tailStart + this.state.tailCount;
  }

  /** Index of the oldest item still kept. */
  get firstIndex(): number {
    return this.state.closed[0]?.start ?? this.state.tailStart;
  }

  append(item: T): ItemList<T> {
    const { capacity, weigh } = this.options;
    const state = this.state;
    const isFull = state.tailCount >= CHUNK_ITEMS || state.tailWeight >= capacity * CHUNK_SHARE;
    const open = isFull ? closeTail(state, capacity) : state;
    const tail = ownedTail(open);
    tail.push(item);
    return new ItemList(this.options, {
      ...open,
      tail,
      tailCount: open.tailCount + 1,
      tailWeight: open.tailWeight + weigh(item),
    });
  }

  /** The item at an index from 0; undefined when it is missing or dropped. */
  at(index: number): T | undefined {
    const { tail, tailStart, tailCount, closed } = this.state;
    if (index >= tailStart) return index < tailStart + tailCount ? tail[index - tailStart] : undefined;
    const chunk = closed.findLast(({ start }) => start <= index);
    return chunk?.items[index - chunk.start];
  }

  /** The kept items from an index on: those a surface that printed `index` items has yet to print. */
  slice(index = 0): T[] {
    const { closed, tail, tailStart, tailCount } = this.state;
    const items: T[] = [];
    if (index < tailStart) {
      for (const chunk of closed) items.push(...chunk.items.slice(Math.max(index - chunk.start, 0)));
    }
    items.push(...tail.slice(Math.max(index - tailStart, 0), tailCount));
    return items;
  }

  *[Symbol.iterator](): Iterator<T> {
    yield* this.slice();
  }

  toJSON(): T[] {
    return this.slice();
  }
}

/** A list derived earlier may already have appended to the shared tail; then this one continues with a copy. */
function ownedTail<T>({ tail, tailCount }: State<T>): T[] {
  return tail.length === tailCount ? tail : tail.slice(0, tailCount);
}

function closeTail<T>(state: State<T>, capacity: number): State<T> {
  const closed = [...state.closed, { items: ownedTail(state), start: state.tailStart, weight: state.tailWeight }];
  let closedWeight = state.closedWeight + state.tailWeight;
  while (closedWeight > capacity) closedWeight -= closed.shift()?.weight ?? closedWeight;
  return {
    closed,
    closedWeight,
    tail: [],
    tailStart: state.tailStart + state.tailCount,
    tailCount: 0,
    tailWeight: 0,
  };
}
