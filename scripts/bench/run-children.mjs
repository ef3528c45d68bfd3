/**
 * Measured program: sub-agents one after another, each with a conversation of its own in which it reads a large file.
 * Prints the live memory after the first ones, which load the code, and after all: a child that ended gives its memory back.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createGeminiGenerator, createWorkspaceAgent } from '@castor/core';

const WARM_UP = 10;

const [, , url, root, home, children] = process.argv;
const agent = await createWorkspaceAgent({
  generator: createGeminiGenerator({ apiKey: 'bench', baseUrl: url }),
  model: 'children',
  root,
  home,
  environment: { PATH: process.env.PATH },
  trustedFolder: true,
  interactive: false,
  features: { loopDetection: false, nextSpeakerCheck: false },
});

const live = [];
for (let done = 0; done < WARM_UP + Number(children); done += 1) {
  if (done === WARM_UP) live.push(liveMb());
  for await (const event of agent.session.prompt(`Task ${done}.`, new AbortController().signal)) {
    if (event.type === 'prompt_ended' && event.outcome !== 'completed') throw new Error(JSON.stringify(event));
  }
}
live.push(liveMb());
const { generalist } = agent.ledger.metrics().agents ?? {};
if (generalist?.succeeded !== WARM_UP + Number(children)) throw new Error(JSON.stringify(generalist));
await agent.dispose();
process.stdout.write(JSON.stringify({ live }));

function liveMb() {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
