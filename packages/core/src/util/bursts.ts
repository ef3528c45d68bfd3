/**
 * Streams whose items come in bursts, as frames do that were read from the network
 * together. Passing a burst on costs as much as passing an item on, so the rooms hand
 * each other bursts, and only the last before the consumer takes them apart.
 */

/** Takes bursts apart. Once the signal is aborted, the rest of the burst under way is not handed out any more. */
export async function* splitBursts<T, R>(
  bursts: AsyncGenerator<readonly T[], R>,
  signal?: AbortSignal,
): AsyncGenerator<T, R> {
  let step = await bursts.next();
  try {
    for (; !step.done; step = await bursts.next()) {
      for (const item of step.value) {
        yield item;
        if (signal?.aborted) break;
      }
    }
  } finally {
    // The consumer left: the source lets go of what it holds.
    if (!step.done) await bursts.return(undefined as R);
  }
  return step.value;
}

/** Each item as a burst of its own, as soon as it is there. Returns what the stream returns. */
export async function* oneByOne<T, R>(stream: AsyncIterable<T, R>): AsyncGenerator<readonly T[], R> {
  const items = stream[Symbol.asyncIterator]();
  let step = await items.next();
  try {
    for (; !step.done; step = await items.next()) yield [step.value];
  } finally {
    if (!step.done) await items.return?.();
  }
  return step.value;
}
