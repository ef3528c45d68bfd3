import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createWorkspace } from '../workspace.ts';

const MAIN = fileURLToPath(new URL('http-main.ts', import.meta.url));

test('the program prints its addresses and serves its script', async () => {
  await using workspace = await createWorkspace({ files: { 'script.json': '{ "http": { "stream": false } }' } });
  const child = spawn(process.execPath, [MAIN, `${workspace.project}/script.json`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { url, sseUrl } = JSON.parse(line.toString()) as { url: string; sseUrl: string };
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(sseUrl, { method: 'POST' })).status).toBe(405);
  } finally {
    child.kill('SIGKILL');
  }
});
