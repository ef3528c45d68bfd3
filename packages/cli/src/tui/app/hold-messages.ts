/**
 * Buffers messages of Node and of libraries while the screen is ours: printed in between they would tear the frame
 * apart. They are printed at the end, or when the user requests them.
 */

export interface HeldMessages {
  take(): string[];
  /** Restores the usual destination of messages and writes the buffered ones. */
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
      // Node's messages about itself do not help the user.
      held = [];
    },
  };
}
