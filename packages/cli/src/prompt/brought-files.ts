/** Words for what a prompt brings along besides its text: `src/cart.ts 21 lines`, `shot.png 640×480`. Pure. */

import type { Part } from '@castor/core';
import { countOf } from '@castor/core/program';
import { readableSize } from '../readable-numbers.ts';

/** The first bytes of a PNG file, and where its width and height are. */
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const PNG_SIZE = { width: 16, height: 20, end: 24 };
/** Enough of an encoded file for its size. */
const HEAD = 64;

export function describeBrought({ name, parts }: { name: string; parts: readonly Part[] }): string {
  const facts = [textFact(parts), ...parts.map(mediaFact)].filter((fact) => fact !== undefined);
  return [name, ...facts].join(' ');
}

function textFact(parts: readonly Part[]): string | undefined {
  const text = parts.map((part) => part.text ?? '').join('');
  if (text === '') return undefined;
  return countOf(text.replace(/\n$/, '').split('\n').length, 'line');
}

function mediaFact({ inlineData }: Part): string | undefined {
  if (inlineData?.data === undefined) return undefined;
  const { data } = inlineData;
  const head = Buffer.from(data.slice(0, HEAD), 'base64');
  if (head.length >= PNG_SIZE.end && head.subarray(0, PNG.length).equals(PNG)) {
    return `${head.readUInt32BE(PNG_SIZE.width)}×${head.readUInt32BE(PNG_SIZE.height)}`;
  }
  return readableSize(Math.floor((data.length * 3) / 4));
}
