import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect, createServer as createTcpServer } from 'node:net';
import { createGzip } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ApiError } from '../../protocol/errors.ts';
import { type HttpClientOptions, createHttpClient } from './http-client.ts';
import type { HttpResponse } from './http-messages.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

interface Served {
  url: URL;
  connections: Socket[];
}

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<Served> {
  const connections: Socket[] = [];
  const server = createServer((incoming, response) => void handle(incoming, response)).on('connection', (socket) =>
    connections.push(socket),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?q=1`), connections };
}

/** A server that answers every connection's first bytes with these. */
async function serveBytes(answer: (socket: Socket) => void): Promise<URL> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
    cleanups.push(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

/** A process that listens and is stopped, with its queue full: Linux lets further connections wait. */
async function startDeaf(): Promise<URL> {
  const listen =
    "const s = require('net').createServer(); s.listen(0, '127.0.0.1', 1, () => console.log(s.address().port))";
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(() => child.kill('SIGKILL'));
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  for (let place = 0; place < 8; place++) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    cleanups.push(() => socket.destroy());
    if (place === 0) await once(socket, 'connect');
  }
  return new URL(`http://127.0.0.1:${Number(port)}/`);
}

function createClient(options: HttpClientOptions = {}) {
  const client = createHttpClient(options);
  cleanups.push(() => client.close());
  return client;
}

const request = (url: URL, signal?: AbortSignal) => ({
  url,
  headers: { 'x-key': 'secret' },
  body: Buffer.from('{"a":"é"}'),
  signal,
});

async function readAll(response: HttpResponse): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no failure',
    (error: unknown) => error,
  );
}

