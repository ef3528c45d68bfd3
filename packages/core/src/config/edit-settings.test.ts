import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@castor/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { saveSetting, writeMigrations } from './edit-settings.ts';
import { parseJsonText, parseJsonTree } from './json-text.ts';
import { findEntry } from '../util/json-with-comments.ts';
import { explainSetting } from './explain-setting.ts';
import { loadSettings } from './load-settings.ts';
import { SettingsError } from './settings-error.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-edit-'));
  path = join(folder, 'settings.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function save(before: string, key: string, value: unknown): string {
  writeFileSync(path, before);
  saveSetting(path, key, value);
  return readFileSync(path, 'utf8');
}

describe('saving a setting', () => {
  const CASES: [string, string, string, unknown, string][] = [
    ['replaces a value', '{ "a": 1, /* b */ "b": "$X" } // end', 'a', 2, '{ "a": 2, /* b */ "b": "$X" } // end'],
    ['replaces the last of two', '{"a": 1, "a": 2}', 'a', 3, '{"a": 1, "a": 3}'],
    ['adds to an object', '{\n  "a": 1\n}\n', 'b', true, '{\n  "a": 1,\n  "b": true\n}\n'],
    [
      'leaves a comment with its entry',
      '{\n  "a": 1 // one\n  // end\n}\n',
      'b',
      2,
      '{\n  "a": 1, // one\n  "b": 2\n  // end\n}\n',
    ],
    [
      'adds to a list, and leaves what is in it',
      '{\n  "a": [\n    // one\n    { "b": 1 }, // first\n    2 /* two */ // last\n    // end\n  ]\n}\n',
      'a',
      [{ b: 1 }, 2, 3, { c: 4 }],
      '{\n  "a": [\n    // one\n    { "b": 1 }, // first\n    2, /* two */ // last\n    3,\n    {\n      "c": 4\n    }\n    // end\n  ]\n}\n',
    ],
    ['adds to a list on one line', '{"a": [1, 2,]} // end', 'a', [1, 2, 'x'], '{"a": [1, 2, "x"]} // end'],
    ['writes a list anew that did not only grow', '{"a": [1, 2]}', 'a', [1, 3, 4], '{"a": [\n  1,\n  3,\n  4\n]}'],
    ['uses a trailing comma', '{\n  "a": 1, // one\n}', 'b', 2, '{\n  "a": 1, // one\n  "b": 2\n}'],
    ['stays on one line', '{"a": {"b": 1}}', 'a.c', [1], '{"a": {"b": 1, "c": [\n  1\n]}}'],
    [
      'keeps tabs and CRLF',
      '{\r\n\t"a": 1\r\n}\r\n',
      'b.c',
      1,
      '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 1\r\n\t}\r\n}\r\n',
    ],
    ['keeps the byte order mark', '\ufeff{\n    "a": 1\n}', 'a', 2, '\ufeff{\n    "a": 2\n}'],
    ['keeps four blanks', '{\n    "a": {\n    }\n}', 'a.b', 1, '{\n    "a": {\n        "b": 1\n    }\n}'],
    ['fills an empty object', '{}', 'a.b', 1, '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['fills one with a comment', '{ // soon\n}', 'a', 1, '{ // soon\n  "a": 1\n}'],
    ['begins an empty file', '', 'a', 1, '{\n  "a": 1\n}\n'],
    ['begins a file of comments', '// mine\n', 'a', 1, '// mine\n{\n  "a": 1\n}\n'],
    ['writes $ and \\ as they are', '{"a": ""}', 'a', "$& $1 \\ \u2028 '", '{"a": "$& $1 \\\\ \u2028 \'"}'],
    ['removes an entry with its line', '{\n  "a": 1,\n  // b\n  "b": 2\n}', 'a', undefined, '{\n  // b\n  "b": 2\n}'],
    ['removes the last entry', '{\n  "a": 1, // a\n  "b": 2 // b\n}', 'b', undefined, '{\n  "a": 1 // a\n   // b\n}'],
    ['removes the only entry', '{ "a": { "b": 1 } }', 'a.b', undefined, '{ "a": {  } }'],
    ['removes what is not there', '{ "a": 1 }', 'b.c', undefined, '{ "a": 1 }'],
  ];

  it.each(CASES)('%s', (_title, before, key, value, after) => {
    expect(save(before, key, value)).toBe(after);
  });

  it('makes the file and its folder for their owner alone', () => {
    path = join(folder, '.gemini', 'settings.json');
    expect(saveSetting(path, ['mcpServers', 'a.b', 'command'], 'x')).toBe(true);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: { 'a.b': { command: 'x' } } });
    expect([statSync(path).mode & 0o777, statSync(join(folder, '.gemini')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('keeps the mode, follows a link, and leaves nothing beside', () => {
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real', 'mine.json'), '{"a": 1}');
    chmodSync(join(folder, 'real', 'mine.json'), 0o640);
    symlinkSync(join('real', 'mine.json'), path);
    saveSetting(path, 'a', 2);
    expect({
      isLink: lstatSync(path).isSymbolicLink(),
      text: readFileSync(join(folder, 'real', 'mine.json'), 'utf8'),
      mode: statSync(path).mode & 0o777,
      beside: readdirSync(join(folder, 'real')),
    }).toEqual({ isLink: true, text: '{"a": 2}', mode: 0o640, beside: ['mine.json'] });
  });

  it('does not touch a file that says so already', () => {
    writeFileSync(path, '{"a": 1}');
    const before = statSync(path).ino;
    expect([saveSetting(path, 'a', 1), statSync(path).ino]).toEqual([false, before]);
  });

  const REFUSED: [string, string | Uint8Array, string, unknown][] = [
    ['a broken file', '{"a": 1', 'a', 2],
    ['a list', '[1]', 'a', 2],
    ['a value on the way', '{"a": 5}', 'a.b', 2],
    ['bytes that are no text', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'a', 1],
    ['an empty name', '{}', 'a..b', 1],
    ['a name of prototypes', '{}', '__proto__.x', 1],
  ];

  it.each(REFUSED)('refuses %s and leaves the file as it was', (_title, before, key, value) => {
    writeFileSync(path, before);
    expect(() => saveSetting(path, key, value)).toThrow(SettingsError);
    expect(readFileSync(path)).toEqual(Buffer.from(before));
  });
});

describe('bringing files up to date', () => {
  it('moves old settings and leaves every other byte alone', () => {
    const home = join(folder, 'home');
    mkdirSync(join(home, '.gemini'), { recursive: true });
    path = join(home, '.gemini', 'settings.json');
    writeFileSync(
      path,
      '// mine\n{\n  "general": {\n    "disableAutoUpdate": true, // no\n    "vimMode": true /* yes */\n  },\n  "key": "$KEY"\n}\n',
    );
    const load = () => loadSettings({ home, cwd: folder, environment: {}, platform: 'linux', isTrusted: false });
    const before = load();
    expect(explainSetting('general.enableAutoUpdate', before).sources[0]?.where).toBe(`${path}:4`);
    expect(writeMigrations(before)).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe(
      '// mine\n{\n  "general": {\n     // no\n    "vimMode": true, /* yes */\n    "enableAutoUpdate": false\n  },\n  "key": "$KEY"\n}\n',
    );
    expect([load().settings, load().layers.flatMap(({ migrations }) => migrations)]).toEqual([before.settings, []]);
  });

  it('says what it could not write, and does not touch the administrator’s file', () => {
    writeFileSync(path, '{"general": {"disableAutoUpdate": true}}');
    const layer = (scope: 'user' | 'system', file: string) => ({
      ...loadSettings({ home: folder, cwd: folder, environment: {}, platform: 'linux', isTrusted: false }).layers[0]!,
      scope,
      path: file,
      migrations: [{ path: ['a'], value: 1 }],
    });
    const missing = join(path, 'below', 'settings.json');
    const problems = writeMigrations({ layers: [layer('user', missing), layer('system', path)] });
    expect(problems).toEqual([`${missing} could not be written (ENOTDIR). The file is unchanged.`]);
    expect([readFileSync(path, 'utf8'), existsSync(missing)]).toEqual([
      '{"general": {"disableAutoUpdate": true}}',
      false,
    ]);
  });
});

describe('any file', () => {
  const random = seededRandom(5);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;

  const KEYS = ['a', 'b', 'c', 'name', 'x y', '"', '$v'];
  const scalar = () => pick([1, -2.5e3, true, false, null, '', '// no', '/* no */', '$HOME', '{', ',', 'ü😀\n']);

  function blank(newline: string): string {
    return pick(['', '', ' ', '  ', newline, `${newline}\t`, `// c, "}${newline}`, '/* c { */', ` /* ,${newline} */ `]);
  }

  function writeValue(value: unknown, newline: string): string {
    if (Array.isArray(value)) return `[${value.map((item) => pad(writeValue(item, newline), newline)).join(',')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const entries = Object.entries(value).map(
      ([key, item]) => `${pad(JSON.stringify(key), newline)}:${pad(writeValue(item, newline), newline)}`,
    );
    const isTrailing = entries.length > 0 && random() < 0.3;
    return `{${entries.join(',')}${isTrailing ? ',' : ''}${blank(newline)}}`;
  }

  function pad(text: string, newline: string): string {
    return blank(newline) + text + blank(newline);
  }

  function makeValue(depth: number): unknown {
    const kind = random();
    if (depth === 0 || kind < 0.4) return scalar();
    if (kind < 0.5) return [makeValue(depth - 1), makeValue(depth - 1)];
    return makeObject(depth - 1);
  }

  function makeObject(depth: number): Record<string, unknown> {
    const keys = KEYS.filter(() => random() < 0.4);
    return Object.fromEntries(keys.map((key) => [key, makeValue(depth)]));
  }

  /** Texts and comments as they stand, with the entry that is changed left out. */
  function isWithin(shorter: string, longer: string): boolean {
    let at = 0;
    for (const character of shorter) {
      at = longer.indexOf(character, at);
      if (at < 0) return false;
      at += 1;
    }
    return true;
  }

  it('says afterwards what it said, but for the one setting, and keeps every byte outside its span', () => {
    let changed = 0;
    for (let round = 0; round < 400; round += 1) {
      const newline = pick(['\n', '\r\n']);
      const values = makeObject(3);
      const before = pick(['', '\ufeff']) + pad(writeValue(values, newline), newline);
      const key = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(KEYS));
      const value = random() < 0.3 ? undefined : makeValue(2);
      writeFileSync(path, before);
      try {
        saveSetting(path, key, value);
      } catch (error) {
        if (!(error instanceof SettingsError) || !error.message.includes('is not an object')) throw error;
        expect(readFileSync(path, 'utf8')).toBe(before);
        continue;
      }
      const after = readFileSync(path, 'utf8');
      expect(parseJsonText(path, after)).toEqual(withValue(values, key, value));
      const node = findEntry(parseJsonTree(path, before), key)?.entry.node;
      if (node !== undefined && value !== undefined) {
        const [head, tail] = [before.slice(0, node.start), before.slice(node.end)];
        expect([after.startsWith(head), after.endsWith(tail)], JSON.stringify({ before, after })).toEqual([true, true]);
      }
      if (node === undefined && value !== undefined)
        expect(isWithin(before, after), JSON.stringify({ before, after })).toBe(true);
      if (value === undefined) expect(isWithin(after, before), JSON.stringify({ before, after })).toBe(true);
      if (after !== before) changed += 1;
    }
    expect(changed).toBeGreaterThan(150);
  });

  function withValue(values: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): unknown {
    const copy = { ...values };
    const inner = copy[key];
    if (rest.length > 0) {
      if (inner === undefined && value === undefined) return copy;
      if (value === undefined && (typeof inner !== 'object' || inner === null || Array.isArray(inner))) return copy;
      copy[key] = withValue((inner ?? {}) as Record<string, unknown>, rest, value);
    } else if (value === undefined) delete copy[key];
    else copy[key] = value;
    return copy;
  }
});
