/** The examples of docs/hooks.md, run as a reader would run them. */

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOOK_EVENTS } from '@castor/core/program';
import { createWorkspace, runCli } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

const page = await readFile(new URL('../../docs/hooks.md', import.meta.url), 'utf8');
const sections = page
  .split(/^### /m)
  .slice(1)
  .map((section) => section.split(/^## /m)[0] ?? '');

function blockOf(section: string, language: string): string | undefined {
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(section)?.[1];
}

describe('docs/hooks.md', () => {
  it('has one example for each event', () => {
    const titles = sections.map((section) => section.split('\n')[0]);
    expect([titles.length, new Set(titles)]).toEqual([HOOK_EVENTS.length, new Set(HOOK_EVENTS)]);
  });

  it.each(sections.map((section) => [section.split('\n')[0] ?? '', section]))(
    'has an example for %s that does what the page says',
    async (event, section) => {
      const [settings = '', script, effect] = ['json', 'bash', 'text'].map((language) => blockOf(section, language));
      await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings } });
      const path = /^# ~\/(\S+)$/m.exec(script ?? '')?.[1];
      if (script !== undefined && path !== undefined) {
        const file = join(workspace.home, path);
        await mkdir(join(file, '..'), { recursive: true });
        await writeFile(file, script);
        await chmod(file, 0o755);
      }
      const { stdout, stderr, code } = await runCli(['hooks', 'test', event], { workspace });
      expect([code, stderr, `${stdout.split('\n').at(-2)}\n`]).toEqual([0, '', effect]);
    },
  );

  it('has a first example that holds back what it says and nothing else', async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': blockOf(page, 'json') ?? '' },
      files: { 'push.json': '{"tool_input": {"command": "git push"}}' },
    });
    const run = async (...args: string[]) =>
      (await runCli(['hooks', 'test', 'BeforeTool', ...args], { workspace })).stdout;
    expect(await run()).toContain('Effect: none');
    expect(await run('--input', 'push.json')).toContain('Tool execution blocked: Pushing is mine.');
  });
});

describe('test/hooks/README.md', async () => {
  const folder = new URL('.', import.meta.url);
  const table = await readFile(new URL('README.md', folder), 'utf8');
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| event'))
    .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '').trim()));

  it('has a row for each event', () => {
    const named = new Set(rows.map(([event]) => event));
    expect(HOOK_EVENTS.filter((event) => !named.has(event))).toEqual([]);
  });

  it('names tests that there are', async () => {
    const files = new Map<string, string>();
    for (const name of new Set(rows.map((row) => row[2] ?? ''))) {
      files.set(name, await readFile(new URL(`${name}.test.ts`, folder), 'utf8'));
    }
    expect(rows.filter(([, , file = '', title = '']) => !files.get(file)?.includes(`'${title}'`))).toEqual([]);
  });
});
