import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, inject, it } from 'vitest';

/** Fifty: as many as a user, their editors and their CI have at once at worst. */
const SESSIONS = inject('isEndurance') ? 50 : 4;

describe('many sessions of one user in one folder at once', () => {
  it('all answer and are all on disk, each with its own words', async () => {
    await using workspace = await createWorkspace();
    await using model = await fakeModel(({ body }) => say(`re ${body.contents.at(-1).parts.at(-1).text}`));
    const prompts = Array.from({ length: SESSIONS }, (_, index) => `prompt ${index}`);
    const results = await Promise.all(prompts.map((prompt) => runCli(['-p', prompt], { workspace, model })));
    expect(results.map(({ stdout, code }) => [stdout, code])).toEqual(prompts.map((prompt) => [`re ${prompt}\n`, 0]));
    const projects = join(workspace.home, '.gemini', 'tmp');
    const [project = ''] = await readdir(projects);
    const chats = join(projects, project, 'chats');
    const recorded = await Promise.all((await readdir(chats)).map((name) => readFile(join(chats, name), 'utf8')));
    const said = recorded.map((text) => /"content":\[\{"text":"(prompt \d+)"/.exec(text)?.[1]);
    expect(new Set(said)).toEqual(new Set(prompts));
    expect(recorded.every((text) => text.includes('"type":"gemini"'))).toBe(true);
  });
});
