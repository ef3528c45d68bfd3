/**
 * Releases the resources of an abandoned async generator at once: one that was never started, or whose consumer is
 * waiting on it, does not run its `finally` on return.
 */

export function releaseOnReturn<T>(stream: AsyncGenerator<T, void>, release: () => void): AsyncGenerator<T, void> {
  const giveUp = stream.return.bind(stream);
  stream.return = (value) => {
    release();
    return giveUp(value);
  };
  return stream;
}
