/**
 * ShownPorts: the ports on which commands of a sandbox listen, shown on the localhost of this computer, so that the user's
 * browser reaches a server that a command started. Nothing else of the computer is shown to commands by it.
 */

import type { Server, Socket } from 'node:net';
import { builtin } from '../../util/builtin-modules.ts';

export interface ShownPort {
  /** Inside the sandbox. */
  port: number;
  /** On this computer: the same where it is free. */
  shownAt: number;
}

/**
 * Other programs of the user connect to these by themselves, with passwords: databases, brokers, engines of containers,
 * debuggers. A command must not be able to stand in for them, so they are shown under another number.
 */
const SERVICES: ReadonlySet<number> = new Set([
  ...[1433, 1521, 2375, 2376, 3306, 5432, 5672, 6379, 6443, 8200, 8500, 9042, 9092, 9200, 9229, 11_211, 27_017],
]);

export class ShownPorts {
  private readonly doorPath: string;
  private readonly onShown: (shown: ShownPort) => void;
  private readonly servers = new Map<number, Server>();
  private readonly sockets = new Set<Socket>();

  constructor(doorPath: string, onShown: (shown: ShownPort) => void) {
    this.doorPath = doorPath;
    this.onShown = onShown;
  }

  /** Shows these ports, and no others any more. */
  async update(ports: readonly number[]): Promise<void> {
    for (const [port, server] of this.servers)
      if (!ports.includes(port)) {
        this.servers.delete(port);
        server.close();
      }
    for (const port of ports) if (!this.servers.has(port)) await this.show(port);
  }

  close(): void {
    for (const server of this.servers.values()) server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async show(port: number): Promise<void> {
    const server = builtin.net.createServer((outer) => this.pass(outer, port));
    this.servers.set(port, server);
    const shownAt = (SERVICES.has(port) ? undefined : await listen(server, port)) ?? (await listen(server, 0));
    if (shownAt === undefined) return;
    server.unref();
    // The command may have ended meanwhile.
    if (this.servers.get(port) === server) this.onShown({ port, shownAt });
    else server.close();
  }

  private pass(outer: Socket, port: number): void {
    const inner = builtin.net.connect(this.doorPath);
    inner.write(Buffer.from([port >> 8, port & 255]));
    for (const [one, other] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      this.sockets.add(one);
      one.unref();
      one.on('error', () => other.destroy());
      one.once('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    outer.pipe(inner).pipe(outer);
  }
}

/** The number it listens on; undefined where that is taken. */
function listen(server: Server, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const fail = () => resolve(undefined);
    server.once('error', fail).listen(port, '127.0.0.1', () => {
      server.off('error', fail);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : undefined);
    });
  });
}
