/** The network of a session for real: what passes the proxy, what does not, and what the log says of it. */

import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestSandbox, reasonToSkip } from '../sandbox.fixture.ts';

const reason = await reasonToSkip();

async function startWeb() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.headers.host} ${request.url} ${request.headers['proxy-authorization'] ?? 'no proxy header'}`);
    response.end('the page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, seen, [Symbol.dispose]: () => void server.close() };
}

/** A client of the proxy in bash: sends the user name that names its call, and prints the answer. */
const get = (url: string) =>
  `user=\${http_proxy#http://}; key=$(printf %s "\${user%@*}" | base64); exec 3<>/dev/tcp/127.0.0.1/3128; ` +
  `printf 'GET %s HTTP/1.1\\r\\nHost: x\\r\\nProxy-Authorization: Basic %s\\r\\nConnection: close\\r\\n\\r\\n' '${url}' "$key" >&3; cat <&3`;
const NODE = { PATH: `${process.execPath.replace(/\/node$/, '')}:${process.env['PATH']}` };

describe.skipIf(reason !== undefined)(
  `the network of a session${reason === undefined ? '' : `: skipped, ${reason}`}`,
  () => {
    it('passes an allowed host, holds an unknown one until it is decided, and refuses the rest with a reason', async () => {
      using web = await startWeb();
      const asked: string[] = [];
      const answers = Promise.withResolvers<boolean>();
      using box = await openTestSandbox({
        decideHost: async (host, port) => {
          asked.push(`${host}:${port}`);
          if (host === 'listed.example') return { isAllowed: true, why: 'listed' };
          if (host === 'localhost') return { isAllowed: await answers.promise, why: 'the user allowed it' };
          return { isAllowed: false, why: `${host} is not allowed` };
        },
        allowsAddress: () => true,
      });
      const held = box.run(get(`http://localhost:${web.port}/held`));
      const denied = await box.run(get(`http://evil.example:${web.port}/`));
      expect(denied.stdout).toMatch(/ 403 [^]*evil.example is not allowed/);
      // The other one still waits.
      while (!asked.includes(`localhost:${web.port}`)) await new Promise((resolve) => setImmediate(resolve));
      answers.resolve(true);
      expect((await held).stdout).toMatch(/ 200 [^]*the page/);
      expect(web.seen).toEqual([`localhost:${web.port} /held no proxy header`]);
      const attempts = box.sandbox.log.since(0);
      expect(attempts.map(({ host, isAllowed }) => [host, isAllowed])).toEqual(
        expect.arrayContaining([
          ['evil.example', false],
          ['localhost', true],
        ]),
      );
      expect(new Set(attempts.map(({ call }) => call)).size).toBe(2);
    });

    it('reaches neither the computer nor its network, by name or by number', async () => {
      using web = await startWeb();
      using box = await openTestSandbox({
        decideHost: async () => ({ isAllowed: true, why: 'everything' }),
        // A name of another owner, whose address is ours.
        lookup: async () => [{ address: '93.184.216.34' }, { address: '127.0.0.1' }],
      });
      const urls = [
        'rebound.example.org',
        'localhost.',
        '127.0.0.1',
        '2130706433',
        '0x7f.1',
        '169.254.169.254',
        '[::1]',
        '[::ffff:127.0.0.1]',
      ];
      for (const host of urls) {
        const line = `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://%s:${web.port}/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' '${host}' >&3; head -1 <&3`;
        expect([host, (await box.run(line)).stdout]).toEqual([host, expect.stringContaining(' 403 ')]);
      }
      const direct = await box.run(`(echo > /dev/tcp/127.0.0.1/${web.port}) 2>/dev/null && echo reached`);
      expect([direct.stdout, web.seen]).toEqual(['', []]);
    });

    it('tells which name a program asked for that knows no proxy', async () => {
      using box = await openTestSandbox({ decideHost: async () => ({ isAllowed: false, why: 'no' }) });
      const { code } = await box.run('(echo > /dev/tcp/registry.example.org/443) 2>/dev/null');
      expect(code).not.toBe(0);
      expect(box.sandbox.log.since(0)).toContainEqual(
        expect.objectContaining({ host: 'registry.example.org', port: 0, isAllowed: false }),
      );
    });

    it('holds a name that a program without a proxy asks for, and passes its connections on', async () => {
      const server = createTcpServer((socket) => socket.end('served'));
      await new Promise<void>((resolve) =>
        server.listen(9418, `127.88.${(process.pid >> 8) & 255}.${process.pid & 255}`, resolve),
      );
      const { address } = server.address() as AddressInfo;
      try {
        const decided: string[] = [];
        using box = await openTestSandbox({
          decideHost: async (host, port) => {
            decided.push(`${host}:${port}`);
            return { isAllowed: true, why: 'the user allowed it' };
          },
          allowsAddress: () => true,
          lookup: async () => [{ address }],
        });
        const { stdout } = await box.run('exec 3<>/dev/tcp/code.example.org/9418 && cat <&3');
        expect(stdout).toBe('served');
        // Once for each kind of address, then for the connection.
        expect([...new Set(decided)]).toEqual(['code.example.org:0', 'code.example.org:9418']);
      } finally {
        server.close();
      }
    });

    it('tells that a command no longer waits, however it asked', async () => {
      const answered = Promise.withResolvers<{ isAllowed: boolean; why: string }>();
      const gone: (AbortSignal | undefined)[] = [];
      const seen: (() => void)[] = [];
      using box = await openTestSandbox({
        decideHost: async (host, port, _call, signal) => {
          // A program without a proxy gets an address, and waits with its connection.
          if (host === 'passed.example.org' && port === 0) return { isAllowed: true, why: 'name' };
          gone.push(signal);
          seen.shift()?.();
          return answered.promise;
        },
      });
      const lines = [
        'exec 3<>/dev/tcp/127.0.0.1/3128; printf "CONNECT a.example.org:443 HTTP/1.1\\r\\n\\r\\n" >&3; read -t 300 -n 1 <&3',
        'exec 3<>/dev/tcp/passed.example.org/443; read -t 300 -n 1 <&3',
        'exec 3<>/dev/tcp/named.example.org/443',
      ];
      for (const line of lines) {
        gone.length = 0;
        const isAsked = new Promise<void>((resolve) => seen.push(resolve));
        // The line ends by itself only after the question: it is killed while it waits.
        const ran = box.run(`mkfifo go 2>/dev/null; (${line}) 2>/dev/null & read -r _ < go; kill -9 $!; wait`);
        await isAsked;
        await expect.poll(() => existsSync(join(box.root, 'go')), { timeout: 30_000 }).toBe(true);
        expect(gone.every((signal) => signal?.aborted === false)).toBe(true);
        writeFileSync(join(box.root, 'go'), 'go\n');
        await ran;
        await expect.poll(() => gone.every((signal) => signal?.aborted), { timeout: 30_000 }).toBe(true);
      }
      answered.resolve({ isAllowed: false, why: 'late' });
    });

    it('takes no name of a call that it did not give', async () => {
      using box = await openTestSandbox({ decideHost: async () => ({ isAllowed: false, why: 'no' }) });
      const own = box.sandbox.watchNetwork();
      const key = Buffer.from('call-000000000000:x').toString('base64');
      await box.run(
        `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT a.example.org:443 HTTP/1.1\\r\\nProxy-Authorization: Basic ${key}\\r\\n\\r\\n' >&3; cat <&3`,
      );
      expect(own()).toEqual([expect.objectContaining({ call: undefined, host: 'a.example.org' })]);
      // What another command tries meanwhile is not told of this one.
      const next = box.sandbox.watchNetwork();
      expect(next()).toEqual([]);
    });

    it('shares localhost between the commands of a session', async () => {
      using box = await openTestSandbox({ decideHost: async () => ({ isAllowed: false, why: 'no' }) });
      const serve = `node -e "require('node:net').createServer((s) => s.end('served', () => process.exit(0))).listen(4567)"`;
      const serving = box.run(serve, { environment: NODE });
      const read = 'until exec 3<>/dev/tcp/127.0.0.1/4567; do sleep 0.05; done 2>/dev/null; cat <&3';
      expect((await box.run(read)).stdout).toBe('served');
      expect((await serving).code).toBe(0);
    });

    it('shows the port of a server on this computer, as long as it runs', async () => {
      const shown = Promise.withResolvers<{ port: number; shownAt: number }>();
      using box = await openTestSandbox({
        decideHost: async () => ({ isAllowed: false, why: 'no' }),
        onPort: (port) => shown.resolve(port),
      });
      const serve = `node -e "require('node:http').createServer((_, r) => r.end('served', () => process.exit(0))).listen(6379, '127.0.0.1')"`;
      const serving = box.run(serve, { environment: NODE });
      const { port, shownAt } = await shown.promise;
      // The number of a database is not taken: a program of the user could send its password there.
      expect([port, shownAt === port]).toEqual([6379, false]);
      expect(await (await fetch(`http://127.0.0.1:${shownAt}/`)).text()).toBe('served');
      expect((await serving).code).toBe(0);
      const isOpen = () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(shownAt, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
          socket.once('connect', () => socket.destroy());
        });
      // Each try ends with an event; the port is closed when one is refused.
      for (let open = true; open;) open = await isOpen();
    });

    it('is not there in the profile read-only', async () => {
      using box = await openTestSandbox({
        profile: 'read-only',
        decideHost: async () => ({ isAllowed: true, why: '' }),
      });
      expect((await box.run('(echo > /dev/tcp/127.0.0.1/3128) 2>/dev/null || echo none')).stdout).toBe('none\n');
    });
  },
);
