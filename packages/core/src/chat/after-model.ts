/**
 * Frames on their way through an AfterModel hook. While the hook looks at some, the
 * next ones are read; it then looks at all of those at once, as one frame. So a slow
 * hook costs an answer a few runs, not one for each frame, and what is shown is still
 * in order and never ahead of the hook (docs/decisions/0013).
 */

import type { Candidate, GenerateContentResponse } from '../protocol/content.ts';
import { tryUntilAborted } from '../util/abort.ts';
import { throwIfAborted } from '../util/clock.ts';
import type { Attempt } from './attempt.ts';
import { endByHook } from './model-hooks.ts';
import type { AfterModelDecision } from './model-hooks.ts';
import { StreamEventType } from './stream-events.ts';
import type { StreamEvent } from './stream-events.ts';

type Frames = readonly GenerateContentResponse[];

export interface HookedStream {
  bursts: AsyncGenerator<Frames, void>;
  attempt: Attempt;
  signal: AbortSignal;
  ask(response: GenerateContentResponse): Promise<AfterModelDecision>;
}

/** Yields what may be shown; true when the hook ended the send. What goes into the history is what arrived. */
export async function* throughAfterModel(stream: HookedStream): AsyncGenerator<readonly StreamEvent[], boolean> {
  const { attempt, signal } = stream;
  for await (const burst of readAhead(stream.bursts)) {
    throwIfAborted(signal);
    const frames = burst.map((arrived) => attempt.add(arrived));
    const merged = mergeFrames(frames);
    const decision = await tryUntilAborted(() => stream.ask(merged), signal);
    if (decision && decision.kind !== 'proceed') {
      for (const event of endByHook(decision)) yield [event];
      return true;
    }
    const values = decision?.response ? [inPlaceOf(merged, decision.response)] : frames;
    const shown = values.filter((value) => !attempt.hold(value));
    if (shown.length > 0) yield shown.map((value) => ({ type: StreamEventType.CHUNK, value }));
  }
  return false;
}

/** How the answer ended is not the hook's to lose. */
function inPlaceOf(merged: GenerateContentResponse, response: GenerateContentResponse): GenerateContentResponse {
  const finishReason = merged.candidates?.[0]?.finishReason;
  const { usageMetadata } = merged;
  const candidates = response.candidates?.map((candidate) => ({ ...(finishReason && { finishReason }), ...candidate }));
  return { ...(usageMetadata && { usageMetadata }), ...response, ...(candidates && { candidates }) };
}

/** Everything that came since it was last asked, as one burst; an error only after what came before it. */
async function* readAhead(bursts: AsyncGenerator<Frames, void>): AsyncGenerator<Frames, void> {
  let waiting: GenerateContentResponse[] = [];
  let wake = Promise.withResolvers<void>();
  let end: { error?: unknown } | undefined;
  const read = async () => {
    try {
      for await (const burst of bursts) {
        waiting.push(...burst);
        wake.resolve();
      }
      end = {};
    } catch (error) {
      end = { error };
    }
    wake.resolve();
  };
  void read();
  try {
    for (;;) {
      await wake.promise;
      const burst = waiting;
      waiting = [];
      wake = Promise.withResolvers<void>();
      if (end) wake.resolve();
      if (burst.length > 0) yield burst;
      else if (end && 'error' in end) throw end.error;
      else if (end) return;
    }
  } finally {
    // Not waited for: whoever left need not see the next frame. Its own end is nobody's business any more.
    bursts.return().catch(() => undefined);
  }
}

/** Several frames as the one they could have been. */
function mergeFrames(frames: Frames): GenerateContentResponse {
  const [first = {}] = frames;
  if (frames.length < 2) return first;
  const candidates = frames.flatMap((frame) => frame.candidates?.[0] ?? []);
  const merged: GenerateContentResponse = Object.assign({}, ...frames);
  return candidates.length > 0 ? { ...merged, candidates: [mergeCandidates(candidates)] } : merged;
}

function mergeCandidates(candidates: readonly Candidate[]): Candidate {
  const parts = candidates.flatMap(({ content }) => content?.parts ?? []);
  const citations = candidates.flatMap(({ citationMetadata }) => citationMetadata?.citations ?? []);
  return {
    ...(Object.assign({}, ...candidates) as Candidate),
    content: { role: 'model', parts },
    ...(citations.length > 0 && { citationMetadata: { citations } }),
  };
}
