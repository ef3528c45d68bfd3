/** SHA-256 of a short text, in hex. For the few names that are hashes: Node's crypto module costs a start 4 ms and more. */

const ROUNDS = 64;
const [INITIAL, CONSTANTS] = createTables();

export function sha256(text: string): string {
  const words = toBlocks(new TextEncoder().encode(text));
  const state = Int32Array.from(INITIAL);
  const schedule = new Int32Array(ROUNDS);
  for (let offset = 0; offset < words.length; offset += 16) {
    schedule.set(words.subarray(offset, offset + 16));
    compress(state, schedule);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function compress(state: Int32Array, w: Int32Array): void {
  const at = (index: number) => w[index] as number;
  for (let i = 16; i < ROUNDS; i++) {
    const s0 = rotate(at(i - 15), 7) ^ rotate(at(i - 15), 18) ^ (at(i - 15) >>> 3);
    const s1 = rotate(at(i - 2), 17) ^ rotate(at(i - 2), 19) ^ (at(i - 2) >>> 10);
    w[i] = at(i - 16) + s0 + at(i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < ROUNDS; i++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (CONSTANTS[i] as number) + at(i)) | 0;
    const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] as number) + word;
  });
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The bytes, a one bit, zeros, and the length in bits, as big-endian words in blocks of sixteen. */
function toBlocks(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(Math.ceil((bytes.length + 9) / 64) * 16);
  [...bytes, 0x80].forEach((byte, index) => {
    words[index >> 2] = (words[index >> 2] as number) | (byte << (24 - (index % 4) * 8));
  });
  words[words.length - 1] = bytes.length * 8;
  return words;
}

/** The first bits of the fractional parts of the square and cube roots of the first primes. */
function createTables(): [initial: number[], constants: number[]] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < ROUNDS; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  const fraction = (root: number) => Math.floor((root % 1) * 0x1_0000_0000) | 0;
  return [
    primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
    primes.map((prime) => fraction(Math.cbrt(prime))),
  ];
}
