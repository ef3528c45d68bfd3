/** Reads names off the repository's own text: what a file exports, and what docs/documents.md lists. */

import { readdir, readFile } from 'node:fs/promises';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Every name a file of core exports, the ones it passes on with `export *` included. */
export async function exportedNames(path: string): Promise<string[]> {
  const source = await read(path);
  const declared = [
    ...source.matchAll(
      /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|enum|interface|type) (\w+)/gm,
    ),
  ].map(([, name]) => name ?? '');
  const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gms)].flatMap(([, names]) =>
    toNames(names ?? '').map((name) => name.split(' as ').at(-1) ?? ''),
  );
  const passedOn = await passedOnFiles(path);
  return [...new Set([...declared, ...listed, ...(await Promise.all(passedOn.map(exportedNames))).flat()])];
}

/** The files a file passes on with `export *`. */
export async function passedOnFiles(path: string): Promise<string[]> {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return [...(await read(path)).matchAll(/^export \* from '\.\/([^']+)'/gm)].map(([, file]) => `${folder}/${file}`);
}

/** The names in the first column of the tables of docs/documents.md. */
export async function documentedNames(): Promise<string[]> {
  const rows = (await read('docs/documents.md')).split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
}

/** The rows of docs/documents.md: their names, and the files their second column stands for. */
export async function documentedPlaces(): Promise<{ names: string[]; files: string[] }[]> {
  const rows = (await read('docs/documents.md')).split('\n').filter((line) => line.startsWith('| `'));
  return Promise.all(
    rows.map(async (row) => {
      const [, first = '', second = ''] = row.split('|');
      const names = [...first.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');
      return { names, files: (await Promise.all(toNames(second).map(filesOf))).flat() };
    }),
  );
}

/** The file of a place such as `turn/turn`, or the files of a room such as `client/loops`. */
async function filesOf(place: string): Promise<string[]> {
  const path = `packages/core/src/${place.replace(/\/$/, '')}`;
  const inRoom = await readdir(new URL(`../../${path}`, import.meta.url)).catch(() => undefined);
  if (!inRoom) return [`${path}.ts`];
  return inRoom.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).map((name) => `${path}/${name}`);
}

export function toNames(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
