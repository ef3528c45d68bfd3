/**
 * Measured program: ten thousand turns in one process, a call and an answer in each prompt. The session itself
 * compresses the history whenever it fills half of a window of 64,000 tokens, as a real one would. Prints the peak
 * memory, and the live memory half way and at the end. Resident memory between the two is not meaningful: V8 doubles
 * its young generation, up to 128 MB, for any program that allocates garbage long enough.
 */

import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAgent, createGeminiGenerator, defineTool, ToolRegistry } from '@castor/core';

const WINDOW = 64_000;

const [, , url, turns] = process.argv;
const note = defineTool({
  name: 'note',
  displayName: 'Note',
  kind: 'think',
  description: 'Takes a note.',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  describe: ({ text }) => text,
  execute: async ({ text }) => ({ llmContent: `Noted: ${text}`, returnDisplay: 'Noted.' }),
});
const { session } = createAgent({
  generator: createGeminiGenerator({ apiKey: 'bench', baseUrl: url }),
  model: 'session',
  sessionId: randomUUID(),
  tempDirectory: tmpdir(),
  tools: new ToolRegistry([note]),
  limits: { tokenLimit: () => WINDOW },
});

const live = [];
const started = performance.now();
let compressions = 0;
for (let done = 0; done < Number(turns); done += 2) {
  for await (const event of session.prompt(`Step ${done}, please.`, new AbortController().signal)) {
    if (event.type === 'chat_compressed') compressions++;
    if (event.type === 'prompt_ended' && event.outcome !== 'completed') throw new Error(JSON.stringify(event));
  }
  if (done + 2 === Number(turns) / 2) live.push(liveMb());
}
live.push(liveMb());
if (compressions === 0) throw new Error('The session was never compressed.');
const peakMb = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ live, peakMb, compressions, msPerTurn: (performance.now() - started) / turns }));

function liveMb() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
