/**
 * What a plain answer loads while it runs, whatever the bundle imports lazily: a module preloaded into the program
 * reports Node's own modules and the files that were loaded.
 */

import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const REPORT = `
process.on('exit', () => {
  const builtins = process.moduleLoadList.filter((name) => name.startsWith('NativeModule '));
  const report = { builtins: builtins.map((name) => name.slice(13)), files: Object.keys(require.cache) };
  require('node:fs').writeFileSync(process.env.LOADED_REPORT, JSON.stringify(report));
});
`;

it('answers without the modules that only tools, hashes and long prompts need', async () => {
  await using files = await createWorkspace();
  const preload = join(files.root, 'report.cjs');
  const path = join(files.root, 'loaded.json');
  await writeFile(preload, REPORT);
  await using model = await fakeModel([
    say('An answer that is long enough to be compared with the next turn. '.repeat(9)),
  ]);
  const env = { NODE_OPTIONS: `--require=${preload}`, LOADED_REPORT: path };
  expect((await runCli(['-p', 'hi'], { model, workspace: files, env })).code).toBe(0);
  const loaded = JSON.parse(await readFile(path, 'utf8')) as { builtins: string[]; files: string[] };
  expect(loaded.builtins).toContain('http');
  expect(loaded.builtins.filter((name) => /^(crypto|child_process|https|zlib|worker_threads)$/.test(name))).toEqual([]);
  // Maintenance, and nothing that reads sessions. Packed chunks come from the program, not from a file each.
  const chunks = loaded.files.map((file) => basename(file)).filter((name) => /-[A-Z0-9]{8}[-.]/.test(name));
  expect(chunks.filter((name) => name.includes('.packed.'))).toEqual([]);
  expect(chunks.length).toBeLessThanOrEqual(4);
});
