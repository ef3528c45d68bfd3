import { describe, expect, it } from 'vitest';
import type { Content, Part } from '../protocol/content.ts';
import { ConversationBuilder, INTERRUPTED_CALL, INTERRUPTED_RESPONSE } from './conversation.ts';

const user = (...parts: (Part | string)[]): Content => ({ role: 'user', parts: parts.map(toPart) });
const model = (...parts: (Part | string)[]): Content => ({ role: 'model', parts: parts.map(toPart) });
const toPart = (part: Part | string): Part => (typeof part === 'string' ? { text: part } : part);
const call = (name: string, id: string): Part => ({ functionCall: { id, name, args: {} }, thoughtSignature: 's' });
const response = (name: string, id: string, value: Record<string, unknown> = { output: 'ok' }): Part => ({
  functionResponse: { id, name, response: value },
});
const build = (...turns: Content[]) => ConversationBuilder.of(turns).contents;

describe('ConversationBuilder', () => {
  it('passes a legal conversation on by reference', () => {
    const turns = [user('a'), model(call('t', '1')), user(response('t', '1')), model('done'), user('b')];
    expect(build(...turns).map((content, index) => content === turns[index])).toEqual([true, true, true, true, true]);
  });

  it('joins neighbours of one role', () => {
    expect(build(user('a'), user('b'), model('c'), model('d'), user('e'))).toEqual([
      user('a', 'b'),
      model('c', 'd'),
      user('e'),
    ]);
  });

  it('leaves out thoughts, empty parts and empty turns', () => {
    expect(build(user('a', ''), model({ text: 'hm', thought: true }, 'b', ''), user(), user('c'))).toEqual([
      user('a'),
      model('b'),
      user('c'),
    ]);
  });

  it('answers an interrupted call with an error before the words that follow it', () => {
    const turns = [user('a'), model(call('t', '1'), call('u', '2')), user(response('u', '2'), 'go on')];
    expect(build(...turns).at(-1)).toEqual(
      user(response('t', '1', { error: INTERRUPTED_CALL }), response('u', '2'), 'go on'),
    );
  });

  it('answers interrupted calls also when another model turn follows', () => {
    expect(build(user('a'), model(call('t', '1')), model('b'), user('c'))).toEqual([
      user('a'),
      model(call('t', '1')),
      user(response('t', '1', { error: INTERRUPTED_CALL })),
      model('b'),
      user('c'),
    ]);
  });

  it('lays responses in the order of their calls and drops those without a call', () => {
    const turns = [
      user('a', response('stray', '0')),
      model(call('t', '1'), call('u', '2')),
      user(response('u', '2'), response('x', '9'), response('t', '1')),
    ];
    expect(build(...turns)).toEqual([
      user('a'),
      model(call('t', '1'), call('u', '2')),
      user(response('t', '1'), response('u', '2')),
    ]);
  });

  it('says where an answer was cut off when new words follow a tool result', () => {
    expect(build(user('a'), model(call('t', '1')), user(response('t', '1')), user('never mind')).slice(2)).toEqual([
      user(response('t', '1')),
      model(INTERRUPTED_RESPONSE),
      user('never mind'),
    ]);
  });

  it('gives a session that begins with the model a beginning', () => {
    expect(build(model('hi'), user('a'))[0]?.role).toBe('user');
  });

  it.each([
    ['a b', 'a_b'],
    ['9lives', '_9lives'],
    ['', '_'],
    ['emoji🙂', 'emoji__'],
  ])('reads the tool name %j back to the service as %j, in call and response alike', (name, legal) => {
    const turns = [user('a'), model(call(name, '1')), user(response(name, '1'))];
    const [, asked, answered] = build(...turns);
    expect([asked?.parts?.[0]?.functionCall?.name, answered?.parts?.[0]?.functionResponse?.name]).toEqual([
      legal,
      legal,
    ]);
  });

  it('signs the first unsigned call of a step and no other', () => {
    const unsigned = (id: string): Part => ({ functionCall: { id, name: 't', args: {} } });
    const contents = build(user('a'), model(unsigned('1'), unsigned('2')));
    expect(contents[1]?.parts?.map((part) => part.thoughtSignature)).toEqual([
      'skip_thought_signature_validator',
      undefined,
    ]);
  });

  it('makes any sequence of turns legal once a user turn ends it', () => {
    const random = seeded(7);
    const pick = <T>(...options: T[]): T => options[Math.floor(random() * options.length)] as T;
    const anyPart = (): Part =>
      pick<() => Part>(
        () => ({ text: pick('', 'x', '\u0000', '\ud800') }),
        () => ({ text: 'hm', thought: true }),
        () => ({}),
        () => null as never,
        () => call(pick('t', 'u v', ''), String(Math.floor(random() * 4))),
        () => ({ functionCall: { args: 'no' as never } }),
        () => response(pick('t', 'u v', 'z'), String(Math.floor(random() * 4))),
        () => ({ functionResponse: { response: [1] as never } }),
        () => ({ text: '', thoughtSignature: 'sig' }),
        () => ({ inlineData: { mimeType: 'image/png', data: 'AA==' } }),
      )();
    for (let round = 0; round < 2000; round++) {
      const length = Math.floor(random() * 8);
      const turns = Array.from({ length }, () => ({
        role: pick('user', 'model'),
        parts: Array.from({ length: Math.floor(random() * 4) }, anyPart),
      }));
      const builder = ConversationBuilder.of([...turns, user('end')]);
      expect(() => builder.assertLegal(), JSON.stringify(turns)).not.toThrow();
    }
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
