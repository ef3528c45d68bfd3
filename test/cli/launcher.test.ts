import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '@castor/testkit';

const CLI = fileURLToPath(new URL('../../packages/cli', import.meta.url));
const LAUNCHER = join(CLI, 'bin', 'castor.cjs');
const { version } = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8')) as { version: string };

describe('the launcher', () => {
  let folder: string;

  // A copy with a bundle that only says it was loaded.
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'castor-launcher-'));
    cpSync(join(CLI, 'bin'), join(folder, 'bin'), { recursive: true });
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'castor', version: '1.2.3', type: 'module' }));
    writeFileSync(join(folder, 'dist', 'main.js'), 'process.stdout.write("bundle\\n");');
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

  it.each(['22.18.0', '23.0.0', '100.1.0'])('goes on with Node %s', (node) => {
    const result = launch(['-p', 'hi'], `Object.defineProperty(process.versions, 'node', { value: '${node}' });`);
    expect([result.stdout, result.status]).toEqual(['bundle\n', 0]);
  });

  it.each(['--version', '-v'])('answers %s without the bundle', (flag) => {
    expect(launch([flag]).stdout).toBe('1.2.3\n');
  });

  it('turns the compile cache on, unless told not to', () => {
    const cache = join(folder, 'cache');
    const report = "process.on('exit', () => console.log(require('module').getCompileCacheDir() !== undefined));";
    const env = { ...process.env, NODE_COMPILE_CACHE: '', TMPDIR: cache };
    writeFileSync(join(folder, 'report.cjs'), report);
    const run = (more: Record<string, string>) =>
      execFileSync(process.execPath, ['-r', join(folder, 'report.cjs'), join(folder, 'bin', 'castor.cjs'), '-h'], {
        encoding: 'utf8',
        env: { ...env, ...more },
      });
    expect(run({})).toBe('bundle\ntrue\n');
    expect(run({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('bundle\nfalse\n');
  });

  it('runs the built program', async () => {
    expect(await runCli(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', code: 0, signal: null });
    expect((await runCli(['-v', '-m', 'x'])).stdout).toBe(`${version}\n`);
    expect((await runCli(['--help'])).stdout).toContain('Usage: castor');
  });
});
