import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@castor/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createInputHistory, searchHistory, walkHistory } from './input-history.ts';
import { openPromptLog } from './prompt-log.ts';

describe('createInputHistory', () => {
  it('keeps no blanks and no prompt twice in a row', () => {
    const history = createInputHistory(['a']);
    for (const text of ['a', ' ', 'b', 'a']) history.add(text);
    expect(history.entries()).toEqual(['a', 'b', 'a']);
  });
});

describe('walkHistory', () => {
  const ENTRIES = ['one', 'two'];

  it('goes back, stops at the oldest, and comes back to the draft', () => {
    const shown: (string | undefined)[] = [];
    let walk = walkHistory(ENTRIES, undefined, { by: -1, text: 'draft' });
    for (const by of [-1, -1, 1, 1, 1] as const) {
      shown.push(walk?.shown);
      const next = walkHistory(ENTRIES, walk, { by, text: walk!.shown });
      if (next === undefined) shown.push('end');
      else walk = next;
    }
    expect(shown).toEqual(['two', 'one', 'end', 'one', 'two', 'draft', 'end']);
  });

  it('begins anew from a recalled prompt that was changed', () => {
    const walk = walkHistory(ENTRIES, undefined, { by: -1, text: '' });
    expect(walkHistory(ENTRIES, walk, { by: -1, text: 'two!' })).toEqual({ index: 1, draft: 'two!', shown: 'two' });
    expect(walkHistory(ENTRIES, walk, { by: 1, text: 'two!' })).toBeUndefined();
  });
});

describe('searchHistory', () => {
  it.each<[string, number | undefined, number | undefined]>([
    ['FIX', undefined, 2],
    ['fix', 1, 0],
    ['nothing', undefined, undefined],
    ['', undefined, undefined],
  ])('finds %j from %s at %s', (query, from, index) => {
    expect(searchHistory(['fix a', 'add b', 'fix c'], query, from)).toBe(index);
  });
});

describe('openPromptLog', () => {
  async function folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'castor-log-'));
    onTestFinished(() => rm(path, { recursive: true }));
    return path;
  }
  const clock = createFakeClock();

  it('brings prompts and commands back in the next session, for the owner only', async () => {
    const directory = join(await folder(), 'project');
    const log = await openPromptLog({ directory, sessionId: 's1', clock });
    log.prompts.add('first\nprompt');
    log.prompts.add('second');
    log.commands.add('ls -l');
    await log.settled();
    const again = await openPromptLog({ directory, sessionId: 's2', clock });
    expect(again.prompts.entries()).toEqual(['first\nprompt', 'second']);
    expect(again.commands.entries()).toEqual(['ls -l']);
    expect(JSON.parse(await readFile(join(directory, 'logs.json'), 'utf8'))).toEqual([
      { sessionId: 's1', messageId: 0, type: 'user', message: 'first\nprompt', timestamp: '2026-01-01T00:00:00.000Z' },
      { sessionId: 's1', messageId: 1, type: 'user', message: 'second', timestamp: '2026-01-01T00:00:00.000Z' },
    ]);
    expect(((await stat(join(directory, 'logs.json'))).mode & 0o777).toString(8)).toBe('600');
  });

  it('puts a file it cannot read aside and begins anew', async () => {
    const directory = await folder();
    await writeFile(join(directory, 'logs.json'), '{broken');
    const log = await openPromptLog({ directory, sessionId: 's', clock });
    log.prompts.add('x');
    await log.settled();
    expect(log.prompts.entries()).toEqual(['x']);
    expect((await readdir(directory)).toSorted()).toEqual(['logs.json', 'logs.json.unreadable']);
    expect(await readFile(join(directory, 'logs.json.unreadable'), 'utf8')).toBe('{broken');
  });
});
