/**
 * The edit corpus: real edits in a dozen languages, each tried as written and with the
 * slips models make. Whatever the slip, the result must be the text the edit as written
 * gives, but for the form a slip leaves open. An edit in any other place fails the suite.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { applyToText } from '../files/text-file.ts';
import { placeEdit } from './place-edit.ts';
import { tokenize } from './tokens.ts';

interface CorpusEdit {
  file: string;
  old: string;
  new: string;
}

interface Slip {
  name: string;
  /** What happens to the file the model did not see. */
  file?(content: string): string;
  /** What the model writes instead; the same on both sides. */
  text?(text: string): string;
  /** What the model gets wrong in the old text only. */
  old?(text: string): string;
}

const directory = new URL('corpus/', import.meta.url);
const edits = JSON.parse(readFileSync(new URL('edits.json', directory), 'utf8')) as CorpusEdit[];
const contents = new Map(
  [...new Set(edits.map(({ file }) => file))].map((file) => [
    file,
    readFileSync(new URL(`${file}.txt`, directory), 'utf8'),
  ]),
);

const eachLine = (change: (line: string, index: number) => string) => (text: string) =>
  text.split('\n').map(change).join('\n');
const dedent = (text: string) => {
  const lines = text.split('\n');
  const common = Math.min(...lines.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)![0].length));
  return lines.map((line) => line.slice(common)).join('\n');
};
const plainQuotes = (text: string) => text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"').replaceAll('–', '-');
/** Swaps two inner letters of the longest plain word. */
const misspell = (text: string) => {
  const words = text.match(/[a-z]{7,}/g) ?? [];
  const word = words.toSorted((a, b) => b.length - a.length)[0];
  if (word === undefined) return text;
  const at = [...word].findIndex(
    (letter, index) => index > 1 && word[index + 1] !== undefined && letter !== word[index + 1],
  );
  return text.replaceAll(word, word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2));
};

const SLIPS: Slip[] = [
  { name: 'as written' },
  {
    name: 'whitespace at the ends of lines on disk',
    file: eachLine((line, index) => (index % 2 ? line : `${line}  `)),
  },
  { name: 'whitespace at the ends of lines from the model', text: eachLine((line) => `${line} `) },
  { name: 'no indentation in front of the first line', text: (text) => text.trimStart() },
  { name: 'common indentation left out', text: dedent },
  { name: 'two more spaces of indentation', text: eachLine((line) => (line ? `  ${line}` : line)) },
  {
    name: 'tabs for spaces',
    text: eachLine((line) => line.replace(/^ +/, (run) => '\t'.repeat(Math.ceil(run.length / 4)))),
  },
  { name: 'spaces for tabs', text: eachLine((line) => line.replaceAll('\t', '    ')) },
  {
    name: 'a tab on disk for every two spaces',
    file: eachLine((line) => line.replace(/^(?: {2})+/, (run) => '\t'.repeat(run.length / 2))),
  },
  {
    name: 'blank lines on disk between lines',
    file: eachLine((line, index) => (index % 3 === 0 ? `${line}\n` : line)),
  },
  { name: 'a blank line too many at both ends', text: (text) => `\n${text}\n` },
  { name: 'escaped quotes', text: (text) => text.replaceAll('"', String.raw`\"`) },
  {
    name: 'escaped line breaks',
    text: (text) =>
      text
        .replaceAll('\\', '\\\\')
        .replaceAll('\n', String.raw`\n`)
        .replaceAll('\t', String.raw`\t`),
  },
  { name: 'escaped as a JSON string', text: (text) => JSON.stringify(text).slice(1, -1) },
  {
    name: 'HTML entities',
    text: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  },
  { name: 'plain quotes for typographic ones', text: plainQuotes },
  { name: 'decomposed characters on disk', file: (text) => text.normalize('NFD') },
  {
    name: 'spaces that do not break on disk',
    file: eachLine((line, index) => (index % 4 ? line : line.replace(/(\w) (\w)/, '$1\u00A0$2'))),
  },
  {
    name: 'spaces inside brackets on disk',
    file: (text) => text.replaceAll(/\((?=[^)\n])/g, '( ').replaceAll(/(?<=[^(\n])\)/g, ' )'),
  },
  { name: 'a fence around it', text: (text) => `\`\`\`\n${text}\n\`\`\`` },
  { name: 'line numbers in front', text: eachLine((line, index) => `${index + 10}|${line}`) },
  { name: 'a misspelt word', old: misspell, text: (text) => text },
  { name: 'indentation left out of the old text only', old: eachLine((line) => line.trimStart()) },
  { name: 'two more spaces in the old text only', old: eachLine((line) => (line ? `  ${line}` : line)) },
  { name: 'quotes escaped in the old text only', old: (text) => text.replaceAll('"', String.raw`\"`) },
  { name: 'semicolons left out of the old text', old: eachLine((line) => line.replace(/;$/, '')) },
];

