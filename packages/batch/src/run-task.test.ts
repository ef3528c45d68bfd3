import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DirectStarter } from './direct-starter.ts';
import type { Claim } from './engine.ts';
import { runTask } from './run-task.ts';

/** Answers and is interrupted before its end; when it is resumed, nothing is left to do. */
const PROGRAM = `
if (process.argv.includes('--resume')) {
  tell({ type: 'result', status: 'error', error: { type: 'FatalInputError', message: 'the session has no interrupted prompt; pass a new one with -p.', code: 42 } });
  process.exitCode = 42;
} else {
  tell({ type: 'init', session_id: 's', model: 'm' });
  tell({ type: 'message', role: 'assistant', content: 'done once' });
  process.exitCode = 130;
}
function tell(event) { process.stdout.write(JSON.stringify(event) + '\\n'); }
`;

it('counts the answer of a run that was interrupted behind it, and does not start over', async () => {
  const root = mkdtempSync(join(tmpdir(), 'castor-run-task-'));
  try {
    const program = join(root, 'program.cjs');
    writeFileSync(program, PROGRAM);
    const place = { kind: 'folder', folder: root };
    const task = { id: 't', prompt: 'p', place, limits: {}, files: [], environment: [], tries: 1, labels: [] };
    const claim = {
      ...{ batch: 'b', task, number: 1, failedTries: 0, interruptions: 0, reserved: {} },
      options: { flags: [], isInPlace: true, directory: join(root, 'batch') },
    } as unknown as Claim;
    const context = {
      ...{ starter: new DirectStarter(), program: [process.execPath, program] as const, environment: process.env },
      ...{ signal: new AbortController().signal, onProgress: () => undefined, onOverload: () => undefined },
    };
    const first = await runTask({ ...claim, isContinued: false }, context);
    const second = await runTask({ ...claim, isContinued: true }, context);
    expect(first.kind).toBe('return');
    expect(second).toMatchObject({ kind: 'result', result: { status: 'success', answer: 'done once' } });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
