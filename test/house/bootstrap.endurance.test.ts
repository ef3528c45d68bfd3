/**
 * `npm start` on a clone with nothing set up: a copy of the repository, and an npm that only links what is installed here.
 * A set-up takes seconds, so one clone serves all the tests: each removes what it needs to be missing. The short form
 * gets the bundle of this repository with a stamp for its own files; builds are left to endurance.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = [
  'package.json',
  'package-lock.json',
  'docs',
  'scripts',
  'packages/batch/package.json',
  'packages/batch/src',
  'packages/queue-bullmq/package.json',
  'packages/queue-bullmq/src',
  'packages/cli/package.json',
  'packages/cli/bin',
  'packages/cli/src',
  'packages/core/package.json',
  'packages/core/src',
  'packages/testkit/package.json',
];

const FAKE_NPM = `
const { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');
appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
if (process.env.NPM_FAILS) {
  console.error('npm error network');
  process.exit(7);
}
rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules');
// Holds on until a file says otherwise, as a slow network does.
while (process.env.NPM_HOLDS && !existsSync('go')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
for (const name of readdirSync(${JSON.stringify(join(ROOT, 'node_modules'))})) {
  if (name === '.castor-stamp' || name === '.cache') continue;
  symlinkSync(join(${JSON.stringify(join(ROOT, 'node_modules'))}, name), join('node_modules', name));
}
`;

const itBuildsAgain = it.runIf(inject('isEndurance'));

const INSTALLING = 'castor: installing dependencies (first run only)…\n';
const PREFACE = "I am Castor's offline model: a few fixed rules, not a language model.";

describe('npm start on a fresh clone', () => {
  let clone: string;
  let first: Awaited<ReturnType<typeof start>>;
  let firstInstalls: string[];

  beforeAll(async () => {
    clone = realpathSync(mkdtempSync(join(tmpdir(), 'castor-clone-')));
    for (const path of COPIED) {
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      cpSync(join(ROOT, path), join(clone, path), { recursive: true, filter: (file) => !file.endsWith('.test.ts') });
    }
    writeFileSync(join(clone, 'fake-npm.cjs'), FAKE_NPM);
    if (!inject('isEndurance')) {
      const dist = join('packages', 'cli', 'dist');
      for (const built of [dist, join('packages', 'queue-bullmq', 'dist')])
        cpSync(join(ROOT, built), join(clone, built), { recursive: true });
      const { href } = new URL('../../scripts/bundle-state.mjs', import.meta.url);
      const { sourceState } = (await import(href)) as { sourceState: (root: string) => string };
      writeFileSync(join(clone, dist, '.stamp'), sourceState(clone));
    }
    first = await start(['-p', 'What is in this folder?']);
    firstInstalls = installs();
  }, 300_000);

  beforeEach(() => remove('npm.log'));
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  function remove(...paths: string[]): void {
    for (const path of paths) rmSync(join(clone, path), { recursive: true, force: true });
  }

  async function start(
    args: string[],
    {
      env = {},
      nodeArgs = [],
      onStderr,
    }: { env?: Record<string, string>; nodeArgs?: string[]; onStderr?: (text: string) => void } = {},
  ) {
    const child = spawn(process.execPath, [...nodeArgs, join(clone, 'scripts', 'run.mjs'), 'start', ...args], {
      cwd: clone,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: clone,
        npm_execpath: join(clone, 'fake-npm.cjs'),
        npm_node_execpath: process.execPath,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      onStderr?.(stderr);
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { stdout, stderr, code };
  }

  function installs(): string[] {
    const log = join(clone, 'npm.log');
    return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  }

  const read = (path: string) => readFileSync(join(clone, path), 'utf8');

  it('installs, builds where no bundle is there, and answers offline; the second time it only answers', async () => {
    expect(first).toMatchObject({ stderr: INSTALLING, code: 0 });
    expect(first.stdout.startsWith(`${PREFACE}\n\nThis folder holds `)).toBe(true);
    expect(firstInstalls).toEqual(['ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund']);
    const built = read('packages/cli/dist/.stamp');

    const second = await start(['-p', 'help']);
    expect(second).toMatchObject({ stderr: '', code: 0 });
    expect(installs()).toEqual([]);
    expect(read('packages/cli/dist/.stamp')).toBe(built);
  });

  itBuildsAgain('does the set-up once when two runs begin together', async () => {
    remove('node_modules', 'packages/cli/dist');
    const results = await Promise.all([start(['-p', 'help']), start(['-p', 'help'])]);
    expect(results.map(({ code, stdout }) => [code, stdout.startsWith(PREFACE)])).toEqual([
      [0, true],
      [0, true],
    ]);
    expect(installs().length).toBe(1);
    expect(existsSync(join(clone, '.castor-bootstrap'))).toBe(false);
  });

  it('tells how far a slow installation is', { tags: 'wide' }, async () => {
    remove('node_modules');
    const progress = /^castor: \d+ of \d+ packages, \d+ s$/m;
    const { code, stderr } = await start(['-p', 'help'], {
      env: { NPM_HOLDS: '1' },
      onStderr: (text) => void (progress.test(text) && writeFileSync(join(clone, 'go'), '')),
    });
    remove('go');
    expect([code, stderr]).toEqual([0, expect.stringMatching(progress)]);
  });

  it('takes over the lock of a run that died', async () => {
    remove('node_modules');
    mkdirSync(join(clone, '.castor-bootstrap'));
    writeFileSync(join(clone, '.castor-bootstrap', 'owner'), `999999999 ${hostname()}`);
    expect(await start(['-p', 'help'])).toMatchObject({ code: 0 });
    expect([installs().length, existsSync(join(clone, '.castor-bootstrap'))]).toEqual([1, false]);
  });

  itBuildsAgain('builds again when a source has changed, and installs again when the lockfile has', async () => {
    const source = join(clone, 'packages/cli/src/args/help.ts');
    writeFileSync(source, readFileSync(source, 'utf8').replace('Usage: castor', 'Usage of castor'));
    expect((await start(['--help'])).stdout).toContain('Usage of castor');
    expect(installs()).toEqual([]);

    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string }> };
    const [name = '', entry = {}] = Object.entries(lock.packages).find(([path]) => basename(path) === 'esbuild') ?? [];
    writeFileSync(
      join(clone, 'package-lock.json'),
      JSON.stringify({ ...lock, packages: { ...lock.packages, [name]: { ...entry, version: '0.0.1' } } }),
    );
    expect((await start(['-p', 'help'])).stderr).toBe(INSTALLING);
    expect(installs().length).toBe(1);
  });

  it('shows what npm said when it fails, and starts nothing', async () => {
    remove('node_modules');
    const result = await start(['-p', 'help'], { env: { NPM_FAILS: '1' } });
    expect(result).toEqual({
      stdout: '',
      stderr: `${INSTALLING}npm error network\ncastor: npm ci failed (exit code 7); nothing was started.\n`,
      code: 1,
    });
    expect((await start(['-p', 'help'])).code).toBe(0);
  });

  it('does not answer offline when a model is configured or named', async () => {
    const configured = await start(['-p', 'help'], { env: { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: 'ftp://x' } });
    const named = await start(['-p', 'help', '-m', 'gemini-2.5-pro']);
    expect([configured.code, named.code]).toEqual([52, 41]);
  });

  it('goes on with the Node it installed when its own is too old', async () => {
    remove('node_modules');
    const old = join(clone, 'old-node.cjs');
    writeFileSync(old, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
    expect(await start(['-p', 'help'], { nodeArgs: ['-r', old] })).toMatchObject({ stderr: INSTALLING, code: 0 });
  });
});
