/** Measured program: a prompt whose answer is eight calls of `sleep 1`. Prints the time of the whole prompt. */

import { openWorkspace } from './workspace.mjs';

const [, , url, root, home] = process.argv;
const agent = await openWorkspace({ root, home, url, model: 'sleeps' });
const started = performance.now();
let answered = 0;
for await (const event of agent.session.prompt('Sleep.', new AbortController().signal)) {
  if (event.type === 'tool_call_response') answered += event.value.error ? 0 : 1;
}
const wallMs = performance.now() - started;
if (answered !== 8) throw new Error(`${answered} of 8 calls succeeded.`);
await agent.dispose();
process.stdout.write(JSON.stringify({ wallMs }));