const place = (content: string, old: string, replacement: string) =>
  placeEdit(content, { old, replacement, allowMultiple: false });

const meaning = (text: string) => tokenize(plainQuotes(text).normalize('NFC')).keys.join(' ');

describe('the edit corpus', () => {
  const missed: string[] = [];
  const wrong: string[] = [];
  let tried = 0;
  for (const slip of SLIPS) {
    for (const [number, edit] of edits.entries()) {
      const change = slip.text ?? ((text: string) => text);
      const old = (slip.old ?? ((text: string) => text))(change(edit.old));
      const content = (slip.file ?? ((text: string) => text))(contents.get(edit.file)!);
      const isUntouched = old === edit.old && content === contents.get(edit.file);
      if (isUntouched && slip.name !== 'as written') continue;
      // A part of a line is text to the letter, and no slip.
      if (slip.old && slip.text === undefined && content.includes(old)) continue;
      tried++;
      const label = `${slip.name}: ${edit.file} ${number}`;
      const placed = place(content, old, change(edit.new));
      const expected = contents.get(edit.file)!.replace(edit.old, () => edit.new);
      if (placed.kind !== 'placed') missed.push(`${label} (${placed.kind})`);
      else if (meaning(applyToText(content, placed.splices)) !== meaning(expected)) wrong.push(label);
    }
  }

  it('puts at least 97 % of several hundred edits in their place', () => {
    expect(tried).toBeGreaterThan(400);
    expect({ missed, isEnough: missed.length <= tried * 0.03 }).toEqual({ missed: expect.anything(), isEnough: true });
  });

  it('puts none in another place', () => {
    expect(wrong).toEqual([]);
  });

  it('keeps indentation as the file has it where the model left it out', () => {
    // A single line is found to the letter, and then the new text is taken to the letter too.
    const indented = edits.filter(({ old }) => /^\s.*\n/.test(old));
    const off = indented.filter((edit) => {
      const content = contents.get(edit.file)!;
      const placed = place(content, dedent(edit.old), dedent(edit.new));
      return (
        placed.kind !== 'placed' || applyToText(content, placed.splices) !== content.replace(edit.old, () => edit.new)
      );
    });
    expect(off).toEqual([]);
  });

  it('refuses every edit when the text occurs twice', () => {
    const placed = edits.filter((edit) => {
      const content = contents.get(edit.file)!;
      return place(content + content, edit.old, edit.new).kind !== 'ambiguous';
    });
    expect(placed).toEqual([]);
  });

  it('finds no edit in the files of the others', () => {
    const placed = edits.flatMap((edit) =>
      [...contents]
        .filter(([file, content]) => file !== edit.file && place(content, edit.old, edit.new).kind !== 'missing')
        .map(([file]) => ({ file, edit })),
    );
    expect(placed).toEqual([]);
  });

  it('refuses an edit whose text was taken out of the file', () => {
    const placed = edits.filter(
      (edit) => place(contents.get(edit.file)!.replace(edit.old, ''), edit.old, edit.new).kind !== 'missing',
    );
    expect(placed).toEqual([]);
  });
});

describe('a slip of one character in the old text', () => {
  const rounds = inject('isEndurance') ? 30 : 5;
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const outcomes = { right: 0, refused: 0, wrong: [] as string[] };
  for (const edit of edits) {
    const content = contents.get(edit.file)!;
    for (let round = 0; round < rounds; round++) {
      const at = random(edit.old.length);
      const letter = random(3) === 0 ? '' : String.fromCharCode(97 + random(26));
      const old = edit.old.slice(0, at) + letter + edit.old.slice(at + random(2));
      if (content.includes(old)) continue;
      const placed = place(content, old, edit.new);
      if (placed.kind !== 'placed') outcomes.refused++;
      else if (applyToText(content, placed.splices) === content.replace(edit.old, () => edit.new)) outcomes.right++;
      else outcomes.wrong.push(old);
    }
  }

  it('never leads to anything but the edit meant', () => {
    expect(outcomes.wrong).toEqual([]);
  });

  it('is forgiven most of the time', () => {
    expect(outcomes.right / (outcomes.right + outcomes.refused)).toBeGreaterThan(0.8);
  });
});

