import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { saveSetting } from './edit-settings.ts';
import { parseJsonText } from './json-text.ts';
import { readSettingsFile } from './settings-disk.ts';
import { SettingsError } from './settings-error.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'castor-disk-'));
  path = join(folder, 'settings.json');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message.replaceAll(folder, '');
  }
  throw new Error('nothing was thrown');
}

/** Nothing is denied to root: a suite that runs as root acts as the user nobody for the call. */
function withoutRights(run: () => unknown): unknown {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    return run();
  } finally {
    process.seteuid?.(0);
  }
}

describe('a settings file that cannot be read', () => {
  const CASES: [string, () => void, string][] = [
    [
      'a folder',
      () => mkdirSync(path),
      '/settings.json is a folder. A settings file is expected there: move the folder away.',
    ],
    [
      'links in a circle',
      () => symlinkSync('settings.json', path),
      '/settings.json is not readable: its links form a cycle. Correct that, or remove the file.',
    ],
    [
      'a named pipe',
      () => execFileSync('mkfifo', [path]),
      '/settings.json is not a regular file, so Castor ignores it.',
    ],
    [
      '100 MB',
      () => {
        writeFileSync(path, '');
        truncateSync(path, 100 * 1024 * 1024);
      },
      '/settings.json has 100.0 MB, and the limit for settings is 4 MB.',
    ],
    ['UTF-16', () => writeFileSync(path, '\ufeff{}', 'utf16le'), '/settings.json is UTF-16 text. Save it as UTF-8.'],
  ];

  it.each(CASES)('is named with what to do: %s', (_title, make, message) => {
    make();
    expect(messageOf(() => readSettingsFile(path))).toBe(message);
  });

  it('is named when permission denied', () => {
    writeFileSync(path, '{}');
    chmodSync(path, 0);
    expect(messageOf(() => withoutRights(() => readSettingsFile(path)))).toBe(
      '/settings.json is not readable: permission denied. Correct that, or remove the file.',
    );
  });

  it('is whole after a save that could not be made', () => {
    writeFileSync(path, '{"a": 1}');
    chmodSync(path, 0o644);
    chmodSync(folder, 0o555);
    const message = messageOf(() => withoutRights(() => saveSetting(path, 'a', 2)));
    chmodSync(folder, 0o755);
    expect([message, readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([
      '/settings.json could not be written (EACCES). The file is unchanged.',
      '{"a": 1}',
      ['settings.json'],
    ]);
  });

  it('is absent when there is nothing, nothing to follow, or a file where a folder should be', () => {
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('nowhere', join(folder, 'link'));
    const paths = [path, join(folder, 'file', 'settings.json'), join(folder, 'link'), '/dev/null'];
    expect(paths.map((missing) => readSettingsFile(missing))).toEqual([undefined, undefined, undefined, undefined]);
  });
});

const VALUES = 'expected a string in double quotes, a number, true, false, null, a list or an object';

describe('a text that is not settings', () => {
  const CASES: [string, string][] = [
    ['{\n  "a": 1\n  "b": 2\n}', ':3:3: invalid settings: expected a comma between two entries.'],
    ['{\n  "a": tru\n}', `:2:8: invalid settings: ${VALUES}.`],
    ["{ 'a': 1 }", ':1:3: invalid settings: expected a key in double quotes.'],
    ['{ "a": 1', ':1:9: invalid settings: expected a closing }.'],
    ['{ "a" 1 }', ':1:7: invalid settings: expected a colon after the key.'],
    ['{ "a": }', `:1:8: invalid settings: ${VALUES}.`],
    ['{ "a":', ':1:7: invalid settings: expected a value.'],
    ['{ "a": [1, 2', ':1:13: invalid settings: expected a closing ].'],
    ['{ "a": "b }', ':1:8: invalid settings: this string has no closing quote.'],
    ['{ "a": "x\\q" }', ':1:10: invalid settings: invalid JSON escape.'],
    ['{ } {}', ':1:5: invalid settings: expected the end of the file after the object.'],
    ['{ /* a }', ':1:3: invalid settings: this comment is not closed.'],
    ['[1]', ':1:1: invalid settings: expected an object, { … }, and found a list.'],
    ['"x"', ':1:1: invalid settings: expected an object, { … }, and found x.'],
    ['null', ':1:1: invalid settings: expected an object, { … }, and found null.'],
    ['// a\r\n{\r\n\t"a": ,\r\n}', `:3:7: invalid settings: ${VALUES}.`],
    ['\ufeff{ "a" }', ':1:7: invalid settings: expected a colon after the key.'],
  ];

  it.each(CASES)('is refused with its place: %j', (text, message) => {
    expect(messageOf(() => parseJsonText('/f', text))).toBe(`/f${message} Correct this place, or remove the file.`);
  });

  it('is refused when it is nested without end', () => {
    const text = `// x\n${'{"a":'.repeat(200_000)}`;
    expect(messageOf(() => parseJsonText('/f', text))).toContain('this is nested more than 100 levels deep');
  });
});

describe('a text that is settings', () => {
  it.each([
    ['', {}],
    [' \r\n', {}],
    ['\ufeff', {}],
    ['// nothing yet\n', {}],
    ['\ufeff{"a": 1}', { a: 1 }],
    ['{"a": 1, "a": 2}', { a: 2 }],
    ['{ // x\n "a": [1, 2,], /* y */ }', { a: [1, 2] }],
    ['{ // x\n "a": {"b": 1}, "a": {"c": 1}}', { a: { c: 1 } }],
  ])('is read: %j', (text, expected) => {
    expect(parseJsonText('/f', text)).toEqual(expected);
  });
});

/** Only root may; for the rest it is enough that the tests of others run as root. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

describe.runIf(canMount)('a disk that is nearly full', () => {
  it('keeps the settings as they were, whole, and no stump beside them', () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=44k', 'castor-test', folder]);
    try {
      const before = `{\n  "filler": "${'x'.repeat(24_000)}"\n}\n`;
      writeFileSync(path, before);
      const message = messageOf(() => saveSetting(path, 'general.vimMode', true));
      expect([message, readFileSync(path, 'utf8') === before, readdirSync(folder)]).toEqual([
        '/settings.json could not be written (ENOSPC). The file is unchanged.',
        true,
        ['settings.json'],
      ]);
    } finally {
      execFileSync('umount', [folder]);
    }
  });
});
