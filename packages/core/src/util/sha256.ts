/**
 * Computes the SHA-256 of a short text, in hex, for the few names that are hashes: Node's
 * crypto module costs a start 4 ms and more. It runs once, uncompiled, before the first
 * request: hence plain loops over numbers and literal tables.
 */

const ROUNDS = 64;

/** The first bits of the fractional parts of the square roots of the first primes. */
const INITIAL = [
  0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
];

/** The same of their cube roots. */
const CONSTANTS = [
  0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5, 0xd807_aa98,
  0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786,
  0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8,
  0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
  0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819,
  0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a,
  0x5b9c_ca4f, 0x682e_6ff3, 0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
  0xc671_78f2,
];

export function sha256(text: string): string {
  const words = toBlocks(Buffer.from(text));
  const state = Int32Array.from(INITIAL);
  const schedule = new Int32Array(ROUNDS);
  for (let offset = 0; offset < words.length; offset += 16) {
    schedule.set(words.subarray(offset, offset + 16));
    compress(state, schedule);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function compress(state: Int32Array, w: Int32Array): void {
  for (let i = 16; i < ROUNDS; i++) {
    const early = w[i - 15]!;
    const late = w[i - 2]!;
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  const before = Int32Array.from(state);
  // The eight registers of the algorithm, a to h, in the order of the state.
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = before;
  for (let i = 0; i < ROUNDS; i++) {
    const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + CONSTANTS[i]! + w[i]!) | 0;
    const t2 = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state.set([a, b, c, d, e, f, g, h]);
  for (let i = 0; i < before.length; i++) state[i]! += before[i]!;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The bytes, a one bit, zeros, and the length in bits, as big-endian words in blocks of sixteen. */
function toBlocks(bytes: Buffer): Int32Array {
  const size = Math.ceil((bytes.length + 9) / 64) * 64;
  const padded = Buffer.alloc(size);
  bytes.copy(padded);
  padded[bytes.length] = 0x80;
  padded.writeUInt32BE(bytes.length * 8, size - 4);
  const words = new Int32Array(size / 4);
  for (let i = 0; i < words.length; i++) words[i] = padded.readInt32BE(i * 4);
  return words;
}
