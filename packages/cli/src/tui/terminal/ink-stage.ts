/**
 * The stage for Ink: it lays out and draws into this pretended terminal, while the rows of each frame go to the owner
 * of the real one. Ink reads no key, sets no mode and writes no byte.
 */

import { EventEmitter } from 'node:events';
import { render } from 'ink';
import type { ReactNode } from 'react';
import type { Size } from './painter.ts';

export interface Stage {
  show(node: ReactNode): void;
  /** Lays the tree out again; a frame follows. */
  resize(size: Size): void;
  close(): void;
}

class FakeTerminal extends EventEmitter {
  readonly isTTY = false;
  readonly writable = true;
  columns: number;
  rows: number;
  onWrite: ((frame: string) => void) | undefined;

  constructor({ columns, rows }: Size) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  /** An empty write asks whether everything has been written: it has. */
  write(frame: string, ...rest: readonly unknown[]): boolean {
    if (frame !== '') this.onWrite?.(frame);
    const done = rest.findLast((each) => typeof each === 'function') as (() => void) | undefined;
    if (done) queueMicrotask(done);
    return true;
  }
}

export interface StageListener {
  /** The rows of every frame, as soon as it is laid out. */
  readonly onFrame: (rows: readonly string[]) => void;
  /** A component threw; nothing more is drawn. */
  readonly onBroken: (error: Error) => void;
}

export function createStage(size: Size, { onFrame, onBroken }: StageListener): Stage {
  const terminal = new FakeTerminal(size);
  terminal.onWrite = (frame) => onFrame(frame.split('\n'));
  let instance: ReturnType<typeof render> | undefined;
  return {
    show(node) {
      if (instance) return instance.rerender(node);
      instance = render(node, optionsFor(terminal));
      instance.waitUntilExit().catch((error: unknown) => {
        terminal.onWrite = undefined;
        onBroken(error instanceof Error ? error : new Error(String(error)));
      });
    },
    resize({ columns, rows }) {
      terminal.columns = columns;
      terminal.rows = rows;
      terminal.emit('resize');
    },
    close() {
      terminal.onWrite = undefined;
      instance?.unmount();
    },
  };
}

function optionsFor(terminal: FakeTerminal): Parameters<typeof render>[1] {
  // Ink expects streams of a process; the stage implements the members Ink uses.
  const stream = terminal as unknown as NodeJS.WriteStream;
  const input = new EventEmitter() as unknown as NodeJS.ReadStream;
  return {
    stdout: stream,
    stderr: stream,
    stdin: input,
    // Every frame complete and at once: the store decides when to draw, the painter what to send.
    debug: true,
    interactive: true,
    patchConsole: false,
    exitOnCtrlC: false,
  };
}
