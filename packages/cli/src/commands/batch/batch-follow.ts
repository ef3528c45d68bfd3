/** Follows a batch that workers of a queue run: shows results as they come until the last one. The batch does not need this program. */

import type { TaskResult } from '@castor/batch';
import { toJson } from '../../to-json.ts';
import { ResultApplier } from './batch-apply.ts';
import { statusOf } from './batch-context.ts';
import type { BatchContext } from './batch-context.ts';
import type { WorkEnd } from './batch-end.ts';
import { openView } from './batch-live.ts';
import type { BatchWords } from './batch-words.ts';

const LOOK_MS = 1_000;
/** Until then the first worker may just be starting. */
const QUIET_LOOKS = 5;

export async function followBatch(id: string, words: BatchWords, context: BatchContext): Promise<WorkEnd> {
  const { engine, output, interruption } = context;
  const { signal } = interruption;
  const results: TaskResult[] = await engine.results(id, 0);
  const applier = new ResultApplier(words.apply, id, context);
  let status = await statusOf(id, context);
  const view = openView({ output, id, atOnce: Math.max(1, status.running), isQuiet: words.format !== 'text' });
  await view.begin(status, results);
  for (let idle = 0; status.waiting + status.running > 0 && !signal.aborted;) {
    await pause(signal);
    const fresh = await engine.results(id, results.length);
    status = await statusOf(id, context);
    for (const result of fresh) {
      results.push(result);
      const applied = await applier.apply(result);
      if (words.format === 'jsonl') await output.answer(`${toJson(applied)}\n`);
      await view.show({ type: 'ended', batch: id, result }, status);
    }
    view.update(status);
    idle = status.running === 0 && fresh.length === 0 ? idle + 1 : 0;
    if (idle === QUIET_LOOKS) view.say('No worker runs a task. To start one: castor worker --queue …');
  }
  view.end();
  if (signal.aborted)
    output.note(`castor: ${id} goes on without this program. castor batch watch ${id} follows it, cancel ends it.`);
  return { status, results, isStopped: signal.aborted };
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LOOK_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
