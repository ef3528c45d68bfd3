/** Claims and settles the tasks of one batch on a queue as fast as it can, with several claimers; prints both rates. */

import { openQueue } from '@castor/queue-bullmq';

const [url, count = '2000', claimers = '8'] = process.argv.slice(2);
const engine = await openQueue(url);
const task = (id) => ({
  ...{ id, prompt: `do ${id}`, place: { kind: 'folder', folder: '/' }, files: [], environment: [] },
  ...{ limits: {}, tries: 1, labels: [] },
});
const tasks = Array.from({ length: Number(count) }, (_, index) => task(`n${index}`));
const options = { flags: [], isInPlace: true, directory: '/' };
const id = `bench-${Date.now()}`;

const submitMs = await time(() => engine.submit({ id, title: id, tasks, options, limits: {}, priority: 0 }));
const claims = [];
const claimMs = await time(() => each(Number(claimers), takeAll));
const settleMs = await time(() => each(Number(claimers), settleAll));
await engine.remove(id);
await engine.close();
const rate = (ms) => (tasks.length / ms) * 1000;
process.stdout.write(JSON.stringify({ submit: rate(submitMs), claim: rate(claimMs), settle: rate(settleMs) }));

async function takeAll(number) {
  for (;;) {
    const found = await engine.claim({ id: `w${number}`, labels: [] }, id);
    if (found.kind !== 'claim') return;
    claims.push(found.claim);
  }
}

async function settleAll() {
  const spent = { cost: 0, tokens: 0 };
  for (let claim = claims.pop(); claim; claim = claims.pop()) {
    const result = { id: claim.task.id, status: 'success', cost_usd: 0, tokens: 0, tries: 1, ended_at: '' };
    await engine.settle(claim, { kind: 'result', result, spent });
  }
}

function each(many, work) {
  return Promise.all(Array.from({ length: many }, (_, number) => work(number)));
}

async function time(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
