/** Writes archives for tests, honest and hostile: tar and zip entry by entry. */

import { writeFileSync } from 'node:fs';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

export interface TarEntry {
  path: string;
  text?: string | Buffer;
  /** `0` file, `1` hard link, `2` link, `3` device, `5` folder, `6` pipe, `x` pax. */
  kind?: string;
  target?: string;
  mode?: number;
}

export function writeTar(file: string, entries: readonly TarEntry[]): string {
  const blocks = entries.flatMap(({ path, text = '', kind = '0', target = '', mode = 0o644 }) => {
    const bytes = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(path, 0, 100);
    header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    header.write('        ', 148);
    header.write(kind, 156);
    header.write(target, 157, 100);
    header.write('ustar\0' + '00', 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  writeFileSync(file, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])));
  return file;
}

export interface ZipEntry {
  path: string;
  text?: string | Buffer;
  /** With the kind of the file. */
  mode?: number;
  /** A size other than the real one. */
  claimedSize?: number;
}

export function writeZip(file: string, entries: readonly ZipEntry[]): string {
  const parts: Buffer[] = [];
  const rows: Buffer[] = [];
  let offset = 0;
  for (const { path, text = '', mode = 0o100_644, claimedSize } of entries) {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes);
    const name = Buffer.from(path);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(bytes), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(claimedSize ?? bytes.length, 8);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x0403_4b50, 0);
    local.writeUInt16LE(8, 8);
    sizes.copy(local, 14);
    local.writeUInt16LE(name.length, 26);
    const row = Buffer.alloc(46);
    row.writeUInt32LE(0x0201_4b50, 0);
    row.writeUInt8(3, 5);
    row.writeUInt16LE(8, 10);
    sizes.copy(row, 16);
    row.writeUInt16LE(name.length, 28);
    row.writeUInt32LE((mode << 16) >>> 0, 38);
    row.writeUInt32LE(offset, 42);
    parts.push(local, name, packed);
    rows.push(row, name);
    offset += local.length + name.length + packed.length;
  }
  const directory = Buffer.concat(rows);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  writeFileSync(file, Buffer.concat([...parts, directory, end]));
  return file;
}
