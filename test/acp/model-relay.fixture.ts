/** One address for many scripted models, one at a time: a program that outlives its model reaches the next one there. */

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface ModelRelay extends AsyncDisposable {
  readonly url: string;
  /** New connections go to this model. */
  turnTo(model: { readonly url: string }): void;
}

export async function openModelRelay(): Promise<ModelRelay> {
  let port = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const model = connect(port, '127.0.0.1');
    for (const [each, other] of [
      [socket, model],
      [model, socket],
    ] as const) {
      sockets.add(each);
      each.setNoDelay(true);
      // Only the 'close' that follows matters: the other side learns of it.
      each.on('error', () => undefined);
      each.on('close', () => {
        sockets.delete(each);
        other.destroy();
      });
      each.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    turnTo: (model) => void (port = Number(new URL(model.url).port)),
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
