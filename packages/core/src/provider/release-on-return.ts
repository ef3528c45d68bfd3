/**
 * An async generator that was never started, or that somebody is waiting on,
 * does not run its `finally` when it is given up. What it holds is released here
 * at once instead.
 */

export function releaseOnReturn<T>(stream: AsyncGenerator<T, void>, release: () => void): AsyncGenerator<T, void> {
  const giveUp = stream.return.bind(stream);
  stream.return = (value) => {
    release();
    return giveUp(value);
  };
  return stream;
}
