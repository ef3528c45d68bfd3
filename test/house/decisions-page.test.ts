import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);

it('docs/decisions lists every record under its title, in order', async () => {
  const names = (await readdir(FOLDER)).filter((name) => /^\d{4}-/.test(name)).toSorted();
  const titles = await Promise.all(
    names.map(async (name) => (await readFile(new URL(name, FOLDER), 'utf8')).split('\n')[0]),
  );
  const rows = names.map((name, index) => titles[index]?.replace(/^# (\d{4}) /, `- [$1](${name}) `));
  const page = await readFile(new URL('README.md', FOLDER), 'utf8');
  expect(page.split('\n').filter((line) => line.startsWith('- '))).toEqual(rows);
});

it('every record has a date and a status that leads to a record', async () => {
  const names = (await readdir(FOLDER)).filter((name) => /^\d{4}-/.test(name));
  const numbers = new Set(names.map((name) => name.slice(0, 4)));
  for (const name of names) {
    const line = (await readFile(new URL(name, FOLDER), 'utf8')).split('\n')[2] ?? '';
    const [, successor] =
      /^Date: \d{4}-\d{2}-\d{2}\. Status: (?:accepted|superseded by (\d{4}))\.$/.exec(line) ??
      expect.fail(`${name}: ${line}`);
    if (successor !== undefined) expect(numbers).toContain(successor);
  }
});
