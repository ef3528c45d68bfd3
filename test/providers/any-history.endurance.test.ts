/**
 * Any history: whatever a model says, thinks and calls, and whichever provider answers in between, the turns of a request
 * stand unchanged at the beginning of every later request to the same provider. Prompt caches and signatures need it.
 */

import { tmpdir } from 'node:os';
import { createAgent } from '@castor/core';
import {
  answer,
  call,
  createFakeClock,
  fakeModel,
  finish,
  Memory,
  say,
  seededRandom,
  text,
  thought,
} from '@castor/testkit';
import type { FakeModel, FramePiece, Step } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';
import type { ProtocolName } from '../../packages/core/src/provider/providers.ts';
import { conversationOf, openAt, PROTOCOLS, sceneTools, switchOf, withState } from './scene.fixture.ts';
import { sentIn } from './sent-request.fixture.ts';

const SEEDS = Array.from({ length: inject('isEndurance') ? 60 : 4 }, (_, index) => index + 1);
const PROMPTS = 6;
const WORDS = ['Grüße 🦫', 'a "b" \\c', '<think>', '{"a":1}', 'odd \ud83d', '\n\n', 'tail ', '\u2028'];

/** Texts, thoughts and calls in any order. */
function makeStep(protocol: ProtocolName, random: () => number, number: number): Step {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const pieces: FramePiece[] = [];
  for (let count = 1 + Math.floor(random() * 4); count > 0; count--) {
    const signature = `sig-${number}-${count}`;
    const kind = random();
    // Gemini signs its calls, not its thoughts.
    if (kind < 0.3 && protocol !== 'gemini') pieces.push(thought(`I think ${pick(WORDS)}`, { signature }));
    else if (kind < 0.4 && protocol === 'anthropic') pieces.push(thought('', { redacted: signature }));
    else if (kind < 0.7) pieces.push(text(`${number} ${pick(WORDS)}${pick(WORDS)}.`));
    else {
      const id = `call_${protocol}_${number}_${count}`;
      // A service that signs its turns sends legal names only; a small model does not.
      const unknown = protocol === 'chat' || protocol === 'ollama' ? 'fly away!' : 'fly_away';
      const name = pick(['read_file', 'list_files', 'look', unknown]);
      pieces.push(
        call(name, { path: `${pick(WORDS)} ${number}` }, { id, ...(protocol === 'gemini' && { signature }) }),
      );
    }
  }
  return answer(...pieces, text(`End ${number}.`), finish());
}

/** Answers calls until `most` of them, then with words. */
function scriptOf(protocol: ProtocolName, random: () => number): (request: { index: number }) => Step {
  return ({ index }) => (random() < 0.6 ? makeStep(protocol, random, index) : say(`Said ${index}.`));
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  it.each(SEEDS)('keeps the bytes of unchanged turns (seed %i)', async (seed) => {
    const random = seededRandom(seed * 31 + PROTOCOLS.indexOf(protocol));
    const other = PROTOCOLS.filter((name) => name !== protocol)[Math.floor(random() * 4)]!;
    const memory = new Memory();
    const models: Record<string, FakeModel> = {};
    const providers: Record<string, Awaited<ReturnType<typeof openAt>>> = {};
    for (const name of [protocol, other]) {
      const { server, access } = withState(name, {
        images: true,
        mediaInResponses: random() < 0.5,
        contextWindow: 1_000_000,
      });
      models[name] = await fakeModel(scriptOf(name, random), { ...server, memory });
      providers[`my-${name}`] = await openAt(name, models[name].url, { access });
    }
    try {
      const generator = switchOf(providers);
      for (const id of Object.keys(providers)) await generator.prepare(`${id}/m`);
      const agent = createAgent({
        generator,
        model: `my-${protocol}/m`,
        tempDirectory: tmpdir(),
        tools: sceneTools([]),
        features: { loopDetection: false, loopJudge: false },
        limits: { maxSessionTurns: 60 },
        clock: createFakeClock(),
      });
      for (let prompt = 0; prompt < PROMPTS; prompt++) {
        agent.setModel(`my-${random() < 0.7 ? protocol : other}/m`);
        for await (const _ of agent.session.prompt(
          `prompt ${prompt} ${'🦫'.repeat(prompt)}`,
          new AbortController().signal,
        ));
      }
      for (const [name, model] of Object.entries(models)) {
        expect(model.violations.map(({ messages }) => messages)).toEqual([]);
        const sent = conversationOf(model).map((request) => turnsOf(name as ProtocolName, request));
        for (const [index, turns] of sent.entries()) {
          const before = sent[index - 1] ?? '';
          expect(turns.startsWith(before), `request ${index} to ${name}`).toBe(true);
        }
      }
    } finally {
      for (const model of Object.values(models)) await model.close();
    }
  });
});

/** Marks of a prompt cache move with the conversation; everything else stays. */
function turnsOf(protocol: ProtocolName, request: Parameters<typeof sentIn>[1]): string {
  const json = JSON.stringify(sentIn(protocol, request).turns);
  return json.slice(0, -1).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
}
