/**
 * Measured program: answers read through the adapter of one protocol, without an agent. A first hello loads what every
 * answer needs. Prints the CPU of one more hello, as the mean of many, and of a long answer.
 */

import { createEndpoint, openProvider } from '@castor/core/program';

const HELLOS = 200;
const BASES = { gemini: '/v1beta', chat: '/v1', responses: '/v1', anthropic: '', ollama: '' };
const HEADERS = { gemini: 'x-goog-api-key', anthropic: 'x-api-key' };

const [, , protocol, url] = process.argv;
const { generator } = await openProvider({
  id: 'bench',
  name: 'Bench',
  protocol,
  endpoint: createEndpoint({
    baseUrl: url + BASES[protocol],
    key: { value: 'bench-key', header: HEADERS[protocol] ?? 'authorization' },
  }),
});

async function ask(model) {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  let text = '';
  let end;
  for await (const { candidates } of await generator.generateContentStream({ model, contents }, 'bench', 'main')) {
    for (const part of candidates[0].content?.parts ?? []) text += part.text ?? '';
    end = candidates[0].finishReason ?? end;
  }
  if (end !== 'STOP') throw new Error(`${protocol} ended with ${end}.`);
  return text.length;
}

async function measure(run) {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

await ask('short');
// The long answer first: its code is then as cold as in a program that was started for it.
let length;
const long = await measure(async () => (length = await ask('long')));
const hellos = await measure(async () => {
  for (let count = 0; count < HELLOS; count++) await ask('short');
});
generator.close();
process.stdout.write(JSON.stringify({ long, hello: hellos / HELLOS, length }));
