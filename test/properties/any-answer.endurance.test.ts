/**
 * Whatever the model sends, the session keeps its promises. Seeds decide what comes:
 * odd frames, calls, faults, aborts, people who say yes or no. A seed that fails can be
 * run again alone.
 */

import { tmpdir } from 'node:os';
import {
  ToolRegistry,
  createAgent,
  createGeminiGenerator,
  createTranscript,
  defineTool,
  getPendingItems,
  reduce,
} from '@castor/core';
import type { Agent, AgentEvent, FinishReason } from '@castor/core';
import {
  TRANSIENT_FAULTS,
  answer,
  bytes,
  call,
  citation,
  createFakeClock,
  fakeModel,
  fault,
  finish,
  raw,
  say,
  seededRandom,
  text,
  thought,
  together,
  usage,
} from '@castor/testkit';
import type { FramePiece, Piece, Step } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';

const SEEDS = Array.from({ length: inject('isEndurance') ? 300 : 8 }, (_, index) => index + 1);
const PROMPTS = 4;
/** From here on the model behaves, so that every prompt comes to an end. */
const WILD_REQUESTS = 30;

const note = defineTool({
  name: 'note',
  displayName: 'Note',
  kind: 'edit',
  description: 'Writes something down, and fails with every third.',
  schema: { type: 'object', properties: { n: {} } },
  describe: () => 'Note',
  confirm: async () => ({ type: 'info', title: 'Write?', prompt: 'Write?' }),
  execute: async ({ n = 0 }) => {
    if (Number(n) % 3 === 0) throw new Error('no');
    return { llmContent: `written ${String(n)}`, returnDisplay: 'written' };
  },
});

const odd = (...parts: unknown[]): FramePiece => raw({ candidates: [{ content: { role: 'model', parts } }] });
const BAD_REASONS: FinishReason[] = ['SAFETY', 'MAX_TOKENS', 'MALFORMED_FUNCTION_CALL', 'OTHER', 'RECITATION'];

/** A model and a person, both with a mind of their own. */
class Wild {
  readonly random: () => number;
  private count = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<T>(...list: T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  step(): Step {
    const pieces = Array.from({ length: 1 + Math.floor(this.random() * 5) }, () => this.piece());
    return this.pick<Step>(
      say(`done ${this.count++}`),
      answer(...pieces),
      answer(...pieces),
      answer(...pieces),
      answer(...pieces, finish(this.pick(...BAD_REASONS))),
      fault('reset_mid_stream', { after: pieces }),
      fault('malformed_call'),
      fault(400),
      ...TRANSIENT_FAULTS,
    );
  }

  private piece(): Piece {
    const n = this.count++;
    return this.pick<Piece>(
      text(`word ${n} `),
      thought('**Why** not'),
      call('note', { n }, { id: this.pick('x', 'y', `id-${n}`) }),
      call('note', { n }),
      call('no such tool', { n }),
      together(call('note', { n }), call('note', { n, again: true })),
      citation('https://a'),
      usage({ promptTokenCount: n }),
      bytes(': ping\n\n'),
      raw({ candidates: [] }),
      odd(null, { text: '' }, { text: 5 }, { functionCall: { name: '', args: 5 } }),
      odd({ functionResponse: { name: 'note' } }),
      odd({ text: '   ' }),
    );
  }
}

function respond(event: AgentEvent, { session }: Agent, wild: Wild, signal: AbortSignal): void {
  // A question of a prompt that was cancelled meanwhile has no asker any more.
  if (signal.aborted) return;
  if (event.type === 'tool_call_confirmation') {
    session.respond(event.value.request.callId, wild.pick('proceed_once', 'cancel'));
  }
  if (event.type === 'fallback_requested') {
    session.answerFallback(event.requestId, wild.pick('retry_always', 'retry_once', 'retry_later', 'stop'));
  }
  if (event.type === 'content' && wild.chance(0.05)) session.steer('and hurry');
}

const idsOf = (events: readonly AgentEvent[], wanted: string) =>
  events
    .flatMap((event) => ('value' in event && event.type === wanted ? [(event.value as { callId: string }).callId] : []))
    .toSorted();

describe('a session with a wild model', () => {
  it.each(SEEDS)('keeps its promises (seed %i)', async (seed) => {
    const wild = new Wild(seed);
    await using model = await fakeModel(({ index }) => (index < WILD_REQUESTS ? wild.step() : say(`end ${index}`)));
    const agent = createAgent({
      generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
      model: wild.pick('gemini-2.5-flash', 'gemini-2.5-pro', 'gemini-3-pro-preview', 'auto'),
      sessionId: 's',
      tempDirectory: tmpdir(),
      clock: createFakeClock({ seed }),
      tools: new ToolRegistry([note]),
      interactive: true,
      features: { continueOnFailedApiCall: wild.chance(0.5) },
      policy: {
        check: async () => ({ decision: wild.pick('allow', 'ask_user', 'deny') }),
        remember: async () => undefined,
      },
    });
    let transcript = createTranscript();
    for (let count = 0; count < PROMPTS; count++) {
      const controller = new AbortController();
      const abortAt = wild.chance(0.3) ? Math.floor(wild.random() * 12) : Infinity;
      const events: AgentEvent[] = [];
      for await (const event of agent.session.prompt(`prompt ${count}`, controller.signal)) {
        events.push(event);
        transcript = reduce(transcript, event);
        respond(event, agent, wild, controller.signal);
        if (events.length > abortAt) controller.abort();
      }
      expect(events.filter(({ type }) => type === 'prompt_ended')).toEqual([events.at(-1)]);
      expect(getPendingItems(transcript)).toEqual([]);
      expect(idsOf(events, 'tool_call_response')).toEqual(idsOf(events, 'tool_call_request'));
      // A failure is one of the service's, in its words: never a bug of ours, never a request we may not send.
      const errors = events.flatMap((event) => (event.type === 'error' ? [event.value.error] : []));
      expect(errors.filter(({ reason }) => reason === undefined)).toEqual([]);
    }
    expect(model.violations).toEqual([]);
  });
});