describe('near-duplicates', () => {
  const handler = (name: string, table: string) =>
    `function ${name}Record(id: string) {\n  const row = database.find('${table}', id);\n  if (!row) {\n    throw new Error('missing ${table}');\n  }\n  return row;\n}\n\n`;
  const content = handler('user', 'users') + handler('order', 'orders') + handler('invoice', 'invoices');

  it('takes the one the text names', () => {
    const old = handler('order', 'orders').replace('  const', '\tconst');
    const placed = place(content, old, old.replace('return row', 'return { ...row }'));
    const expected = content.replace(handler('order', 'orders'), (text) =>
      text.replace('return row', 'return { ...row }'),
    );
    expect(placed.kind === 'placed' && applyToText(content, placed.splices)).toBe(expected);
  });

  it('refuses a text that none of them has', () => {
    const old = handler('ticket', 'tickets');
    expect(place(content, old, old.replace('return row', 'return null')).kind).toBe('missing');
  });

  it.each([
    ['const port = 8080;\nlisten(port);\n', 'const port = 8081;\nlisten(port);'],
    ['def test_case_1():\n    assert run(1) == "one"\n', 'def test_case_2():\n    assert run(2) == "one"'],
    ['total = price + discount\nreturn total\n', 'total = price - discount\nreturn total'],
    ['store.setItem(key, JSON.stringify(value));\n', 'store.getItem(key, JSON.stringify(value));'],
    [
      'const maxRetries = options.maxRetries;\nretry(maxRetries);\n',
      'const minRetries = options.minRetries;\nretry(minRetries);',
    ],
    ['handleA(event);\nrender(event, state);\n', 'handleB(event);\nrender(event, state);'],
    ['loadUsers(connection);\nreport(connection);\n', 'loadUser(connection);\nreport(connection);'],
    ['if (left > right) swap(left, right);\n', 'if (left < right) swap(left, right);'],
  ])('takes %j for another thing than %j', (file, old) => {
    expect(place(file, old, 'something else').kind).toBe('missing');
  });

  it('takes no twin for the one meant because the lines before that one are long', () => {
    const block = (name: string) =>
      `const ${name} = open(path, options);\nif (!${name}.ready) {\n  wait(${name});\n}\n`;
    const long = `// ${'word, '.repeat(400)}\n`.repeat(3);
    const file = `${block('secondary')}${long}${block('primary')}`;
    const old = block('primary').replace('options', 'optoins');
    const placed = place(file, old, block('primary').replace('wait', 'waitFor'));
    expect(placed.kind === 'placed' && applyToText(file, placed.splices)).toBe(
      file.replace('wait(primary)', 'waitFor(primary)'),
    );
  });

  it.each([
    // A run of one mark could be short by one at either end.
    [
      '//-----//\nint width(int height, int depth);\n',
      '//----//\nint width(int height, int depth);',
      '//-----//\nint w;',
    ],
    // The change stands right beside a line the model left out.
    [
      'open(first, second);\nlock(first);\nread(first, second);\nclose(first, second);\n',
      'open(first, second);\nread(first, second);\nclose(first, second);',
      'open(first, second);\ncheck(first);\nread(first, second);\nclose(first, second);',
    ],
  ])('does not guess where %j leaves it open', (file, old, replacement) => {
    const placed = place(file, old, replacement);
    if (placed.kind !== 'placed') return;
    expect(tokenize(applyToText(file, placed.splices)).keys).toEqual(tokenize(`${replacement}\n`).keys);
  });

  it('keeps a line the model left out, where the change is elsewhere', () => {
    const file = 'open(first, second);\nlock(first);\nread(first, second);\nsync(first);\nclose(first, second);\n';
    const old = file.replace('lock(first);\n', '');
    const placed = place(file, old, old.replace('close', 'end'));
    expect(placed.kind === 'placed' && applyToText(file, placed.splices)).toBe(file.replace('close', 'end'));
  });

  it('refuses a misspelt text that fits two places alike', () => {
    const block = 'const response = await fetchRecords(endpoint);\nreturn response.json();\n';
    const old = 'const respnse = await fetchRecords(endpoint);\nreturn response.json();';
    expect(place(`a();\n${block}b();\n${block}`, old, 'x').kind).toBe('missing');
  });
});
