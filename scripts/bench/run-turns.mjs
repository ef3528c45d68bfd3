/**
 * Measured program: sessions of 200 prompts with a plain answer each. After every turn a bare round trip sends the
 * same bytes over its own connection, so that the two differ only by the runtime's work and noise affects both.
 * Prints the times per session.
 */

import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { createAgent, createGeminiGenerator } from '@castor/core';
import { createBareClient } from './bare-http.mjs';

const TURNS = 200;
const [, , url, rounds] = process.argv;
const post = createBareClient(url);
const { signal } = new AbortController();

async function runSession() {
  const generator = createGeminiGenerator({ apiKey: 'bench', baseUrl: url });
  let sent;
  const { session } = createAgent({
    generator: {
      ...generator,
      generateContentStream(request, ...rest) {
        // The contents grow with the session: storing the number sent is enough.
        sent = { request, length: request.contents.length };
        return generator.generateContentStream(request, ...rest);
      },
    },
    model: 'plain',
    sessionId: randomUUID(),
    tempDirectory: tmpdir(),
    systemInstruction: 'You are a careful engineer. '.repeat(40),
  });
  const turns = [];
  const floors = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const started = performance.now();
    let outcome;
    for await (const event of session.prompt(`Question ${turn}, please.`, signal)) outcome = event.outcome;
    turns.push(performance.now() - started);
    if (outcome !== 'completed') throw new Error(`Turn ${turn} ended: ${outcome}.`);
    floors.push(await measureFloor(sent));
  }
  generator.close();
  return { turns, floors };
}

async function measureFloor({ request, length }) {
  const { systemInstruction } = request.config;
  const body = {
    contents: request.contents.slice(0, length),
    systemInstruction: { parts: [{ text: systemInstruction }] },
  };
  const bytes = Buffer.from(JSON.stringify(body));
  const started = performance.now();
  await post('plain', bytes);
  return performance.now() - started;
}

// The first session warms both up: a cold start would hide that the end has become slower.
await runSession();
const sessions = [];
for (let round = 0; round < Number(rounds); round++) sessions.push(await runSession());
process.stdout.write(JSON.stringify(sessions));
