/** The proxy at the wire: HTTP, CONNECT and SOCKS5, what each host becomes, and what the log says of it. */

import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { NetworkLog } from './network-log.ts';
import { SessionProxy } from './session-proxy.ts';

/** A proxy that allows `trusted.com`, whose address is that of a page here. */
async function openProxy() {
  const page = createServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'http://evil.tld/' });
    response.end('the page');
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const { port } = page.address() as AddressInfo;
  const log = new NetworkLog();
  const proxy = new SessionProxy({
    log,
    decide: async (host) => ({ isAllowed: /^(?:trusted|missing)\.com$/.test(host), why: `${host} is not allowed` }),
    allowsAddress: () => true,
    lookup: async (host) => {
      if (host === 'missing.com') throw new Error('ENOTFOUND');
      return [{ address: '127.0.0.1' }];
    },
  });
  await proxy.listen();
  proxy.expect('call-1');
  return {
    port,
    log,
    proxy,
    /** Sends bytes, and returns what came back when the proxy or the page closed. */
    send: (pieces: readonly (string | Buffer)[]) =>
      new Promise<Buffer>((resolve, reject) => {
        const socket = connect(proxy.port ?? 0, '127.0.0.1');
        let got = Buffer.alloc(0);
        socket.on('data', (chunk) => (got = Buffer.concat([got, chunk])));
        socket.on('error', reject).on('close', () => resolve(got));
        for (const piece of pieces) socket.write(piece);
      }),
    [Symbol.dispose]: () => {
      proxy.close();
      page.close();
    },
  };
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

describe('SOCKS5', () => {
  const named = (user: string) => [
    Buffer.from([5, 2, 0, 2]),
    Buffer.concat([Buffer.from([1, user.length]), Buffer.from(user), Buffer.from([1]), Buffer.from('x')]),
  ];
  const wanted = (host: string | Buffer, port: number, kind = 3) => {
    const bytes = typeof host === 'string' ? Buffer.from(host, 'latin1') : host;
    const rest = Buffer.from([port >> 8, port & 255]);
    return Buffer.concat([
      Buffer.from([5, 1, 0, kind]),
      ...(kind === 3 ? [Buffer.from([bytes.length])] : []),
      bytes,
      rest,
    ]);
  };

  it('passes an allowed host on, under the name of its call', async () => {
    using env = await openProxy();
    const got = await env.send([...named('call-1'), wanted('trusted.com', env.port), GET]);
    expect([...got.subarray(0, 14)]).toEqual([5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    expect(got.toString('latin1')).toContain('the page');
    expect(env.log.since(0)).toEqual([
      expect.objectContaining({ call: 'call-1', host: 'trusted.com', isAllowed: true }),
    ]);
  });

  it.each<[what: string, host: string | Buffer, kind?: number]>([
    ['another host', 'evil.tld'],
    ['a name that only begins like it', 'trusted.com.evil.tld'],
    ['a name that is cut by a zero', 'trusted.com\0.evil.tld'],
    ['an address', Buffer.from([127, 0, 0, 1]), 1],
    ['an address of version 6', Buffer.from('00000000000000000000000000000001', 'hex'), 4],
  ])('refuses %s', async (_, host, kind) => {
    using env = await openProxy();
    const got = await env.send([Buffer.from([5, 1, 0]), wanted(host, env.port, kind), GET]);
    expect([...got]).toEqual([5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
    expect(env.log.since(0)).toEqual([expect.objectContaining({ call: undefined, isAllowed: false })]);
  });

  it('listens to no other command, and ends a connection that breaks off', async () => {
    using env = await openProxy();
    const bind = wanted('trusted.com', env.port);
    bind[1] = 2;
    expect([...(await env.send([Buffer.from([5, 1, 0]), bind]))].slice(0, 4)).toEqual([5, 0, 5, 7]);
    expect([...(await env.send([Buffer.from([5, 1, 9])]))]).toEqual([5, 255]);
  });
});

describe('HTTP', () => {
  const asked = (host: string) => [
    `GET http://${host}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `CONNECT ${host} HTTP/1.1\r\n\r\n`,
  ];

  it.each([
    'trusted.com.evil.tld',
    'evil.tld',
    'trusted.com%00.evil.tld',
    'trusted.com@evil.tld',
    'xn--trsted-4ya.com',
    '2130706433',
    '[::ffff:7f00:1]',
  ])('refuses %s by both ways', async (host) => {
    using env = await openProxy();
    for (const request of asked(`${host}:${env.port}`)) {
      const got = (await env.send([request])).toString('latin1');
      expect(got).toMatch(/^(?:HTTP\/1\.1 40[03] |$)/);
      expect(got).not.toContain('the page');
    }
    expect(env.log.since(0).filter(({ isAllowed }) => isAllowed)).toEqual([]);
  });

  it('does not follow a redirect: the program asks again, and is refused', async () => {
    using env = await openProxy();
    const away = `GET http://trusted.com:${env.port}/away HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const got = (await env.send([away])).toString('latin1');
    expect(got).toMatch(/^HTTP\/1\.1 302 [^]*location: http:\/\/evil\.tld\//i);
    const [next = ''] = asked('evil.tld:80');
    expect((await env.send([next])).toString('latin1')).toMatch(/ 403 [^]*evil\.tld is not allowed/);
  });

  it('calls an allowed host that does not exist missing, not denied', async () => {
    using env = await openProxy();
    for (const request of asked('missing.com:443'))
      expect((await env.send([request])).toString('latin1')).toMatch(/^HTTP\/1\.1 502 [^]*missing\.com was not found/);
    expect(env.log.since(0).every(({ isAllowed }) => isAllowed)).toBe(true);
  });
});

describe('a program that ends while it waits', () => {
  it.each<[what: string, hello: (string | Buffer)[]]>([
    ['CONNECT', ['CONNECT slow.com:443 HTTP/1.1\r\nHost: slow.com\r\n\r\n']],
    ['CONNECT and more', ['CONNECT slow.com:443 HTTP/1.1\r\nHost: slow.com\r\n\r\n', 'x'.repeat(1000)]],
    ['http', ['GET http://slow.com/ HTTP/1.1\r\nHost: slow.com\r\n\r\n']],
    [
      'SOCKS5',
      [
        Buffer.from([5, 1, 0]),
        Buffer.concat([Buffer.from([5, 1, 0, 3, 8]), Buffer.from('slow.com'), Buffer.from([1, 187])]),
      ],
    ],
  ])('is told to the one who decides: %s', async (_, hello) => {
    const asked = Promise.withResolvers<AbortSignal | undefined>();
    const decided = Promise.withResolvers<{ isAllowed: boolean; why: string }>();
    const proxy = new SessionProxy({
      log: new NetworkLog(),
      decide: (_host, _port, _call, gone) => {
        asked.resolve(gone);
        return decided.promise;
      },
    });
    await proxy.listen();
    try {
      const socket = connect(proxy.port ?? 0, '127.0.0.1');
      socket.on('error', () => undefined);
      for (const piece of hello) socket.write(piece);
      const gone = await asked.promise;
      expect(gone?.aborted).toBe(false);
      socket.end();
      await expect.poll(() => gone?.aborted).toBe(true);
    } finally {
      decided.resolve({ isAllowed: false, why: 'gone' });
      proxy.close();
    }
  });
});
