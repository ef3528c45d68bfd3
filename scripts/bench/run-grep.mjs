/**
 * Measured program: grep_search through the scheduler, and plain ripgrep with the same pattern in the same tree,
 * alternating. Few lines match, so that neither stops early.
 */

import { spawn } from 'node:child_process';
import { createCaller, openWorkspace } from './workspace.mjs';

const [, , root, home, rgPath, pattern, rounds] = process.argv;
const agent = await openWorkspace({ root, home });
const call = createCaller(agent, home);

async function search() {
  const started = performance.now();
  const { response } = await call('grep_search', { pattern });
  return { ms: performance.now() - started, text: JSON.stringify(response.responseParts) };
}

function plain() {
  const started = performance.now();
  const child = spawn(rgPath, ['--ignore-case', '--line-number', pattern, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve({ ms: performance.now() - started, text }));
  });
}

const count = ({ text }) => text.split(pattern).length - 1;
const ours = [];
const floor = [];
for (let round = 0; round <= Number(rounds); round++) {
  const found = await search();
  const expected = await plain();
  if (count(expected) === 0 || count(found) < count(expected)) throw new Error('The searches found different lines.');
  // The first round fills the disk caches.
  if (round > 0) {
    ours.push(found.ms);
    floor.push(expected.ms);
  }
}
await agent.dispose();
process.stdout.write(JSON.stringify({ ours, floor }));
