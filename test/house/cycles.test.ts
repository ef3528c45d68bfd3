/**
 * The files of the cli stay small and loosely tied: no source over 300 lines, and at most ten files in rings of imports,
 * of types too, all rings together. (A ring of values is an error of the linter.)
 */

import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../packages/cli/src', import.meta.url));
const MOST_LINES = 300;
const MOST_IN_RINGS = 10;

const files = readdirSync(ROOT, { recursive: true })
  .map(String)
  .filter((name) => /\.tsx?$/.test(name) && !/\.(?:test|fixture)\.tsx?$/.test(name))
  .map((name) => join(ROOT, name));
const sources = new Map(files.map((path) => [path, readFileSync(path, 'utf8')]));

function importsOf(path: string): string[] {
  const named = [...sources.get(path)!.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)];
  return named.map(([, name]) => resolve(dirname(path), name!)).filter((each) => sources.has(each));
}

/** Files that reach each other, by Tarjan's walk. */
function findRings(): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const rings: string[][] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.get(path)!);
    stack.push(path);
    for (const next of importsOf(path)) {
      if (!order.has(next)) {
        visit(next);
        lowest.set(path, Math.min(lowest.get(path)!, lowest.get(next)!));
      } else if (stack.includes(next)) lowest.set(path, Math.min(lowest.get(path)!, order.get(next)!));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const ring = stack.splice(stack.indexOf(path));
    if (ring.length > 1) rings.push(ring.map((each) => each.slice(ROOT.length + 1)));
  };
  for (const path of files) if (!order.has(path)) visit(path);
  return rings;
}

describe('the sources of the cli', () => {
  it('are at most 300 lines long', () => {
    const long = [...sources].filter(([, text]) => text.split('\n').length - 1 > MOST_LINES);
    expect(long.map(([path]) => path.slice(ROOT.length + 1))).toEqual([]);
  });

  it('lie in rings of imports with at most ten files in all, types included', () => {
    const rings = findRings();
    expect(rings.flat().length > MOST_IN_RINGS ? rings : []).toEqual([]);
  });
});
