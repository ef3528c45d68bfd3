import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeRefused } from './airgap.ts';

const FIXTURE = fileURLToPath(new URL('./airgap.fixture.ts', import.meta.url));

it('refuses connections and names that no room announced, below every module of Node', async () => {
  let reached = 0;
  const closed = createServer(() => reached++).listen(0, '127.0.0.1');
  const open = createServer((_request, response) => void response.end('the model')).listen(0, '127.0.0.1');
  await Promise.all([once(closed, 'listening'), once(open, 'listening')]);
  closed.on('connection', () => reached++);
  const [closedPort, openPort] = [closed, open].map((server) => (server.address() as AddressInfo).port);
  try {
    const addresses = [`http://127.0.0.1:${closedPort}/`, `http://127.0.0.1:${openPort}/`];
    const words = ['--conditions=castor-source', '--experimental-transform-types', FIXTURE, ...addresses];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    const sentence = `127.0.0.1:${closedPort} is not reached: --airgap allows only the host of the model.`;
    expect(JSON.parse(stdout)).toEqual({
      ...{ socket: sentence, http: sentence, fetch: sentence, model: 'the model' },
      name: 'name.invalid is not reached: --airgap allows only the host of the model.',
      refused: [
        { host: '127.0.0.1', port: closedPort, why: 'not announced', times: 3 },
        { host: 'name.invalid', port: 0, why: 'not announced', times: 1 },
      ],
    });
    expect(reached).toBe(0);
  } finally {
    closed.close();
    open.close();
  }
});

it('says in one line what was refused', () => {
  const refused = [
    { host: 'a.example', port: 443, why: 'web fetch', times: 1 },
    { host: 'b.example', port: 0, why: 'sandbox proxy', times: 3 },
  ];
  expect(describeRefused(refused)).toBe(
    '--airgap refused: a.example:443 (web fetch), b.example (sandbox proxy, 3 times)',
  );
});
