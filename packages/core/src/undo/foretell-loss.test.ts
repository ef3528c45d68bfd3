/** What the words of a command tell about what cannot be undone (44). */

import { expect, it } from 'vitest';
import { foretellLoss } from './foretell-loss.ts';

const unkept = [
  { path: 'data/big.bin', bytes: 12_300_000_000 },
  { path: 'video.mp4', bytes: 20_000_000 },
];
const inRoot = { root: '/work', folder: '/work', unkept };

it.each([
  ['rm -rf data', 'data/big.bin (12.3 GB) is not kept: this cannot be undone'],
  ['cd x && rm -r ./data/', 'data/big.bin (12.3 GB) is not kept: this cannot be undone'],
  ['sudo rm "/work/video.mp4"', 'video.mp4 (20.0 MB) is not kept: this cannot be undone'],
  ['rm -rf *', 'data/big.bin and 1 more (12.3 GB) are not kept: this cannot be undone'],
  ['rm data/*.bin', 'data/big.bin (12.3 GB) is not kept: this cannot be undone'],
  ['git clean -fdx', 'data/big.bin and 1 more (12.3 GB) are not kept: this cannot be undone'],
  ['find data -delete', 'data/big.bin (12.3 GB) is not kept: this cannot be undone'],
  ['dd if=/dev/zero of=video.mp4', 'video.mp4 (20.0 MB) is not kept: this cannot be undone'],
  ['rm -rf src', undefined],
  ['rm -rf ../data', undefined],
  ['npm test data', undefined],
])('%s', (command, sentence) => {
  expect(foretellLoss(command, inRoot)).toBe(sentence);
});

it('reads words from the folder of the command', () => {
  expect(foretellLoss('rm big.bin', { ...inRoot, folder: '/work/data' })).toContain('data/big.bin');
});
