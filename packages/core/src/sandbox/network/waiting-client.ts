/** WaitingClient: a connection that waits for a decision. It keeps what the program sends meanwhile, and tells when the program is gone. */

import type { Socket } from 'node:net';

/** More than a program sends before it is answered. */
const MAX_KEPT = 64 * 1024;

export class WaitingClient {
  private readonly socket: Socket;
  private readonly controller = new AbortController();
  private readonly kept: Buffer[] = [];
  private size = 0;
  private readonly onData = (chunk: Buffer) => {
    this.kept.push(chunk);
    this.size += chunk.length;
    if (this.size > MAX_KEPT) this.socket.pause();
  };
  private readonly onEnd = () => this.controller.abort();

  constructor(socket: Socket) {
    this.socket = socket;
    // The end of a connection is seen only by one who reads.
    socket.on('data', this.onData).once('end', this.onEnd).once('close', this.onEnd);
  }

  /** Aborted when the program closed the connection or has ended. */
  get gone(): AbortSignal {
    return this.controller.signal;
  }

  /** Ends the waiting; what the program sent comes again. */
  release(): void {
    this.socket.off('data', this.onData).off('end', this.onEnd).off('close', this.onEnd).pause();
    if (this.kept.length > 0 && !this.socket.destroyed) this.socket.unshift(Buffer.concat(this.kept));
  }
}
