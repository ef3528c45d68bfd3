/** The pictures of the README: each is there, and the moving one is what the script makes of the recorded cast. */

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { castToSvg, parseCast } from '../../scripts/cast-to-svg.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8');

describe('the pictures', () => {
  it('that the README names exist, in light and dark', () => {
    const named = [...read('README.md').matchAll(/docs\/screens\/[\w-]+\.svg/g)].map(([path]) => path);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(`${ROOT}${path}`))).toEqual([]);
  });

  it('move as the cast was recorded: within 25 seconds and 400 KB, byte for byte', async () => {
    const cast = parseCast(read('docs/screens/demo.cast'));
    const svg = read('docs/screens/demo.svg');
    expect(await castToSvg(cast)).toBe(svg);
    expect(Buffer.byteLength(svg)).toBeLessThan(400_000);
    expect(Number(/animation-duration:([\d.]+)s/.exec(svg)?.[1])).toBeLessThanOrEqual(25);
  });

  it('hold no path of the machine they were taken on', () => {
    const named = [...read('README.md').matchAll(/docs\/screens\/[\w-]+\.svg/g)].map(([path]) => path);
    expect(named.filter((path) => /\/tmp\/|castor-test-/.test(read(path)))).toEqual([]);
  });
});
