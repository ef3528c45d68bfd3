/**
 * A program that kills itself before the nth time it opens or changes a file while it reads a workspace, looks after a call, or
 * undoes one: see undo-kill.process.endurance.test.ts. Program and process are one here, so that every point can be reached.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { systemClock } from '../util/clock.ts';
import { toRecords } from './walk-records.ts';
import type { UndoClient } from './undo-client.ts';
import { UndoDesk } from './undo-desk.ts';
import { UndoTrial } from './undo.fixture.ts';
import { UndoWorker } from './undo-worker.ts';
import { DEFAULT_LIMITS } from './walk-rules.ts';

const [folder = '', phase = '', point = ''] = process.argv.slice(2);

/** Calls that open a file or change a disk. */
const CALLS = [
  ...['openSync', 'writeSync', 'writeFileSync', 'appendFileSync', 'ftruncateSync', 'fdatasyncSync', 'renameSync'],
  ...['rename', 'rmSync', 'unlinkSync', 'mkdirSync', 'rmdirSync', 'symlinkSync', 'linkSync', 'chmodSync', 'fchmodSync'],
  ...['copyFileSync', 'fchownSync'],
] as const;

let left = Number.POSITIVE_INFINITY;
let count = 0;

/** From here on, the nth of them does not happen any more. */
function arm(): void {
  count = 0;
  left = point === '' ? Number.POSITIVE_INFINITY : Number(point);
}

for (const name of CALLS) {
  const original = fs[name] as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      if (++count === left) process.kill(process.pid, 'SIGKILL');
      return original(...args);
    },
  });
}
syncBuiltinESMExports();

const trial = new UndoTrial({ folder });
const { root, store, sessionId, recorder } = trial;
const worker = new UndoWorker(
  {
    ...{ do: 'open', root, store, sessionId, limits: DEFAULT_LIMITS, exclude: [] },
    budget: { storeBytes: 1e9, shareOfFree: 1, freeBytes: 0 },
  },
  () => undefined,
);
const client = { ask: async (request: never) => worker.answer(request) } as unknown as UndoClient;
const record = (each: object) => recorder.workspace(each);

function change(): void {
  trial.sh(
    'for f in many/*; do echo changed >> $f; done; rm -rf gone; mkdir -p made/deep; echo x > made/deep/x; chmod 600 keep.txt; ln -s keep.txt link',
  );
}

async function call(look: () => void): Promise<void> {
  record({ $callStarted: { callId: 'c1', name: 'run_shell_command', hasEffects: true, description: 'change all' } });
  record({ $walkStarted: { callId: 'c1', isCovered: true, at: Date.now() } });
  recorder.flush();
  change();
  look();
  const seen = await client.ask({ do: 'walk', calls: { from: 0, to: Date.now() } });
  for (const each of toRecords(seen, ['c1'], systemClock, { isNeeded: true })) record(each);
  await client.ask({ do: 'noted' });
}

trial.prompt();
recorder.flush();
if (phase === 'baseline') arm();
await client.ask({ do: 'walk' });
await client.ask({ do: 'noted' });
if (phase === 'walk') await call(arm);
if (phase === 'undo') {
  await call(() => undefined);
  const desk = new UndoDesk({ root, path: recorder.path, clock: systemClock, record, client: async () => client });
  const preview = await desk.preview({ last: 1 });
  arm();
  await desk.apply(preview);
}
recorder.close();
fs.appendFileSync(join(folder, 'ended'), String(count));
