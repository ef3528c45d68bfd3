/**
 * Passes frames through an AfterModel hook. While the hook runs on some frames, the next ones are buffered; it then
 * runs once on all of those, merged into one frame. A slow hook therefore costs a few runs per answer, not one per
 * frame, and the output stays in order and never precedes the hook (docs/decisions/0013).
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

/**
 * Yields the frames the caller may show; returns true when the hook ended the send. The history records the frames as
 * received.
 */
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

/** The hook's response replaces the frame but keeps the finish reason and the usage. */
function inPlaceOf(merged: GenerateContentResponse, response: GenerateContentResponse): GenerateContentResponse {
  const finishReason = merged.candidates?.[0]?.finishReason;
  const { usageMetadata } = merged;
  const candidates = response.candidates?.map((candidate) => ({ ...(finishReason && { finishReason }), ...candidate }));
  return { ...(usageMetadata && { usageMetadata }), ...response, ...(candidates && { candidates }) };
}

/** Yields all frames received since the last step together; an error only after the frames before it. */
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
    // Not awaited: a consumer that left does not wait for the next frame, and no caller remains to receive the
    // result.
    frames.return().catch(() => undefined);
  }
}

/** Merges several frames into one. */
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
