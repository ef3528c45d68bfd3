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
  frames: AsyncGenerator<GenerateContentResponse, void>;
  attempt: Attempt;
  signal: AbortSignal;
  ask(response: GenerateContentResponse): Promise<AfterModelDecision>;
}

/** Yields what may be shown; true when the hook ended the send. What goes into the history is what arrived. */
export async function* throughAfterModel(stream: HookedStream): AsyncGenerator<StreamEvent, boolean> {
  const { attempt, signal } = stream;
  for await (const arrived of readAhead(stream.frames)) {
    throwIfAborted(signal);
    const frames = arrived.map((frame) => attempt.add(frame));
    const merged = mergeFrames(frames);
    const decision = await tryUntilAborted(() => stream.ask(merged), signal);
    if (decision && decision.kind !== 'proceed') {
      yield* endByHook(decision, 'AfterModel');
      return true;
    }
    const values = decision?.response ? [inPlaceOf(merged, decision.response)] : frames;
    const shown = values.filter((value) => !attempt.hold(value));
    for (const value of shown) yield { type: StreamEventType.CHUNK, value };
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

/** Everything that arrived since the last step, together; an error only after what arrived before it. */
async function* readAhead(frames: AsyncGenerator<GenerateContentResponse, void>): AsyncGenerator<Frames, void> {
  let waiting: GenerateContentResponse[] = [];
  let wake = Promise.withResolvers<void>();
  let end: { error?: unknown } | undefined;
  const read = async () => {
    try {
      for await (const frame of frames) {
        waiting.push(frame);
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
      // Frames of one read follow each other within this turn of the event loop.
      await new Promise(setImmediate);
      const arrived = waiting;
      waiting = [];
      wake = Promise.withResolvers<void>();
      if (end) wake.resolve();
      if (arrived.length > 0) yield arrived;
      else if (end && 'error' in end) throw end.error;
      else if (end) return;
    }
  } finally {
    // Not awaited: a consumer that left does not wait for the next frame, and no caller is left to see how it ends.
    frames.return().catch(() => undefined);
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
