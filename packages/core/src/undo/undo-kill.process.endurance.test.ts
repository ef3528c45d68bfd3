/** kill -9 of the program and its process at many points of the first reading, of a walk and of an undo (33). */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject } from 'vitest';
import { acquireLock } from '../records/session-lock.ts';
import { SessionRecorder } from '../records/session-recorder.ts';
import { systemClock } from '../util/clock.ts';
import { repairCutOff } from './repair-cut-off.ts';
import { UndoClient } from './undo-client.ts';
import { UndoDesk } from './undo-desk.ts';
import { readUndoRecords } from './read-undo-records.ts';
import { readSessionFile } from '../records/read-session-file.ts';
import { DEFAULT_LIMITS } from './walk-rules.ts';
import { treeOf } from './undo.fixture.ts';
import { variants } from '../../../../test/house/variants.ts';

const DRIVER = fileURLToPath(new URL('kill-driver.fixture.ts', import.meta.url));
const POINTS = 100;
/** Each point starts two processes. */
const TIMEOUT_MS = 1_800_000;
const PHASES = [
  ['baseline', 4],
  ['walk', 4],
  ['undo', 60],
] as const;

/** Runs the driver in a new workspace; without a point to its end. */
async function run(phase: string, point?: number): Promise<{ calls: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'castor-kill-'));
  const root = join(folder, 'work');
  mkdirSync(join(root, 'many'), { recursive: true });
  mkdirSync(join(root, 'gone'));
  for (let file = 0; file < 100; file++) writeFileSync(join(root, 'many', `f${file}`), `content ${file}\n`.repeat(50));
  writeFileSync(join(root, 'gone', 'file'), 'will go');
  writeFileSync(join(root, 'keep.txt'), 'mode', { mode: 0o644 });
  const before = treeOf(root);
  const args = ['--experimental-transform-types', '--no-warnings', DRIVER, folder, phase];
  const { signal, stderr } = spawnSync(process.execPath, [...args, ...(point === undefined ? [] : [String(point)])], {
    encoding: 'utf8',
  });
  expect([signal, stderr], `point ${point} of ${phase}`).toEqual([point === undefined ? null : 'SIGKILL', '']);
  await repairAndUndo(folder, root);
  expect(treeOf(root), `point ${point} of ${phase}`).toEqual(before);
  const ended = join(folder, 'ended');
  const calls = existsSync(ended) ? Number(readFileSync(ended, 'utf8')) : 0;
  rmSync(folder, { recursive: true, force: true });
  return { calls };
}

variants.each(PHASES)(
  'repairs after a kill at any point of: %s',
  async (phase, point) => {
    if (!inject('isEndurance')) {
      await run(phase, point);
      return;
    }
    const { calls } = await run(phase);
    expect(calls).toBeGreaterThanOrEqual(POINTS);
    for (let index = 0; index < POINTS; index++) await run(phase, 1 + Math.floor((index * calls) / POINTS));
  },
  TIMEOUT_MS,
);

async function repairAndUndo(folder: string, root: string): Promise<void> {
  const chats = join(folder, 'state', 'chats');
  const name = readdirSync(chats).find((each) => each.endsWith('.jsonl'));
  // Killed before anything was on record.
  if (name === undefined) return;
  const path = join(chats, name);
  const { sessionId = '' } = readUndoRecords(readSessionFile(path));
  const lock = acquireLock(path);
  if (!('release' in lock)) throw new Error('The lock of a killed program is stale.');
  const recorder = new SessionRecorder({ directory: dirname(path), sessionId, root, file: { path, lock } });
  const { client } = await UndoClient.open({
    ...{ root, sessionId, limits: DEFAULT_LIMITS, exclude: [] },
    store: join(folder, 'state', 'undo'),
    budget: { storeBytes: 1e9, shareOfFree: 1, freeBytes: 0 },
  });
  try {
    const record = (each: object) => recorder.workspace(each);
    const common = { root, path, clock: systemClock, record };
    await repairCutOff({ ...common, client, sessionId });
    const desk = new UndoDesk({ ...common, client: async () => client });
    const prompts = await desk.list();
    if (prompts.some(({ files }) => files > 0))
      expect(await desk.apply(await desk.preview({ last: 9 }))).toMatchObject({ isVerified: true, skipped: [] });
    // The store of a killed program serves the next one.
    expect(await client.ask({ do: 'walk' })).toMatchObject({ unkept: [] });
  } finally {
    await client.close();
    recorder.close();
  }
}
