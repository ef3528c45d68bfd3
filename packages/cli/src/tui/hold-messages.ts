/**
 * Messages of Node and of libraries, held back while the screen is ours: written in
 * between they would tear the frame apart. They are given out at the end, or when a
 * person asks for them.
 */

export interface HeldMessages {
  take(): string[];
  /** From here on messages go where they used to; those held are written. */
  release(): void;
}

const MOST = 200;

export function holdMessages(): HeldMessages {
  let held: string[] = [];
  const keep = (text: string) => {
    held = [...held.slice(-(MOST - 1)), text.trimEnd()];
  };
  const { write } = process.stderr;
  const warnings = process.listeners('warning');
  process.removeAllListeners('warning');
  const onWarning = ({ name, message }: Error) => keep(`${name}: ${message}`);
  process.on('warning', onWarning);
  process.stderr.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    keep(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const done = rest.findLast((each) => typeof each === 'function') as (() => void) | undefined;
    done?.();
    return true;
  }) as typeof write;
  return {
    take() {
      const taken = held;
      held = [];
      return taken;
    },
    release() {
      process.stderr.write = write;
      process.off('warning', onWarning);
      for (const listener of warnings) process.on('warning', listener);
      // What Node says about itself is nothing a person can use.
      held = [];
    },
  };
}
