import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient } from './http-client.ts';

/**
 * A key and a self-signed certificate for localhost, valid for a century. They
 * protect nothing; anybody may read them.
 */
const LOOPBACK_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgweQTZqcDnTyzC1z7
k4nweu8UXohHJcKGlaLeo1TYSbGhRANCAARhdQtWpZ6JLIB/SsTuMj0hqs9TB59f
p4BBP6j6N4vwPY+RiGgE4PX9jilexN8Sc0ktIINiBa30GrS2s3EFB970
-----END PRIVATE KEY-----
`;

const LOOPBACK_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGF1C1alnoksgH9K
xO4yPSGqz1MHn1+ngEE/qPo3i/A9j5GIaATg9f2OKV7E3xJzSS0gg2IFrfQatLaz
cQUH3vSjTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0
hwR/AAABMB0GA1UdDgQWBBQa3BgFT5i72WUGUhdxht8qDEAPhTAKBggqhkjOPQQD
AgNJADBGAiEA038TB+rZVzGAboffkiLFGwmXPm6mChCiLsWU8rZQjtoCIQCLGw3t
So2hKOr5rLf7qctN0i48DfNoaoFXPB2w2wjwuA==
-----END CERTIFICATE-----
`;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const systemCertificates = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...systemCertificates, LOOPBACK_CERTIFICATE]));
afterAll(() => setDefaultCACertificates(systemCertificates));

async function listen(server: Server, address = '127.0.0.1'): Promise<number> {
  server.listen(0, address);
  await once(server, 'listening');
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function echo(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await incoming.toArray()).toString();
  response.end(
    JSON.stringify({ url: incoming.url, host: incoming.headers.host, body, key: incoming.headers['x-key'] }),
  );
}

interface Proxy {
  port: number;
  /** Request lines and the two headers a proxy may see. */
  seen: { line: string; authorization: string | undefined; key: string | undefined }[];
}

/** A proxy that opens tunnels, or refuses them with a status, and answers absolute requests itself. */
async function startProxy(refusal?: string): Promise<Proxy> {
  const seen: Proxy['seen'] = [];
  const server = createServer((incoming, response) => {
    seen.push(describeRequest(incoming));
    response.end('from the proxy');
  });
  server.on('connect', (incoming, client: Socket) => {
    seen.push(describeRequest(incoming));
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
      return;
    }
    const [host, port] = incoming.url!.split(':');
    const upstream = connect(Number(port), host, () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    upstream.pipe(client).pipe(upstream);
    for (const socket of [upstream, client]) socket.on('error', () => {});
    cleanups.push(
      () => upstream.destroy(),
      () => client.destroy(),
    );
  });
  return { port: await listen(server), seen };
}

function describeRequest({ method, url, headers }: IncomingMessage) {
  const text = (name: string) => headers[name] as string | undefined;
  return { line: `${method} ${url}`, authorization: text('proxy-authorization'), key: text('x-key') };
}

async function readAll(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += chunk.toString();
  return text;
}

function createClient(proxy: string | undefined, headersTimeoutMs?: number) {
  const client = createHttpClient({ proxyFor: () => proxy, headersTimeoutMs });
  cleanups.push(() => client.close());
  return async (url: string, signal?: AbortSignal) => {
    const body = Buffer.from('hello');
    const response = await client.post({ url: new URL(url), headers: { 'x-key': 'secret' }, body, signal });
    return readAll(response.body);
  };
}

