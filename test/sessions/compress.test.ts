import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

/** Nothing is said twice in it: that would be taken for a loop. */
const LONG = Array.from({ length: 900 }, (_, index) => (index * index).toString(36)).join(' ');

describe('/compress', () => {
  it('stores the shorter conversation once, and the session goes on with it', async () => {
    await using workspace = await createWorkspace({ files: { 'GEMINI.md': 'Be brief.' } });
    const summary = say('<state_snapshot>Much was said.</state_snapshot>');
    await using model = await fakeModel([say(LONG), summary, summary, say('Yes.')]);
    await runCli(['-p', 'Tell me all'], { workspace, model });
    expect(await runCli(['-r', '-p', '/compress'], { workspace, model })).toMatchObject({ code: 0 });
    const chats = (await runCli(['sessions', 'path'], { workspace })).stdout.trim();
    const [name = ''] = await readdir(chats);
    const lines = (await readFile(join(chats, name), 'utf8')).split('\n');
    expect(lines.filter((line) => line.startsWith('{"$set":{"messages"')).length).toBe(1);
    await runCli(['-r', '-p', 'Go on'], { workspace, model });
    const sent = JSON.stringify(model.requests.at(-1)?.body.contents);
    expect([sent.match(/Much was said/g)?.length, sent.includes(LONG), model.violations]).toEqual([1, false, []]);
  });
});