describe('HttpClient', () => {
  it('posts the body with its length and gives back status, headers and body', async () => {
    const seen: unknown[] = [];
    const { url } = await serve(async (incoming, response) => {
      const chunks = await incoming.toArray();
      const { method, url: path, headers } = incoming;
      seen.push([
        method,
        path,
        headers['x-key'],
        headers['content-length'],
        headers['accept-encoding'],
        String(Buffer.concat(chunks)),
      ]);
      response.writeHead(418, 'Teapot', { 'x-answer': '1' }).end('short and stout');
    });
    const response = await createClient().post(request(url));
    expect([response.status, response.statusText, response.headers['x-answer'], await readAll(response)]).toEqual([
      418,
      'Teapot',
      '1',
      'short and stout',
    ]);
    expect(seen).toEqual([['POST', '/path?q=1', 'secret', '10', 'identity', '{"a":"é"}']]);
  });

  it('uses a connection again once an answer was read to its end', async () => {
    const { url, connections } = await serve((_incoming, response) => response.end('ok'));
    const client = createClient();
    for (let round = 0; round < 3; round++) expect(await readAll(await client.post(request(url)))).toBe('ok');
    expect(connections).toHaveLength(1);
  });

  it('asks on a new connection when the server had given up the idle one', async () => {
    let requests = 0;
    const { url, connections } = await serve((incoming, response) => {
      requests++;
      if (requests === 2) incoming.socket.destroy();
      else response.end(`answer ${requests}`);
    });
    const client = createClient();
    expect(await readAll(await client.post(request(url)))).toBe('answer 1');
    expect(await readAll(await client.post(request(url)))).toBe('answer 3');
    expect(connections).toHaveLength(2);
  });

  it('does not ask again when a new connection is reset', async () => {
    let requests = 0;
    const { url } = await serve((incoming) => {
      requests++;
      incoming.socket.destroy();
    });
    expect(await failureOf(createClient().post(request(url)))).toMatchObject({ reason: 'network', code: 'ECONNRESET' });
    expect(requests).toBe(1);
  });

  it.each<[string, (response: HttpResponse) => unknown]>([
    [
      'the reader leaves early',
      async ({ body }) => {
        for await (const _chunk of body) break;
      },
    ],
    ['the response is closed unread', (response) => response.close()],
    [
      'a body that was never begun is given up and closed',
      async (response) => {
        await response.body.return();
        response.close();
      },
    ],
  ])('ends the connection when %s', async (_name, leave) => {
    const { url, connections } = await serve((_incoming, response) => response.write('first'));
    const response = await createClient().post(request(url));
    const closed = once(connections[0]!, 'close');
    await leave(response);
    await closed;
  });

  it('ends a read that is waiting, without an error, when the response is closed', async () => {
    const { url } = await serve((_incoming, response) => response.write('first'));
    const response = await createClient().post(request(url));
    await response.body.next();
    const waiting = response.body.next();
    response.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(response.closed).toBe(true);
  });

  it('ends a read of a compressed body in the same way', async () => {
    const { url } = await serve((_incoming, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write('first');
      gzip.flush();
    });
    const response = await createClient().post(request(url));
    expect(String((await response.body.next()).value)).toBe('first');
    const waiting = response.body.next();
    response.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it('neither keeps the process alive with an idle connection nor loads undici or zlib into it', async () => {
    const { url, connections } = await serve((_incoming, response) => response.end('ok'));
    const script = `
      const { createHttpClient } = await import(${JSON.stringify(new URL('http-client.ts', import.meta.url).href)});
      const response = await createHttpClient().post({ url: new URL(${JSON.stringify(url.href)}), headers: {}, body: Buffer.alloc(0) });
      for await (const chunk of response.body) console.log(String(chunk));
      console.log(process.moduleLoadList.filter((name) => /^NativeModule (http|zlib)$|undici$/.test(name)));`;
    const child = execFile(process.execPath, ['--no-warnings', '--input-type=module', '-e', script]);
    const output = child.stdout!.toArray();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect((await output).join('')).toBe("ok\n[ 'NativeModule http' ]\n");
    expect(connections).toHaveLength(1);
  });
});

describe('HttpClient and the signal', () => {
  it('sends nothing when it is aborted already', async () => {
    const { url, connections } = await serve((_incoming, response) => response.end());
    expect(await failureOf(createClient().post(request(url, AbortSignal.abort())))).toMatchObject({
      name: 'AbortError',
    });
    expect(connections).toEqual([]);
  });

  it('ends the connection while it waits for headers', async () => {
    const controller = new AbortController();
    const { url, connections } = await serve(() => controller.abort());
    expect(await failureOf(createClient().post(request(url, controller.signal)))).toMatchObject({ name: 'AbortError' });
    if (!connections[0]!.closed) await once(connections[0]!, 'close');
  });

  it('ends the connection in the middle of a body, also while no caller reads', async () => {
    for (const isReading of [true, false]) {
      const controller = new AbortController();
      const { url, connections } = await serve((_incoming, response) => response.write('first'));
      const response = await createClient().post(request(url, controller.signal));
      await response.body.next();
      const closed = once(connections[0]!, 'close');
      const waiting = isReading ? response.body.next() : undefined;
      controller.abort(new Error('changed my mind'));
      expect(await failureOf(waiting ?? response.body.next())).toMatchObject({ name: 'AbortError' });
      await closed;
    }
  });

  it('leaves no listener on the signal behind', async () => {
    const { url } = await serve((_incoming, response) => response.end('ok'));
    let listeners = 0;
    const { signal } = new AbortController();
    const counting = new Proxy(signal, {
      get(target, name) {
        if (name === 'addEventListener') listeners++;
        if (name === 'removeEventListener') listeners--;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const response = await createClient().post(request(url, counting));
    await readAll(response);
    expect(listeners).toBe(0);
  });
});

describe('HttpClient and time', () => {
  it.skipIf(process.platform !== 'linux')('gives up on a connection that is not accepted', async () => {
    const url = await startDeaf();
    const failure = await failureOf(createClient({ connectTimeoutMs: 30 }).post(request(url)));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ reason: 'timeout', retryable: true, code: 'ETIMEDOUT' });
    expect(String(failure)).toContain(`${url.host} accepted no connection within 30 ms`);
  });

  it('gives up on headers that do not come', async () => {
    const { url, connections } = await serve(() => {});
    const failure = await failureOf(createClient({ headersTimeoutMs: 30 }).post(request(url)));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ reason: 'timeout', retryable: true });
    expect(String(failure)).toContain(`${url.host} sent no answer within 30 ms`);
    if (!connections[0]!.closed) await once(connections[0]!, 'close');
  });

  it('gives up on a body that falls silent', async () => {
    const { url, connections } = await serve((_incoming, response) => response.write('first'));
    const response = await createClient({ idleTimeoutMs: 30 }).post(request(url));
    const closed = once(connections[0]!, 'close');
    expect(String((await response.body.next()).value)).toBe('first');
    expect(await failureOf(response.body.next())).toMatchObject({ reason: 'timeout', retryable: true });
    await closed;
  });

  it('takes every byte for a sign of life', async () => {
    const answers: ServerResponse[] = [];
    const { url } = await serve((_incoming, response) => {
      response.write(':');
      answers.push(response);
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { body } = await createClient({ idleTimeoutMs: 500 }).post(request(url));
    await body.next();
    for (let beat = 0; beat < 8; beat++) {
      const next = body.next();
      vi.advanceTimersByTime(400);
      answers[0]!.write(':');
      expect(String((await next).value)).toBe(':');
    }
    const last = failureOf(body.next());
    vi.advanceTimersByTime(500);
    expect(await last).toMatchObject({ reason: 'timeout' });
  });

  it('does not hold the time of a slow reader against the server', async () => {
    const answers: ServerResponse[] = [];
    const { url } = await serve((_incoming, response) => {
      response.write('first');
      answers.push(response);
    });
    const client = createClient({ idleTimeoutMs: 30 });
    const slow = await client.post(request(url));
    await slow.body.next();
    // A second stream falling silent is the sign that more than the limit has passed for the first one.
    const silent = await client.post(request(url));
    expect(await failureOf(readAll(silent))).toMatchObject({ reason: 'timeout' });
    answers[0]!.end(' and last');
    expect(await readAll(slow)).toBe(' and last');
  });
});

describe('HttpClient and broken connections', () => {
  it('names the host that refuses, and not the key', async () => {
    const { url } = await serve(() => {});
    for (const cleanup of cleanups.splice(0)) cleanup();
    const failure = await failureOf(createClient().post(request(url)));
    expect(failure).toMatchObject({ reason: 'network', code: 'ECONNREFUSED', cause: { code: 'ECONNREFUSED' } });
    expect((failure as Error).message).toBe(`${url.host}: the connection was refused (ECONNREFUSED)`);
    const told = await failureOf(createClient({ addressSource: 'BASE_URL' }).post(request(url)));
    expect((told as Error).message).toBe(`${url.host} (from BASE_URL): the connection was refused (ECONNREFUSED)`);
  });

  it('names the host that cannot be found', async () => {
    const failure = await failureOf(createClient().post(request(new URL('http://castor.invalid/'))));
    expect(failure).toMatchObject({ reason: 'network', code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) });
    expect((failure as Error).message).toContain('castor.invalid');
  });

  it.each<[string, string, object]>([
    ['a body shorter than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort', { code: 'ECONNRESET' }],
    [
      'chunks without their end',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n',
      { code: 'ECONNRESET' },
    ],
  ])('reports %s after handing out what came', async (_name, answer, expected) => {
    const url = await serveBytes((socket) => socket.end(answer));
    const response = await createClient().post(request(url));
    expect(String((await response.body.next()).value)).toBe('short');
    const failure = await failureOf(response.body.next());
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ reason: 'network', ...expected });
  });

  it('reports a reset in the middle of a body', async () => {
    let connection: Socket | undefined;
    const url = await serveBytes((socket) => {
      connection = socket;
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n');
    });
    const response = await createClient().post(request(url));
    expect(String((await response.body.next()).value)).toBe('first');
    connection!.resetAndDestroy();
    expect(await failureOf(response.body.next())).toMatchObject({ reason: 'network', code: 'ECONNRESET' });
  });

  it('survives a body that breaks while no caller reads it', async () => {
    let connection: Socket | undefined;
    const url = await serveBytes((socket) => {
      connection = socket;
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort');
    });
    const client = createClient();
    const response = await client.post(request(url));
    connection!.resetAndDestroy();
    // Another exchange takes long enough for the reset to have arrived.
    const other = await serve((_incoming, answer) => answer.end('ok'));
    await readAll(await client.post(request(other.url)));
    expect(await failureOf(readAll(response))).toMatchObject({ reason: 'network' });
  });

  it.each([Infinity, 99_999_999_999])('waits as long as a timer can when told to wait for %d ms', async (ms) => {
    const warnings: string[] = [];
    const note = (warning: Error) => void warnings.push(warning.name);
    process.on('warning', note);
    try {
      const { url } = await serve((_incoming, response) => response.end('ok'));
      const client = createClient({ connectTimeoutMs: ms, headersTimeoutMs: ms, idleTimeoutMs: ms });
      expect(await readAll(await client.post({ ...request(url), headersTimeoutMs: ms }))).toBe('ok');
      // Node warns of a timer it shortened on the next turn of the loop.
      await new Promise(setImmediate);
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', note);
    }
  });

  it('reports an answer that is not HTTP', async () => {
    const url = await serveBytes((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    expect(await failureOf(createClient().post(request(url)))).toMatchObject({ reason: 'network', retryable: true });
  });
});
