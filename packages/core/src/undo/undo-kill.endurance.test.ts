/** kill -9 of the program and its process at many points of the first reading, of a walk and of an undo (33). */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, inject, it } from 'vitest';
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

const DRIVER = fileURLToPath(new URL('kill-driver.fixture.ts', import.meta.url));
const POINTS = inject('isEndurance') ? 100 : 1;
/** The time that the work after the mark takes, about. */
const SPAN_MS = 60;

/** Kills the driver and its process this long after it began the work. */
async function killed(folder: string, phase: string, delayMs: number): Promise<void> {
  const child = spawn(process.execPath, ['--experimental-transform-types', '--no-warnings', DRIVER, folder, phase], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  for await (const piece of child.stdout) if (String(piece).includes('reached')) break;
  await pause(delayMs);
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
}

it.each(['baseline', 'walk', 'undo'])(`repairs after a kill at ${POINTS} points of: %s`, async (phase) => {
  for (let point = 0; point < POINTS; point++) {
    const folder = mkdtempSync(join(tmpdir(), 'castor-kill-'));
    const root = join(folder, 'work');
    mkdirSync(join(root, 'many'), { recursive: true });
    mkdirSync(join(root, 'gone'));
    for (let file = 0; file < 40; file++) writeFileSync(join(root, 'many', `f${file}`), `content ${file}\n`.repeat(50));
    writeFileSync(join(root, 'gone', 'file'), 'will go');
    writeFileSync(join(root, 'keep.txt'), 'mode', { mode: 0o644 });
    const before = treeOf(root);
    await killed(folder, phase, ((point + 0.5) * SPAN_MS) / POINTS);
    await repairAndUndo(folder, root);
    expect(treeOf(root), `point ${point} of ${phase}`).toEqual(before);
    rmSync(folder, { recursive: true, force: true });
  }
});

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
