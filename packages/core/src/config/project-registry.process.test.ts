import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmdirSync, utimesSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createFakeClock } from '@castor/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../util/sha256.ts';
import { findProjectDirectories, findProjectDirectory, resolveProjectDirectory } from './project-registry.ts';

describe('the registry of projects', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'castor-registry-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  const path = (...names: string[]) => join(home, '.gemini', ...names);
  const resolve = (root: string) => resolveProjectDirectory({ home, root, clock: createFakeClock() });
  const registry = async () => JSON.parse(await readFile(path('projects.json'), 'utf8')) as object;

  it('gives every root a folder by its name, with a number where the name is taken', async () => {
    const roots = ['/a/My App!', '/b/my-app', '/c/My.App', '/d/…', '/usr/bin'];
    const names = ['my-app', 'my-app-1', 'my-app-2', 'project', 'bin-1'];
    const folders: string[] = [];
    for (const root of roots) folders.push(await resolve(root));
    expect(folders).toEqual(names.map((name) => path('tmp', name)));
    expect(await registry()).toEqual({
      projects: Object.fromEntries(roots.map((root, index) => [root, names[index]])),
    });
    expect(await readFile(path('tmp', 'my-app-1', '.project_root'), 'utf8')).toBe('/b/my-app');
    expect((await stat(path('tmp', 'my-app'))).mode & 0o777).toBe(0o700);
    expect([findProjectDirectory(home, '/b/my-app'), await resolve('/b/my-app')]).toEqual([folders[1], folders[1]]);
    expect((await readdir(path())).toSorted()).toEqual(['projects.json', 'tmp']);
  });

  it('takes the folder Gemini CLI has given, and looks into those of older versions too', async () => {
    await mkdir(path(), { recursive: true });
    await writeFile(path('projects.json'), JSON.stringify({ projects: { '/a/x': 'short', '/b/y': '../../outside' } }));
    expect(await resolve('/a/x')).toBe(path('tmp', 'short'));
    expect(findProjectDirectories(home, '/a/x').slice(0, 2)).toEqual([
      path('tmp', 'short'),
      path('tmp', sha256('/a/x')),
    ]);
    expect(await resolve('/b/y')).toBe(path('tmp', 'y'));
  });

  it('has no line for the folder of a task, whose sessions are found all the same', async () => {
    await resolve('/a/x');
    const tasks = ['/s/castor/batch/b1/work/t1', '/s/castor/batch/b2/work/t1', '/s/castor/worker/b1/work/t1/inner'];
    const folders = await Promise.all(tasks.map(resolve));
    expect(new Set(folders).size).toBe(tasks.length);
    expect(await Promise.all(tasks.map(resolve))).toEqual(folders);
    for (const [index, task] of tasks.entries()) {
      expect(findProjectDirectories(home, task)).toContain(folders[index]);
      expect(await readFile(join(folders[index] ?? '', '.project_root'), 'utf8')).toBe(task);
    }
    expect(await registry()).toEqual({ projects: { '/a/x': 'x' } });
  });

  it('believes the marker in the folder over a registry that is lost or broken, and keeps the broken one', async () => {
    await resolve('/a/app');
    await writeFile(path('projects.json'), '{"projects": {');
    expect(await resolve('/b/app')).toBe(path('tmp', 'app-1'));
    expect(await resolve('/a/app')).toBe(path('tmp', 'app'));
    expect(await registry()).toEqual({ projects: { '/b/app': 'app-1', '/a/app': 'app' } });
    expect(await readFile(path('projects.json.broken'), 'utf8')).toBe('{"projects": {');
  });

  it('leaves nothing half-written behind when the registry cannot be put in its place', async () => {
    await mkdir(path('projects.json.broken', 'full'), { recursive: true });
    await writeFile(path('projects.json'), '{"projects": {');
    await resolve('/a/app');
    expect((await readdir(path())).toSorted()).toEqual(['projects.json', 'projects.json.broken', 'tmp']);
  });

  it('waits for a lock that is held, and takes one whose holder has ended', async () => {
    await mkdir(path('projects.json.lock'), { recursive: true });
    await utimes(path('projects.json.lock'), 1, 1);
    expect(await resolve('/a/app')).toBe(path('tmp', 'app'));

    await mkdir(path('projects.json.lock'));
    let sleeps = 0;
    const clock = createFakeClock({
      onSleep: () => void (++sleeps === 3 && rmdirSync(path('projects.json.lock'))),
    });
    expect(await resolveProjectDirectory({ home, root: '/b/app', clock })).toBe(path('tmp', 'app-1'));
    expect(sleeps).toBeGreaterThanOrEqual(3);
  });

  it('takes over within a second a lock that was just left and is not refreshed', async () => {
    await mkdir(path('projects.json.lock'), { recursive: true });
    const clock = createFakeClock();
    expect(await resolveProjectDirectory({ home, root: '/a/app', clock })).toBe(path('tmp', 'app'));
    expect(clock.sleeps.reduce((sum, each) => sum + each, 0)).toBeLessThan(1_000);
    expect((await readdir(path())).toSorted()).toEqual(['projects.json', 'tmp']);
  });

  it('does not touch a lock that its holder refreshes, and has a folder all the same', async () => {
    const lock = path('projects.json.lock');
    await mkdir(lock, { recursive: true });
    let time = Date.now() / 1_000;
    const clock = createFakeClock({ onSleep: () => utimesSync(lock, (time += 0.1), time) });
    expect(await resolveProjectDirectory({ home, root: '/a/app', clock })).toMatch(/app-[0-9a-f]{8}$/);
    expect(await readdir(path())).toContain('projects.json.lock');
  });

  it('survives a process that was killed in the middle of a take-over', async () => {
    await mkdir(path('projects.json.lock.takeover'), { recursive: true });
    await mkdir(path('projects.json.lock'));
    await utimes(path('projects.json.lock.takeover'), 1, 1);
    expect(await resolve('/a/app')).toBe(path('tmp', 'app'));
    expect((await readdir(path())).toSorted()).toEqual(['projects.json', 'tmp']);
  });

  it('lets one of two processes take over, each time: both names are kept', { tags: 'wide' }, async () => {
    const rounds = 4;
    const homes = Array.from({ length: 12 }, (_, index) => join(home, `${index}`));
    const script = `
      const { resolveProjectDirectory } = await import(process.argv[1]);
      const [name, ...homes] = process.argv.slice(2);
      process.stdout.write('ready\\n');
      let round = 0;
      for await (const _ of process.stdin) {
        const root = '/' + name + round++ + '/app';
        const found = await Promise.all(homes.map((home) => resolveProjectDirectory({ home, root })));
        process.stdout.write(JSON.stringify(found) + '\\n');
      }
    `;
    const module = new URL('./project-registry.ts', import.meta.url).href;
    const children = ['one', 'two'].map((name) => {
      const args = ['--input-type=module', '-e', script, module, name, ...homes];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return { child, next: async () => String((await lines.next()).value) };
    });
    await Promise.all(children.map(({ next }) => next()));
    for (let round = 0; round < rounds; round++) {
      for (const each of homes) mkdirSync(join(each, '.gemini', 'projects.json.lock'), { recursive: true });
      for (const { child } of children) child.stdin.write('go\n');
      const [one, two] = (await Promise.all(children.map(({ next }) => next()))).map(
        (line) => JSON.parse(line) as string[],
      );
      homes.forEach((each, index) => expect(one![index], each).not.toBe(two![index]));
    }
    for (const { child } of children) child.stdin.end();
    for (const each of homes) {
      const { projects } = JSON.parse(await readFile(join(each, '.gemini', 'projects.json'), 'utf8')) as {
        projects: Record<string, string>;
      };
      expect(new Set(Object.values(projects)).size, each).toBe(2 * rounds);
      expect((await readdir(join(each, '.gemini'))).toSorted()).toEqual(['projects.json', 'tmp']);
    }
  });

  it('has a folder without a registry where nothing can be written', async () => {
    await writeFile(path(), 'in the way');
    expect(await resolve('/a/app')).toMatch(/app-[0-9a-f]{8}$/);
  });

  it('gives one folder to each of many processes at once', async () => {
    const script = `
      const { resolveProjectDirectory } = await import(process.argv[1]);
      const [home, ...roots] = process.argv.slice(2);
      const found = await Promise.all(roots.map((root) => resolveProjectDirectory({ home, root })));
      process.stdout.write(found.join('\\n'));
    `;
    const module = new URL('./project-registry.ts', import.meta.url).href;
    const run = async (index: number) => {
      const args = ['--input-type=module', '-e', script, module, home, '/same/app', `/other${index}/app`];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
      return chunk.toString().split('\n');
    };
    const found = await Promise.all(Array.from({ length: 6 }, (_, index) => run(index)));
    expect(new Set(found.map(([same]) => same)).size).toBe(1);
    expect(new Set(found.flat()).size).toBe(7);
    expect(Object.keys(((await registry()) as { projects: object }).projects).length).toBe(7);
  });
});
