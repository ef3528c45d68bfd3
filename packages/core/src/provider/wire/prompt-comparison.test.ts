import { answer, finish, text } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { openAt, sendTo, user } from './provider.fixture.ts';
import type { ProtocolName } from '../providers.ts';

/** Tokens that the server counts for one prompt after the other; the warnings of each answer. */
async function warnings(provider: ProtocolName, counts: readonly object[], contents = [user('word '.repeat(9_000))]) {
  const answers = counts.map((usage) => answer(text('ok'), finish('STOP', { usage })));
  await using opened = await openAt(provider, answers);
  const told: (readonly string[])[] = [];
  for (const _ of counts) told.push((await sendTo(opened, contents)).frames.flatMap((frame) => frame.notices ?? []));
  return told;
}

const CUT = { promptTokenCount: 4_090, candidatesTokenCount: 1 };

describe.each([
  ['ollama', 'num_ctx'],
  ['chat', 'larger window on the server'],
  ['anthropic', 'larger window on the server'],
  ['responses', 'larger window on the server'],
] as const)('%s', (provider, cure) => {
  it('warns once when the server read far less than was sent', async () => {
    const [first, second] = await warnings(provider, [CUT, CUT]);
    expect(first).toEqual([
      expect.stringMatching(/^m read 4090 tokens of a prompt of about 11\d{3}: the server cut it\./),
    ]);
    expect(first![0]).toContain(cure);
    expect(second).toEqual([]);
  });

  it('does not take a whole, a missing or a tiny count for a cut', async () => {
    const counts = [
      { promptTokenCount: 9_100, candidatesTokenCount: 1 },
      { promptTokenCount: 1, candidatesTokenCount: 1 },
    ];
    expect(await warnings(provider, counts)).toEqual([[], []]);
  });

  it('does not count the bytes of a picture as words', async () => {
    const inlineData = { mimeType: 'image/png', data: 'A'.repeat(100_000) };
    const contents = [{ role: 'user' as const, parts: [{ text: 'look' }, { inlineData }] }];
    expect(await warnings(provider, [{ promptTokenCount: 800, candidatesTokenCount: 1 }], contents)).toEqual([[]]);
  });
});
