import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Companion } from './companion.ts';

/** Why the companion at this port is not connected. */
async function detailsAt(port: number): Promise<string> {
  const environment = {
    GEMINI_CLI_IDE_SERVER_PORT: String(port),
    GEMINI_CLI_IDE_WORKSPACE_PATH: '/',
    GEMINI_CLI_IDE_AUTH_TOKEN: 'wrong',
  };
  const companion = new Companion({
    cwd: '/',
    environment,
    version: '1',
    editorName: 'IDE',
    onChange: () => undefined,
  });
  await companion.connect();
  const { state } = companion;
  await companion.close();
  return state.kind === 'disconnected' ? state.details : state.kind;
}

describe('a companion that is not connected', () => {
  it.each([
    [401, 'rejected the token'],
    [403, 'the status 403'],
    [500, 'the status 500'],
  ])('says why: it answered %i', async (status, words) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(status).end('no');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const details = await detailsAt((server.address() as AddressInfo).port);
      expect(details).toContain(words);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('says why: nothing listens there', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await detailsAt(port)).toMatch(/No connection to the companion at port \d+: .*ECONNREFUSED/);
  });
});
