import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createWorkspace } from '@castor/testkit';
import type { Workspace } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';
import { carryOut, createStage, repairExtensions } from './change-journal.ts';
import { loadExtensions, recordOf } from './load-extensions.ts';
import { openManager } from './manager.fixture.ts';
import { createFakeClock } from '@castor/testkit';

const { signal } = new AbortController();
const CHILD = fileURLToPath(new URL('./killed-change.fixture.ts', import.meta.url));
/** The numbers of changes on disk after which the process is killed. */
const POINTS = inject('isEndurance') ? Array.from({ length: 60 }, (_, index) => index + 1) : [2, 7, 14];

function filesOf(version: string): Record<string, string> {
  const many = Array.from({ length: 12 }, (_, index) => [`skills/s${index}/SKILL.md`, `text of ${version}`]);
  return { 'gemini-extension.json': JSON.stringify({ name: 'cloud', version }), ...Object.fromEntries(many) };
}

/** Whether the process was killed before it had finished. */
async function killAfter(point: number, { home, project }: Workspace, source: string, what: string): Promise<boolean> {
  const child = spawn(process.execPath, ['--no-warnings', CHILD, home, project, source, what], { stdio: 'ignore' });
  let seen = 0;
  const watcher = watch(home, { recursive: true }, () => {
    seen += 1;
    if (seen === point) child.kill('SIGKILL');
  });
  const [, ending] = (await once(child, 'exit')) as [number | null, string | null];
  watcher.close();
  return ending === 'SIGKILL';
}

/** The versions of the installed files, once the next start has looked at them; undefined where none is installed. */
function versionsIn({ home, project: cwd }: Workspace): { versions: string[]; consent: string } | undefined {
  repairExtensions(home);
  const [extension] = loadExtensions({ home, cwd }).extensions;
  const staging = join(home, '.gemini/castor-extension-staging');
  expect(existsSync(staging) ? readdirSync(staging) : []).toEqual([]);
  if (!extension) {
    expect(existsSync(join(home, '.gemini/extensions/cloud'))).toBe(false);
    return undefined;
  }
  const { directory, manifest, consent } = extension;
  const texts = readdirSync(join(directory, 'skills')).map((name) =>
    readFileSync(join(directory, 'skills', name, 'SKILL.md'), 'utf8'),
  );
  expect(texts).toHaveLength(12);
  return { versions: [...new Set([`text of ${manifest.version}`, ...texts])], consent };
}

describe('a process killed with SIGKILL', () => {
  it('during an installation leaves nothing, or the extension whole', { tags: 'wide', timeout: 300_000 }, async () => {
    await using source = await createWorkspace({ files: filesOf('1') });
    let kills = 0;
    for (const point of POINTS) {
      await using home = await createWorkspace({ homeFiles: { '.gemini/settings.json': '{}' } });
      kills += (await killAfter(point, home, source.project, 'install')) ? 1 : 0;
      const found = versionsIn(home);
      if (found) expect(found).toEqual({ versions: ['text of 1'], consent: 'known' });
    }
    expect(kills).toBeGreaterThan(0);
  });

  it(
    'during an update leaves the old version or the new one, never half',
    { tags: 'wide', timeout: 300_000 },
    async () => {
      await using source = await createWorkspace({ files: filesOf('1') });
      await using home = await createWorkspace();
      await openManager(home).manager.install({ source: source.project }, signal);
      for (const [index, point] of POINTS.entries()) {
        const [before, after] = [index + 1, index + 2].map(String) as [string, string];
        for (const [path, text] of Object.entries(filesOf(after))) await source.write(path, text);
        await killAfter(point, home, source.project, 'update');
        const found = versionsIn(home);
        expect(found?.consent).toBe('known');
        expect([[`text of ${before}`], [`text of ${after}`]]).toContainEqual(found?.versions);
        // The next round begins with the new version.
        const { manager, extension } = openManager(home);
        await manager.update(extension()!, signal);
        expect(versionsIn(home)).toEqual({ versions: [`text of ${after}`], consent: 'known' });
      }
    },
  );
});

describe('a change that was cut between two steps', () => {
  /** An installed version 1 and a journal for version 2, as a killed process leaves them. */
  async function cut(home: Workspace, step: (paths: { folder: string; staged: string; aside: string }) => void) {
    await using source = await createWorkspace({ files: filesOf('1') });
    await openManager(home).manager.install({ source: source.project }, signal);
    const folder = join(home.home, '.gemini/extensions/cloud');
    const stage = createStage(home.home);
    const staged = join(stage, 'tree');
    cpSync(folder, staged, { recursive: true });
    for (const [path, text] of Object.entries(filesOf('2'))) writeFileSync(join(staged, path), text);
    const record = recordOf(staged, { isLinked: false, version: '2', commit: undefined });
    const staging = join(home.home, '.gemini/castor-extension-staging');
    writeFileSync(
      join(staging, 'journal.json'),
      JSON.stringify({ name: 'cloud', staged, folder, oldName: 'cloud', record }),
    );
    // The id of a process that has ended.
    symlinkSync('4194399', join(staging, 'lock'));
    step({ folder, staged, aside: join(staging, 'replaced') });
    rmSync(join(staging, 'lock'), { force: true });
    renameSync(stage, join(staging, '4194399-0'));
    const moved = join(staging, '4194399-0', 'tree');
    writeFileSync(
      join(staging, 'journal.json'),
      JSON.stringify({ name: 'cloud', staged: moved, folder, oldName: 'cloud', record }),
    );
    symlinkSync('4194399', join(staging, 'lock'));
  }

  it.each<[string, (paths: { folder: string; staged: string; aside: string }) => void]>([
    ['before the first rename', () => undefined],
    ['between the renames', ({ folder, aside }) => renameSync(folder, aside)],
    [
      'after the renames',
      ({ folder, aside, staged }) => {
        renameSync(folder, aside);
        renameSync(staged, folder);
      },
    ],
  ])('is finished by the next start: %s', async (_, step) => {
    await using home = await createWorkspace();
    await cut(home, step);
    expect(versionsIn(home)).toEqual({ versions: ['text of 2'], consent: 'known' });
  });

  it('gives the old version back where the new one cannot be moved in', async () => {
    await using home = await createWorkspace();
    await using source = await createWorkspace({ files: filesOf('1') });
    const { manager, extension } = openManager(home);
    await manager.install({ source: source.project }, signal);
    await home.write('../home/.gemini/extensions/other/file', 'in the way');
    const stage = createStage(home.home);
    const { folder, record } = extension()!;
    const change = { name: 'other', staged: stage, folder, oldName: 'cloud', record };
    await expect(carryOut(change, home.home, createFakeClock())).rejects.toThrow(/failed: .*Nothing was changed\./);
    rmSync(join(home.home, '.gemini/extensions/other'), { recursive: true });
    rmSync(stage, { recursive: true });
    expect(versionsIn(home)).toEqual({ versions: ['text of 1'], consent: 'known' });
  });
});
