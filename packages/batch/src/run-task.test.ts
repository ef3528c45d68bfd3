import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { DirectStarter } from './direct-starter.ts';
import type { Claim } from './engine.ts';
import { startTimeOf } from './process-identity.ts';
import { runTask } from './run-task.ts';
import type { TaskContext } from './run-task.ts';
import { TaskFiles } from './task-files.ts';

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

async function inFolder(test: (root: string, claim: Claim, context: TaskContext) => Promise<void>): Promise<void> {
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
    await test(root, claim, {
      ...{ starter: new DirectStarter(), program: [process.execPath, program] as const, environment: process.env },
      ...{ signal: new AbortController().signal, onProgress: () => undefined, onOverload: () => undefined },
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

it('counts the answer of a run that was interrupted behind it, and does not start over', () =>
  inFolder(async (_root, claim, context) => {
    const first = await runTask({ ...claim, isContinued: false }, context);
    // The clock is set back while it runs.
    vi.useFakeTimers({ toFake: ['Date'] });
    const setBack = () => void vi.setSystemTime(0);
    const second = await runTask({ ...claim, isContinued: true }, { ...context, onProgress: setBack }).finally(() =>
      vi.useRealTimers(),
    );
    expect(first.kind).toBe('return');
    expect(second).toMatchObject({ kind: 'result', result: { status: 'success', answer: 'done once' } });
    if (second.kind === 'result') expect(second.result.duration_ms).toBeGreaterThanOrEqual(0);
  }));

it('touches nothing while a process of the worker that died is still writing', () =>
  inFolder(async (_root, claim, context) => {
    const files = new TaskFiles(claim.options.directory, claim.task.id);
    files.make();
    const order: string[] = [];
    const left = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
    files.write(files.child, `${left.pid} ${startTimeOf(left.pid ?? 0)}\n`);
    const taken = runTask({ ...claim, isContinued: true }, { ...context, onProgress: ({ step }) => order.push(step) });
    order.push('the left one ends');
    left.stdin.end();
    expect((await taken).kind).toBe('return');
    expect(order.slice(0, 2)).toEqual(['the left one ends', 'preparing']);
  }));

it('gives the check what is left of the time of the task', () =>
  inFolder(async (root, claim, context) => {
    const program = join(root, 'answering.cjs');
    const told = [
      { type: 'init', session_id: 's', model: 'm' },
      { type: 'result', status: 'success' },
    ];
    writeFileSync(program, told.map((event) => `console.log('${JSON.stringify(event)}');`).join(''));
    const task = { ...claim.task, check: 'sleep 600', limits: { time: 0.001 } };
    const settled = await runTask({ ...claim, task }, { ...context, program: [process.execPath, program] });
    expect(settled).toMatchObject({
      ...{ kind: 'result' },
      result: {
        ...{ status: 'check_failed', check: { exit_code: null } },
        error: { message: 'The check had not ended when the time of the task, 0.001 s, was over.' },
      },
    });
  }));
