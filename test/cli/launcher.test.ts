import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { transform } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '@castor/testkit';
import { variants } from '../house/variants.ts';

const CLI = fileURLToPath(new URL('../../packages/cli', import.meta.url));
const LAUNCHER = join(CLI, 'bin', 'castor.cjs');
const { version } = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8')) as { version: string };

/** As scripts/pack.mjs makes them: an id, and whether what was compiled is worth keeping. */
const BUNDLE = `/*1234abcd*/"use strict";
const isHelp = process.argv.includes('-h');
exports.isWarm = () => !isHelp;
process.stdout.write("bundle\\n");
process.exitCode = process.argv.includes('--fail') ? 1 : 0;
`;

describe('the launcher', () => {
  let folder: string;

  // A copy with a bundle that only says it was loaded.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'castor-launcher-'));
    cpSync(join(CLI, 'bin'), join(folder, 'bin'), { recursive: true });
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'castor', version: '1.2.3', type: 'module' }));
    writeFileSync(join(folder, 'dist', 'main.cjs'), BUNDLE);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function launch(args: string[], preload = '') {
    const file = join(folder, 'preload.cjs');
    writeFileSync(file, preload);
    return spawnSync(process.execPath, ['-r', file, join(folder, 'bin', 'castor.cjs'), ...args], { encoding: 'utf8' });
  }

  it('holds nothing that ES5 does not have', async () => {
    const source = readFileSync(LAUNCHER, 'utf8');
    const options = { minifyWhitespace: true, legalComments: 'none' } as const;
    const asEs5 = await transform(source, { ...options, target: 'es5' });
    const asItIs = await transform(source, { ...options, target: 'esnext' });
    expect(asEs5.code).toBe(asItIs.code);
    expect(source).not.toMatch(/\b(let|const|class|import)\b\s*[\w({]|=>|`/);
  });

  it('says in one sentence that Node is too old, and loads nothing', () => {
    const result = launch(['-p', 'hi'], "Object.defineProperty(process.versions, 'node', { value: '22.17.9' });");
    expect([result.stdout, result.stderr, result.status]).toEqual([
      '',
      'castor: this is Node 22.17.9, and Castor needs Node 22.18 or newer; install it from https://nodejs.org.\n',
      1,
    ]);
  });

  variants.each(['22.18.0', '23.0.0', '100.1.0'])('goes on with Node %s', (node) => {
    const result = launch(['-p', 'hi'], `Object.defineProperty(process.versions, 'node', { value: '${node}' });`);
    expect([result.stdout, result.status]).toEqual(['bundle\n', 0]);
  });

  variants.each(['--version', '-v'])('answers %s without the bundle', (flag) => {
    expect(launch([flag]).stdout).toBe('1.2.3\n');
  });

  describe('keeps what was compiled', () => {
    const cached = (place: string) =>
      existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.cache')) : [];
    const beside = () => join(folder, 'dist');
    const NAME = `main.1234abcd.${process.version}-${process.arch}.cache`;
    const run = (args: string[], env: NodeJS.ProcessEnv = {}) =>
      spawnSync(process.execPath, [join(folder, 'bin', 'castor.cjs'), ...args], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], ...env },
      }).stdout;

    beforeEach(() => {
      for (const name of cached(beside())) rmSync(join(beside(), name));
    });

    it('after an answer, not after a failure or for help, and not when told not to', () => {
      run(['-h']);
      run(['-p', 'hi', '--fail']);
      run(['-p', 'hi'], { NODE_DISABLE_COMPILE_CACHE: '1' });
      expect(cached(beside())).toEqual([]);
      run(['-p', 'hi']);
      expect(cached(beside())).toEqual([NAME]);
    });

    it('and drops what is of another bundle, and not of another Node', () => {
      writeFileSync(join(beside(), `main.0000ffff.${process.version}-${process.arch}.cache`), 'old');
      writeFileSync(join(beside(), 'main.1234abcd.v99.0.0-x64.cache'), 'other');
      run(['-p', 'hi']);
      expect(cached(beside()).toSorted()).toEqual([NAME, 'main.1234abcd.v99.0.0-x64.cache'].toSorted());
    });

    it('of a later step of the start too, and runs it with the launcher as its module loader', () => {
      const step = 'answer-ABCD1234.step-00FF00FF.cjs';
      writeFileSync(
        join(beside(), step),
        'exports.word = require("./main.cjs").isWarm() ? "warm" : "cold"; exports.path = () => require.importModule("node:path");',
      );
      const start = `const { word, path } = require("./${step}"); path().then(({ sep }) => console.log(word, sep));`;
      writeFileSync(join(beside(), 'main.cjs'), `${BUNDLE}${start}`);
      try {
        const names = [NAME, NAME.replace('.cache', '.answer-ABCD1234.cache')];
        for (const _ of ['first', 'second']) {
          expect(run(['-p', 'hi'])).toBe('bundle\nwarm /\n');
          expect(cached(beside()).toSorted()).toEqual(names.toSorted());
        }
        expect(run(['-p', 'hi'], { NODE_DISABLE_COMPILE_CACHE: '1' })).toContain('warm');
      } finally {
        rmSync(join(beside(), step));
        writeFileSync(join(beside(), 'main.cjs'), BUNDLE);
      }
    });

    it('and evaluates a step once for every asker: the bundle, another step or a file that Node loads', () => {
      const [one, two] = ['one-ABCD1234.step-00FF00FF.cjs', 'two-ABCD1234.step-00FF00FF.cjs'] as const;
      const files = {
        [one]: 'console.log("one"); exports.of = () => require("./chunk-ABCD1234.cjs").step;',
        [two]: `exports.step = require("./${one}");`,
        'chunk-ABCD1234.cjs': `exports.step = require("./${one}");`,
        // Fails the first time, as a file that is being replaced does.
        'three-ABCD1234.step-00FF00FF.cjs':
          'if (!globalThis.again) { globalThis.again = true; throw new Error("no"); } exports.word = "three";',
        'main.cjs': `${BUNDLE}const one = require("./${one}");
          console.log(one === require("./${two}").step, one === one.of(), Object.values(require.cache).length > 2);
          for (const _ of "12") try { console.log(require("./three-ABCD1234.step-00FF00FF.cjs").word); } catch (error) { console.log(error.message); }`,
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(beside(), name), text);
      try {
        expect(run(['-p', 'hi'])).toBe('bundle\none\ntrue true true\nno\nthree\n');
      } finally {
        for (const name of Object.keys(files)) rmSync(join(beside(), name));
        writeFileSync(join(beside(), 'main.cjs'), BUNDLE);
      }
    });

    it('and writes it anew when it cannot be read', () => {
      writeFileSync(join(beside(), NAME), 'nonsense');
      expect(run(['-p', 'hi'])).toBe('bundle\n');
      expect(readFileSync(join(beside(), NAME)).length).toBeGreaterThan('nonsense'.length);
    });

    it('apart for a terminal, which needs other functions than an answer to a pipe', async () => {
      const program = spawn(process.execPath, [join(folder, 'bin', 'castor.cjs'), '-i', 'hi'], {
        env: { PATH: process.env['PATH'] ?? '' },
      });
      await new Promise((resolve) => program.onExit(resolve));
      expect(cached(beside())).toEqual([NAME.replace('.cache', '-tty.cache')]);
    });

    variants.each([
      ['a byte of it is another', (bytes: Buffer) => bytes.fill(bytes[300]! ^ 0xff, 300, 301)],
      ['its end is lost', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
      ['its end is nothing but zeros', (bytes: Buffer) => bytes.fill(0, bytes.length >> 1)],
      ['it is empty', () => Buffer.alloc(0)],
    ])('and does not use it when %s', (_, spoil) => {
      run(['-p', 'hi']);
      const { length } = readFileSync(join(beside(), NAME));
      writeFileSync(join(beside(), NAME), spoil(readFileSync(join(beside(), NAME))));
      expect(run(['-p', 'hi'])).toBe('bundle\n');
      // It holds its code twice, and does so again.
      const anew = readFileSync(join(beside(), NAME));
      expect([anew.length, anew.subarray(0, length / 2).equals(anew.subarray(length / 2))]).toEqual([length, true]);
    });

    it('and leaves nothing half written behind', () => {
      mkdirSync(join(beside(), NAME));
      try {
        run(['-p', 'hi'], { HOME: '/proc/none' });
        expect(readdirSync(beside()).toSorted()).toEqual([NAME, 'main.cjs']);
      } finally {
        rmSync(join(beside(), NAME), { recursive: true });
      }
    });

    it("in the user's own cache where it cannot lie beside the bundle", () => {
      const home = join(folder, 'home');
      // A folder of that name is in the way, for every user.
      mkdirSync(join(beside(), NAME));
      try {
        mkdirSync(join(home, '.cache', 'castor'), { recursive: true });
        const other = `main.0000ffff.${process.version}-${process.arch}.cache`;
        const old = 'main.00000000.v22.0.0-x64.cache';
        for (const name of [other, old]) writeFileSync(join(home, '.cache', 'castor', name), 'of another version');
        utimesSync(join(home, '.cache', 'castor', old), 0, 0);
        expect(run(['-p', 'hi'], { HOME: home })).toBe('bundle\n');
        // Another version that is in use as well keeps its own; one from long ago does not.
        expect(cached(join(home, '.cache', 'castor')).toSorted()).toEqual([NAME, other].toSorted());
        expect(run(['-p', 'hi'], { HOME: home })).toBe('bundle\n');
      } finally {
        rmSync(join(beside(), NAME), { recursive: true });
      }
    });
  });

  it('says so when the bundle is not there', () => {
    const empty = join(folder, 'empty');
    cpSync(join(CLI, 'bin'), join(empty, 'bin'), { recursive: true });
    const { stderr, status } = spawnSync(process.execPath, [join(empty, 'bin', 'castor.cjs')], { encoding: 'utf8' });
    expect([stderr.split('\n')[0], status]).toEqual([
      expect.stringMatching(/^castor: the program could not be loaded: Error: ENOENT/),
      1,
    ]);
  });

  it('runs the built program', async () => {
    expect(await runCli(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', code: 0, signal: null });
    expect((await runCli(['-v', '-m', 'x'])).stdout).toBe(`${version}\n`);
    expect((await runCli(['--help'])).stdout).toContain('Usage: castor');
  });
});
