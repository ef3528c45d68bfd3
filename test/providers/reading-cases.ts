/** Rows of the fault table: reasoning inside the text, text that is repeated, and the counts of tokens (T54–T56). */

import { answer, dialect, finish, say, text } from '@castor/testkit';
import type { Quirks, ScriptUsage } from '@castor/testkit';
import { expect } from 'vitest';
import { only } from './fault-case.fixture.ts';
import type { FaultCase } from './fault-case.fixture.ts';

const counted = (title: string, letters: string, quirks: Quirks, usage: ScriptUsage, total: number): FaultCase => ({
  id: 'T56',
  title,
  protocols: only(letters),
  script: [dialect(answer(text('fine'), finish('STOP', { usage })), { quirks })],
  expected: { text: 'fine', requests: 1 },
  check({ protocol }, { events }) {
    const finished = events.find((event) => event.type === 'finished');
    const counts = protocol === 'gemini' ? usage : { ...usage, totalTokenCount: total };
    expect(finished?.value.usageMetadata).toMatchObject(counts);
  },
});

const thinking = (title: string, pieces: readonly string[], shown: string): FaultCase => ({
  id: 'T54',
  title: `Q16: ${title}`,
  protocols: only('CO'),
  script: [say(pieces), say('next')],
  prompts: ['one', 'two'],
  expected: { requests: 2 },
  check({ requests }, _last, [first]) {
    expect(first).toMatchObject({ text: shown, retries: [] });
    expect(first!.thoughts).toBe('I ponder');
    expect(JSON.stringify(requests()[1]!.body)).not.toContain('I ponder');
  },
});

export const READING_CASES: readonly FaultCase[] = [
  thinking('tags', ['<think>I ponder</think>', '\n\nfine'], 'fine'),
  thinking('tags that are cut', ['<th', 'ink>I pon', 'der</thi', 'nk>', 'fine'], 'fine'),
  thinking(
    'tags after white space',
    ['\n <think>', 'I ponder', '</think>\n', 'fine <think> of it'],
    'fine <think> of it',
  ),
  {
    id: 'T54',
    title: 'Q16: a closing tag alone, from a server on this machine',
    protocols: only('C'),
    scene: { isLocal: true },
    script: [say(['I ponder', '</think>fine']), say(['I ponder', '</think>fine']), say('I ponder</think>good')],
    prompts: ['one', 'two'],
    expected: { text: 'good', requests: 3, retries: 0, thoughts: 'I ponder' },
    check: (_scene, _last, [first]) => expect(first).toMatchObject({ text: 'fine', thoughts: 'I ponder' }),
  },
  {
    id: 'T54',
    title: 'Q16: a closing tag from a hosted model is text',
    script: [say('Write </think> at the end.')],
    expected: { text: 'Write </think> at the end.', thoughts: '', requests: 1 },
  },
  {
    id: 'T55',
    title: 'Q15: text that is repeated in every frame',
    protocols: only('C'),
    script: [dialect(say(['He', 'llo', ' wor', 'ld', '!']), { quirks: { cumulativeText: true } })],
    expected: { text: 'Hello world!', requests: 1 },
  },
  {
    id: 'T55',
    title: 'text that only looks repeated',
    protocols: only('C'),
    script: [say(['ha', 'haha', ' he laughed', ' ha', ' haha'])],
    expected: { text: 'hahaha he laughed ha haha', requests: 1 },
  },
  counted(
    'cached tokens and thoughts',
    'GCRA',
    {},
    { promptTokenCount: 100, cachedContentTokenCount: 60, candidatesTokenCount: 5, thoughtsTokenCount: 7 },
    112,
  ),
  counted(
    'written to the cache',
    'CRA',
    {},
    { promptTokenCount: 100, cacheWriteTokenCount: 30, candidatesTokenCount: 5 },
    105,
  ),
  counted(
    'Q19: usage in every chunk',
    'C',
    { usage: 'every' },
    { promptTokenCount: 100, candidatesTokenCount: 5 },
    105,
  ),
  counted(
    'Q19: usage in the choice',
    'C',
    { usage: 'choice' },
    { promptTokenCount: 100, candidatesTokenCount: 5 },
    105,
  ),
  counted(
    'Q19: usage with the finish',
    'C',
    { usage: 'finish' },
    { promptTokenCount: 100, candidatesTokenCount: 5 },
    105,
  ),
  counted('plain counts', 'GCRAO', {}, { promptTokenCount: 100, candidatesTokenCount: 5 }, 105),
  {
    id: 'T56',
    title: 'no usage at all stays unknown',
    scene: { server: { quirks: { usage: 'none' } } },
    script: [answer(text('fine'), finish('STOP', { usage: null }))],
    expected: { text: 'fine', requests: 1 },
    check(_scene, { events }) {
      const finished = events.find((event) => event.type === 'finished');
      expect(finished?.value.usageMetadata).toBeUndefined();
    },
  },
];
