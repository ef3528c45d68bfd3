import { readFile } from 'node:fs/promises';
import * as core from '@castor/core';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The names in the first column of the tables. */
async function listedNames(): Promise<string[]> {
  const rows = (await read('docs/documents.md')).split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
}

/** Every name a file of core gives out by `export`, the ones it passes on with `export *` included. */
async function exportedNames(path: string): Promise<string[]> {
  const source = await read(path);
  const declared = [
    ...source.matchAll(
      /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|enum|interface|type) (\w+)/gm,
    ),
  ].map(([, name]) => name ?? '');
  const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gms)].flatMap(([, names]) =>
    (names ?? '').split(',').map((name) => name.trim().split(' as ').at(-1) ?? ''),
  );
  const folder = path.slice(0, path.lastIndexOf('/'));
  const passedOn = [...source.matchAll(/^export \* from '\.\/([^']+)'/gm)].map(([, file]) => `${folder}/${file}`);
  return [...declared, ...listed, ...(await Promise.all(passedOn.map(exportedNames))).flat()];
}

describe('docs/documents.md', () => {
  it('lists only names that @castor/core exports', async () => {
    const exported = new Set(await exportedNames('packages/core/src/index.ts'));
    const names = await listedNames();
    expect(names.length).toBeGreaterThan(80);
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
  });

  it('lists every class and function of the documents that this project exports as a value', async () => {
    const names = new Set(await listedNames());
    const documented = Object.keys(core).filter((name) => /^(Turn|Gemini|BatchTurn|BufferedTurn|RealTime)/.test(name));
    expect(documented.filter((name) => !names.has(name))).toEqual([]);
  });
});
