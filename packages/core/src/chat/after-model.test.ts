import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { GenerateContentResponse } from '../protocol/content.ts';
import { throughAfterModel } from './after-model.ts';
import { Attempt } from './attempt.ts';
import { CallIds } from './call-ids.ts';
import type { AfterModelDecision } from './model-hooks.ts';
import { StreamEventType } from './stream-events.ts';

const NEVER = new AbortController().signal;

function frame(text: string): GenerateContentResponse {
  return { candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }] };
}

function textsOf({ candidates }: GenerateContentResponse): string {
  return (candidates?.[0]?.content?.parts ?? []).map((part) => part.text).join('|');
}

async function run(
  frames: AsyncGenerator<GenerateContentResponse, void>,
  ask: (response: GenerateContentResponse) => Promise<AfterModelDecision>,
) {
  const attempt = new Attempt(new CallIds(createFakeClock()));
  const shown: string[] = [];
  const events = throughAfterModel({ frames, attempt, signal: NEVER, ask });
  for (let step = await events.next(); ; step = await events.next()) {
    if (step.done) return { shown, isEnded: step.value };
    const event = step.value;
    shown.push(event.type === StreamEventType.CHUNK ? textsOf(event.value) : event.type);
  }
}

describe('throughAfterModel', () => {
  it.each<[string, AfterModelDecision, string[], boolean]>([
    ['shows each as it came', { kind: 'proceed' }, ['a', 'b', 'c', 'd'], false],
    ['shows what the hook put in their place', { kind: 'proceed', response: frame('x') }, ['a', 'x'], false],
    ['shows none of those the hook stopped at', { kind: 'stop', reason: 'no' }, ['a', 'agent_execution_stopped'], true],
  ])('lets a busy hook look at all that came meanwhile as one, and %s', async (_, second, shown, isEnded) => {
    const busy = Promise.withResolvers<void>();
    const allThere = Promise.withResolvers<void>();
    const seen: string[] = [];
    async function* frames() {
      yield frame('a');
      await busy.promise;
      yield frame('b');
      yield frame('c');
      yield frame('d');
      allThere.resolve();
    }
    const result = await run(frames(), async (response) => {
      seen.push(textsOf(response));
      if (seen.length > 1) return second;
      busy.resolve();
      await allThere.promise;
      return { kind: 'proceed' };
    });
    expect({ ...result, seen }).toEqual({ shown, isEnded, seen: ['a', 'b|c|d'] });
  });

  it('hands on what came before an error, then the error', async () => {
    async function* frames() {
      yield frame('a');
      throw new Error('cut');
    }
    const seen: string[] = [];
    const result = run(frames(), async (response) => {
      seen.push(textsOf(response));
      return { kind: 'proceed' };
    });
    await expect(result).rejects.toThrow('cut');
    expect(seen).toEqual(['a']);
  });

  it('keeps the end, the usage, the calls and the sources of frames it looks at together', async () => {
    const citation = (uri: string) => ({ citationMetadata: { citations: [{ uri }] } });
    async function* frames() {
      yield* [
        { candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] }, ...citation('x') }] },
        { candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'f', args: {}, id: '1' } }] } }] },
        { candidates: [{ finishReason: 'STOP', ...citation('y') }], usageMetadata: { totalTokenCount: 3 } },
      ] satisfies GenerateContentResponse[];
    }
    const seen: GenerateContentResponse[] = [];
    await run(frames(), async (response) => {
      seen.push(response);
      return { kind: 'proceed' };
    });
    expect(seen).toEqual([
      {
        candidates: [
          {
            content: { role: 'model', parts: [{ text: 'a' }, { functionCall: { name: 'f', args: {}, id: '1' } }] },
            citationMetadata: { citations: [{ uri: 'x' }, { uri: 'y' }] },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: { totalTokenCount: 3 },
      },
    ]);
  });
});
