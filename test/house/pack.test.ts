/** The packed program (scripts/pack.mjs), on a small tree of its own: one state, for every way of asking. */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const SOURCES = {
  'main.ts': `
    import { count } from './state.ts';
    const surfaces = {
      run: () => import('./headless/run.ts'),
      lazy: () => import('./lazy.ts'),
      screen: () => import('./screen.ts'),
      terminal: () => import('./tui/run.ts'),
    };
    console.log('main', count());
    async function go() { console.log(await (await surfaces[process.argv[2]]()).show()); }
    void go();`,
  'headless/run.ts': `
    import { count } from '../state.ts';
    export const show = async () => 'run ' + count() + ' ' + /[─-╿]/.test('─') + ' ' + (await (await import('../lazy.ts')).show());`,
  'lazy.ts': `
    import { count } from './state.ts';
    export const show = async () => 'lazy ' + count();`,
  'screen.ts': `
    import { count } from './state.ts';
    const word = await Promise.resolve('screen');
    export const show = async () => word + ' ' + count() + ' ' + import.meta.url.startsWith('file:');`,
  'tui/run.ts': `
    import { count } from '../state.ts';
    import { next } from './rows.ts';
    const opened = async () => (await (await import('./app/open-app.ts')).open()) + ' ' + (await (await import('../screen.ts')).show());
    export const show = async () => 'terminal ' + count() + ' ' + next() + ' ' + (await opened());`,
  'tui/app/open-app.ts': `
    import { next } from '../rows.ts';
    import { show } from '../../lazy.ts';
    export const open = async () => next() + ' ' + (await show()) + ' ' + (await (await import('../../views.ts')).view());`,
  'tui/rows.ts': `let row = 10; export const next = () => ++row;`,
  'views.ts': `
    import { next } from './tui/rows.ts';
    export const view = async () => 'view ' + next() + ' ' + (await (await import('./lazy.ts')).show());`,
  'state.ts': `let counted = 0; export const count = () => ++counted;`,
};

/** The same program, where an answer needs no state: only what is loaded later has it. */
const OTHER_SOURCES = {
  ...SOURCES,
  'main.ts': SOURCES['main.ts'].replace(/import .*/, '').replaceAll('count()', '0'),
  'headless/run.ts': SOURCES['headless/run.ts'].replace(/import .*/, '').replaceAll('count()', '0'),
};

/** Builds the sources in `folder`; the files of the program, by name. */
async function pack(folder: string, sources: Record<string, string>): Promise<Map<string, string | Uint8Array>> {
  const source = join(folder, 'packages', 'cli', 'src');
  for (const room of ['headless', 'tui/app']) mkdirSync(join(source, room), { recursive: true });
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(source, name), text);
  const { packBundle } = (await import(join(ROOT, 'scripts', 'pack.mjs'))) as {
    packBundle(result: unknown): Promise<Map<string, string | Uint8Array>>;
  };
  const result = await build({
    absWorkingDir: folder,
    entryPoints: ['packages/cli/src/main.ts'],
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    chunkNames: '[name]-[hash]',
  });
  return packBundle(result);
}

function writeFiles(folder: string, files: Iterable<[string, string | Uint8Array]>): void {
  for (const [name, contents] of files) writeFileSync(join(folder, 'dist', name), contents);
}

describe('the packed program', () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'castor-pack-'));
    mkdirSync(join(folder, 'dist'));
    writeFiles(folder, await pack(folder, SOURCES));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3', type: 'module' }));
    cpSync(join(ROOT, 'packages', 'cli', 'bin'), join(folder, 'bin'), { recursive: true });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (surface: string, env: NodeJS.ProcessEnv = {}) => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin', 'castor.cjs'), surface], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    });
    return stdout + stderr;
  };

  it.each([
    ['run', 'main 1\nrun 2 true lazy 3\n'],
    ['lazy', 'main 1\nlazy 2\n'],
    ['screen', 'main 1\nscreen 2 true\n'],
    ['terminal', 'main 1\nterminal 2 11 12 lazy 3 view 13 lazy 4 screen 5 true\n'],
  ])('has one state with %s, before and after its code is kept', (surface, printed) => {
    expect([run(surface), run(surface)]).toEqual([printed, printed]);
  });

  it('keeps the code of what is loaded later in no folder that others may make', () => {
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    for (const surface of ['lazy', 'screen']) run(surface, { TMPDIR: temporary });
    expect([readdirSync(temporary), readdirSync(join(folder, 'dist', 'chunks.cache')).length]).toEqual([[], 1]);
  });

  it('keeps the code of an answer, and leaves a module alone only if it must be one', () => {
    const names = readdirSync(join(folder, 'dist')).map((name) =>
      name.replaceAll(/-[A-Z0-9]{8}/g, '').replace(/main\..*\./, 'main.'),
    );
    expect(names.toSorted()).toEqual([
      ...['chunk.packed.cjs', 'chunk.packed.cjs', 'chunk.packed.cjs'],
      'chunks.cache',
      'lazy.cjs',
      // Of the program and of the two steps of a terminal.
      ...['main.cache', 'main.cache', 'main.cache'],
      'main.cjs',
      ...['open-app.packed.cjs', 'open-app.step.cjs'],
      ...['run.packed.cjs', 'run.packed.cjs', 'run.step.cjs'],
      'screen.js',
      'views.cjs',
    ]);
  });

  it.each(['lazy', 'screen', 'terminal'])(
    'has one state with %s while another build puts its chunks beside it',
    async (surface) => {
      const other = await pack(folder, OTHER_SOURCES);
      other.delete('main.cjs');
      writeFiles(folder, other);
      expect(run(surface)).toContain(`main 1\n${surface} 2`);
    },
  );
});
