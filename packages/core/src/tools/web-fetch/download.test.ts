import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { download } from './download.ts';
import type { DownloadOptions } from './download.ts';
import { toPageText } from './page-text.ts';

/** For what the public internet would be; nothing but tests may reach this machine. */
const allowLoopback = (address: string) => address === '127.0.0.1';

async function serve(listener: RequestListener) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url, requests, [Symbol.asyncDispose]: close };
}

function fetchPage(url: string, options: Partial<DownloadOptions> = {}) {
  const { signal } = new AbortController();
  return download(new URL(url), { signal, isAllowedAddress: allowLoopback, ...options });
}

describe('download', () => {
  it('fetches a page and says what it is', async () => {
    await using server = await serve((_request, response) => {
      response.setHeader('content-type', 'Text/HTML; Charset="ISO-8859-1"');
      response.end(Buffer.from('<p>fünf</p>', 'latin1'));
    });
    const page = await fetchPage(`${server.url}/a`);
    expect({ ...page, body: page.body.toString('latin1') }).toEqual({
      url: `${server.url}/a`,
      contentType: 'text/html',
      charset: 'iso-8859-1',
      body: '<p>fünf</p>',
    });
    expect(toPageText(page)).toBe('fünf');
  });

  it('sends no cookie and no credentials', async () => {
    const seen: string[][] = [];
    await using server = await serve((request, response) => {
      seen.push(Object.keys(request.headers));
      response.end('x');
    });
    await fetchPage(server.url);
    expect(seen).toEqual([['user-agent', 'accept', 'accept-encoding', 'host', 'connection']]);
  });

  it('refuses this machine by default, whatever it is called', async () => {
    await using server = await serve((_request, response) => response.end('secret'));
    const { port } = new URL(server.url);
    const { signal } = new AbortController();
    const refused = { type: 'web_fetch_processing_error', message: expect.stringContaining('is denied') };
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]', '0']) {
      await expect(download(new URL(`http://${host}:${port}/`), { signal })).rejects.toMatchObject(refused);
    }
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    await expect(download(new URL(`http://public.example:${port}/`), { signal, resolve })).rejects.toMatchObject(
      refused,
    );
    expect(server.requests).toEqual([]);
  });

  it('connects to the address it has checked, whatever the name says the next time', async () => {
    await using server = await serve((_request, response) => response.end('page'));
    const { port } = new URL(server.url);
    const answers = ['127.0.0.1', '10.0.0.1'];
    const resolve = async () => [{ address: answers.shift() ?? '', family: 4 }];
    const page = await fetchPage(`http://rebinding.example:${port}/`, { resolve });
    expect(page.body.toString()).toBe('page');
    expect(answers).toEqual(['10.0.0.1']);
    await expect(fetchPage(`http://rebinding.example:${port}/`, { resolve })).rejects.toThrow('is denied');
  });

  it('refuses a name when any of its addresses is private', async () => {
    const resolve = async () => [
      { address: '127.0.0.1', family: 4 },
      { address: '192.168.0.1', family: 4 },
    ];
    await expect(fetchPage('http://mixed.example/', { resolve })).rejects.toThrow('is denied');
  });

  it('follows a redirect and checks where it leads', async () => {
    await using server = await serve((request, response) => {
      if (request.url === '/start') response.writeHead(302, { location: '/end' }).end();
      else if (request.url === '/inside') response.writeHead(301, { location: 'http://169.254.169.254/latest' }).end();
      else if (request.url === '/file') response.writeHead(301, { location: 'file:///etc/passwd' }).end();
      else if (request.url === '/user') response.writeHead(307, { location: 'http://a:b@127.0.0.1/' }).end();
      else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else response.end('here');
    });
    expect((await fetchPage(`${server.url}/start`)).url).toBe(`${server.url}/end`);
    await expect(fetchPage(`${server.url}/inside`)).rejects.toThrow('Access to 169.254.169.254 is denied');
    await expect(fetchPage(`${server.url}/file`)).rejects.toThrow('Unsupported protocol');
    await expect(fetchPage(`${server.url}/user`)).rejects.toThrow('must not contain a user name');
    await expect(fetchPage(`${server.url}/loop`)).rejects.toThrow('more than 5 redirects');
  });

  it('follows a redirect to the same path with a slash at its end, as folders of servers have', async () => {
    await using server = await serve((request, response) => {
      if (request.url === '/docs') response.writeHead(301, { location: '/docs/' }).end();
      else response.end('the docs');
    });
    const page = await fetchPage(`${server.url}/docs`);
    expect({ url: page.url, body: page.body.toString() }).toEqual({ url: `${server.url}/docs/`, body: 'the docs' });
  });

  it('stops at the size limit, also of what is packed', async () => {
    await using server = await serve((request, response) => {
      if (request.url !== '/bomb') response.end(Buffer.alloc(2_000));
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000)));
    });
    await expect(fetchPage(server.url, { maxBytes: 1_000 })).rejects.toThrow('exceeds the limit of 1000 bytes');
    await expect(fetchPage(`${server.url}/bomb`, { maxBytes: 100_000 })).rejects.toThrow('exceeds the limit');
    const unpacked = await fetchPage(`${server.url}/bomb`);
    expect(unpacked.body).toHaveLength(5_000_000);
  });

  it('gives up on a server that does not answer', async () => {
    await using server = await serve(() => undefined);
    await expect(fetchPage(server.url, { timeoutMs: 50 })).rejects.toThrow('no answer within 0.05 seconds');
  });

  it('ends when it is aborted', async () => {
    const controller = new AbortController();
    await using server = await serve(() => controller.abort());
    await expect(fetchPage(server.url, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('names the status of an answer that is no page, and a connection that fails', async () => {
    await using server = await serve((_request, response) => response.writeHead(404).end());
    await expect(fetchPage(`${server.url}/x`)).rejects.toThrow(`${server.url}/x: the server answered 404.`);
    await expect(fetchPage('http://127.0.0.1:1/')).rejects.toMatchObject({ type: 'web_fetch_processing_error' });
  });

  it('refuses what is not text', async () => {
    await using server = await serve((_request, response) => {
      response.setHeader('content-type', 'image/png');
      response.end('x');
    });
    const page = await fetchPage(server.url);
    expect(() => toPageText(page)).toThrow('the content is image/png, not text');
  });
});
