/**
 * Measured program: calls of tools that do nothing, through scheduler, policy, ledger and a record on disk that is
 * written before and after, without a sync. The floor of each is the tool alone. Commands differ, so that
 * no cached decision is measured.
 */

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { defineTool, ToolRegistry } from '@castor/core';
import { createCaller, openWorkspace } from './workspace.mjs';

const CALLS = 200;
const ALLOWED = ['git', 'npm', 'head', 'grep'];

const [, , root, home, rounds] = process.argv;
const agent = await openWorkspace({
  root,
  home,
  approvalMode: 'default',
  rules: { allowed: ALLOWED.map((prefix) => `run_shell_command(${prefix})`) },
});
const tools = new ToolRegistry([
  doNothing('read_file', 'read', 'file_path'),
  doNothing('run_shell_command', 'execute', 'command'),
]);
const file = await open(join(home, 'calls.jsonl'), 'a');
const write = (entry) => file.write(`${JSON.stringify(entry)}\n`);
const record = {
  started: async (request) => void (await write(request)),
  ended: ({ status, request, durationMs }) => void write({ status, callId: request.callId, durationMs }),
};
const call = createCaller({ ...agent, tools }, home, record);

const KINDS = {
  read: (index) => ['read_file', { file_path: `src/file-${index}.ts` }],
  shell: (index) => [
    'run_shell_command',
    {
      command: `git log --oneline -n ${index} -- "src/${index}" | grep -v fix | head -20 && npm test -- --shard=${index}`,
    },
  ],
};

function doNothing(name, kind, parameter) {
  return defineTool({
    name,
    displayName: name,
    kind,
    description: 'Does nothing.',
    schema: { type: 'object', properties: { [parameter]: { type: 'string' } }, required: [parameter] },
    describe: (params) => params[parameter],
    execute: async () => ({ llmContent: 'Done.', returnDisplay: 'Done.' }),
  });
}

async function callBare(name, args) {
  const context = { callId: 'bare', signal: new AbortController().signal, onOutput() {}, onPid() {} };
  await tools.getTool(name).build(args).execute(context);
}

async function measure(run) {
  const times = [];
  for (let index = 0; index < CALLS; index++) {
    const started = performance.now();
    await run(index);
    times.push(performance.now() - started);
  }
  return times;
}

const samples = [];
for (let round = 0; round <= Number(rounds); round++) {
  const sample = {};
  for (const [kind, toCall] of Object.entries(KINDS)) {
    const numbered = (index) => toCall(round * CALLS + index);
    sample[kind] = {
      ours: await measure((index) => call(...numbered(index))),
      floor: await measure((index) => callBare(...numbered(index))),
    };
  }
  // The first round warms up.
  if (round > 0) samples.push(sample);
}
await file.close();
await agent.dispose();
process.stdout.write(JSON.stringify(samples));