describe('routes', () => {
  it('reach an https host directly', async () => {
    const port = await listen(
      createTlsServer(
        { key: LOOPBACK_KEY, cert: LOOPBACK_CERTIFICATE },
        (incoming, response) => void echo(incoming, response),
      ),
    );
    const post = createClient(undefined);
    expect(JSON.parse(await post(`https://localhost:${port}/x`))).toEqual({
      url: '/x',
      host: `localhost:${port}`,
      body: 'hello',
      key: 'secret',
    });
  });

  it('reach an http host by asking the proxy in absolute form', async () => {
    const proxy = await startProxy();
    const post = createClient(`http://user:p%40ss@127.0.0.1:${proxy.port}`);
    expect(await post('http://model.test:99/x?y=1')).toBe('from the proxy');
    expect(proxy.seen).toEqual([
      { line: 'POST http://model.test:99/x?y=1', authorization: `Basic ${btoa('user:p@ss')}`, key: 'secret' },
    ]);
  });

  it('reach an https host through a tunnel, which sees no key and is used again', async () => {
    const port = await listen(
      createTlsServer(
        { key: LOOPBACK_KEY, cert: LOOPBACK_CERTIFICATE },
        (incoming, response) => void echo(incoming, response),
      ),
    );
    const proxy = await startProxy();
    const post = createClient(`user:pass@127.0.0.1:${proxy.port}`);
    for (const path of ['/1', '/2']) {
      expect(JSON.parse(await post(`https://localhost:${port}${path}`))).toMatchObject({
        url: path,
        body: 'hello',
        key: 'secret',
      });
    }
    expect(proxy.seen).toEqual([
      { line: `CONNECT localhost:${port}`, authorization: `Basic ${btoa('user:pass')}`, key: undefined },
    ]);
  });

  it.each<[string, object]>([
    ['407 Proxy Authentication Required', { reason: 'forbidden', status: 407, retryable: false }],
    ['502 Bad Gateway', { reason: 'network', code: 'EHOSTUNREACH', status: 502, retryable: true }],
    ['503 Service Unavailable', { reason: 'network', code: undefined, status: 503, retryable: true }],
  ])('report a tunnel refused with %s', async (refusal, expected) => {
    const proxy = await startProxy(refusal);
    const failure = createClient(`http://user:pass@127.0.0.1:${proxy.port}`)('https://model.test/');
    await expect(failure).rejects.toMatchObject({
      ...expected,
      message: `The proxy 127.0.0.1:${proxy.port} refused to connect to model.test:443: HTTP ${refusal}`,
    });
  });

  it('do not wait forever for a tunnel, nor beyond the signal', async () => {
    const silent = createServer();
    silent.on('connect', (_incoming, client: Socket) => cleanups.push(() => client.destroy()));
    const reached = once(silent, 'connect');
    const proxy = `http://127.0.0.1:${await listen(silent)}`;
    const controller = new AbortController();
    const aborted = createClient(proxy)('https://model.test/', controller.signal);
    await reached;
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });

    const late = createClient(proxy, 50)('https://model.test/');
    await expect(late).rejects.toMatchObject({
      retryable: true,
      message: expect.stringContaining(new URL(proxy).host),
    });
  });

  it.each(['http://model.test/', 'https://model.test/'])(
    'name the proxy that cannot be reached for %s',
    async (url) => {
      const port = await listen(createServer());
      for (const cleanup of cleanups.splice(0)) cleanup();
      const failure = createClient(`http://user:pass@127.0.0.1:${port}`)(url);
      await expect(failure).rejects.toMatchObject({ reason: 'network', code: 'ECONNREFUSED' });
      await expect(failure).rejects.toThrow(`127.0.0.1:${port}`);
      await expect(failure).rejects.not.toThrow('pass');
    },
  );

  it('refuse a certificate of an unknown authority, once', async () => {
    setDefaultCACertificates(systemCertificates);
    try {
      const port = await listen(
        createTlsServer(
          { key: LOOPBACK_KEY, cert: LOOPBACK_CERTIFICATE },
          (incoming, response) => void echo(incoming, response),
        ),
      );
      await expect(createClient(undefined)(`https://localhost:${port}/`)).rejects.toMatchObject({
        reason: 'invalid_request',
        code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
        retryable: false,
      });
    } finally {
      setDefaultCACertificates([...systemCertificates, LOOPBACK_CERTIFICATE]);
    }
  });

  it.each([
    [
      'socks5://user:pass@127.0.0.1:1',
      'HTTPS_PROXY or HTTP_PROXY names the unsupported proxy protocol socks5://; use http:// or https://.',
    ],
    ['http://user:pass@', 'The proxy URL in HTTPS_PROXY or HTTP_PROXY is invalid; use http://host:port.'],
  ])('say what is wrong with the proxy %s', async (proxy, message) => {
    await expect(createClient(proxy)('https://model.test/')).rejects.toMatchObject({
      reason: 'invalid_request',
      message,
    });
  });
});

describe('localhost', () => {
  it.each(['127.0.0.1', '::1'])('reaches a server that listens on %s only', async (address) => {
    const server = createServer((_request: IncomingMessage, response: ServerResponse) => void response.end('here'));
    const port = await listen(server, address);
    const client = createHttpClient();
    cleanups.push(() => client.close());
    const { status } = await client.get({ url: new URL(`http://localhost:${port}/`), headers: {} });
    expect(status).toBe(200);
  });
});
