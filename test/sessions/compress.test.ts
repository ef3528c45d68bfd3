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

  it(
    'reports the tokens of the history before and after, both measured on what requests carry',
    { tags: 'wide' },
    async () => {
      await using workspace = await createWorkspace({ files: { 'GEMINI.md': 'Be brief. '.repeat(40) } });
      const summary = say('<state_snapshot>Much was said.</state_snapshot>');
      const told = [0, 1, 2, 3].map((count) => say(`${count} ${LONG}`));
      await using model = await fakeModel([...told, summary, summary, say('Yes.')]);
      await runCli(['-p', 'Tell me 0'], { workspace, model });
      for (const count of [1, 2, 3]) await runCli(['-r', '-p', `Tell me ${count}`], { workspace, model });
      const { stdout } = await runCli(['-r', '-p', '/compress'], { workspace, model });
      const [, from = 0, to = 0] = (/from (\d+) to (\d+) tokens/.exec(stdout) ?? []).map(Number);
      await runCli(['-r', '-p', 'Go on'], { workspace, model });
      const textIn = (index: number) =>
        (model.requests.at(index)?.body.contents as { parts: { text?: string }[] }[]).flatMap(({ parts }) =>
          parts.map((part) => part.text ?? ''),
        );
      // A token is four characters of this text; the last answer is not in the last request before it.
      const before = [...textIn(3), `3 ${LONG}`].join('').length / 4;
      const after = textIn(-1).slice(0, -1).join('').length / 4;
      expect(Math.abs(from - before) / before).toBeLessThan(0.05);
      expect(Math.abs(to - after) / after).toBeLessThan(0.05);
    },
  );
});
