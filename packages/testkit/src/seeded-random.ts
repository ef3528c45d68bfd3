/**
 * Repeatable randomness: the same seed gives the same numbers on every machine. Good enough for cutting bytes and
 * choosing faults, for nothing else.
 */

/** A source of numbers in [0, 1). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // A Weyl sequence through an integer hash: full period and no short cycles from small seeds.
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 0x1_0000_0000;
  };
}
