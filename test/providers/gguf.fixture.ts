/** Writes a GGUF file: metadata of the few types a small model needs, and tensors of 32-bit floats. */

export type MetadataValue =
  | string
  | number
  | boolean
  | readonly string[]
  | { readonly type: ArrayType; readonly values: readonly number[] };
type ArrayType = 'f32' | 'i32';

/** Rows are the outer dimension, as in a matrix of weights; a vector has one. */
export interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const MAGIC = 0x46554747;
const VERSION = 3;
const ALIGNMENT = 32;
const TYPES = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
const FLOATS = 0;

export function writeGguf(metadata: Readonly<Record<string, MetadataValue>>, tensors: readonly Tensor[]): Buffer {
  const entries = Object.entries(metadata);
  const header = [u32(MAGIC), u32(VERSION), u64(tensors.length), u64(entries.length)];
  for (const [key, value] of entries) header.push(text(key), ...valueOf(value));
  const data: Buffer[] = [];
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    // Dimensions are written from the innermost.
    const dimensions = shape.toReversed().map(u64);
    header.push(text(name), u32(shape.length), ...dimensions, u32(FLOATS), u64(offset));
    const bytes = padded(Buffer.from(values.buffer, values.byteOffset, values.byteLength));
    data.push(bytes);
    offset += bytes.length;
  }
  return Buffer.concat([padded(Buffer.concat(header)), ...data]);
}

function valueOf(value: MetadataValue): Buffer[] {
  if (typeof value === 'string') return [u32(TYPES.string), text(value)];
  if (typeof value === 'boolean') return [u32(TYPES.bool), Buffer.from([value ? 1 : 0])];
  if (typeof value === 'number')
    return Number.isInteger(value) ? [u32(TYPES.u32), u32(value)] : [u32(TYPES.f32), f32(value)];
  if ('type' in value) {
    const write = value.type === 'f32' ? f32 : u32;
    return [u32(TYPES.array), u32(TYPES[value.type]), u64(value.values.length), ...value.values.map(write)];
  }
  return [u32(TYPES.array), u32(TYPES.string), u64(value.length), ...value.map(text)];
}

function padded(bytes: Buffer): Buffer {
  const rest = bytes.length % ALIGNMENT;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(ALIGNMENT - rest)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
