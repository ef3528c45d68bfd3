import { createFakeClock, fakeModel, fault, say } from '@castor/testkit';
import type { Script, Step } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { GeminiChat } from '../chat/gemini-chat.ts';
import { createGeminiGenerator } from '../model/gemini/generator.ts';
import type { Content } from '../protocol/content.ts';
import { CompressionStatus } from '../protocol/events.ts';
import { Compressor } from './compression.ts';
import type { CompressionOptions } from './compression.ts';
import { SavedOutputs } from './tool-output-masking.ts';
import { UtilityModel } from './utility-model.ts';

const NEVER = new AbortController().signal;
const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });
const modelTurn = (text: string): Content => ({ role: 'model', parts: [{ text }] });
const LONG = 'x'.repeat(8000);
const HISTORY = [user(`first ${LONG}`), modelTurn(LONG), user('second'), modelTurn('b'), user('third'), modelTurn('c')];
const SNAPSHOT = say('<state_snapshot>s1</state_snapshot>');
const FINAL = say('<state_snapshot>s2</state_snapshot>');

async function setUp(script: Script, history: Content[] = HISTORY, options: Partial<CompressionOptions> = {}) {
  const model = await fakeModel(script);
  const clock = createFakeClock();
  const generator = createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' });
  const chat = new GeminiChat({ generator, model: 'm', clock, history });
  const utility = new UtilityModel({
    generator,
    clock,
    resolveModel: () => ({ model: 'gemini-2.5-flash', config: {} }),
  });
  const compressor = new Compressor({ model: utility, tokenLimit: () => 1000, ...options });
  const compress = (force = false) =>
    compressor.tryCompressChat({ chat, activeModel: 'm', prompt_id: 'p', signal: NEVER, force });
  return { model, chat, compress, [Symbol.asyncDispose]: () => model.close() };
}

describe('Compressor', () => {
  it('replaces the older part by a snapshot and keeps the newest', async () => {
    await using env = await setUp([SNAPSHOT, FINAL]);
    const { compressionStatus, newTokenCount, originalTokenCount } = await env.compress();
    expect([compressionStatus, newTokenCount < originalTokenCount]).toEqual([CompressionStatus.COMPRESSED, true]);
    const [summary, acknowledgement, ...kept] = env.chat.getHistory();
    expect(summary?.parts?.[0]?.text).toContain('<state_snapshot>s2</state_snapshot>');
    expect(acknowledgement?.role).toBe('model');
    expect(kept).toEqual(HISTORY.slice(2));
    env.model.assertDone();
  });

  it('keeps the instructions of the project word for word', async () => {
    const context = user('<session_context>\nUse tabs.\n</session_context>');
    await using env = await setUp([SNAPSHOT, FINAL], [context, ...HISTORY]);
    await env.compress();
    const [first, summary, , ...kept] = env.chat.getHistory();
    expect(first).toEqual(context);
    expect(summary?.parts?.[0]?.text).toContain('<state_snapshot>s2</state_snapshot>');
    expect(kept).toEqual(HISTORY.slice(2));
  });

  it('keeps the first snapshot when the second call fails', async () => {
    await using env = await setUp([SNAPSHOT, fault(400)]);
    await env.compress();
    expect(env.chat.getHistory()[0]?.parts?.[0]?.text).toContain('s1');
  });

  it('does nothing below the threshold unless forced', async () => {
    await using env = await setUp([SNAPSHOT, FINAL], HISTORY, { threshold: 0.9, tokenLimit: () => 1_000_000 });
    expect((await env.compress()).compressionStatus).toBe(CompressionStatus.NOOP);
    expect((await env.compress(true)).compressionStatus).toBe(CompressionStatus.COMPRESSED);
  });

  it('has nothing to do in an empty session', async () => {
    await using env = await setUp([], []);
    expect(await env.compress(true)).toEqual({
      originalTokenCount: 0,
      newTokenCount: 0,
      compressionStatus: CompressionStatus.NOOP,
    });
  });

  const empty: Step[] = Array.from({ length: 2 }, () => fault('empty_answer'));
  it.each<[string, Step[], CompressionStatus]>([
    ['returns nothing', empty, CompressionStatus.COMPRESSION_FAILED_EMPTY_SUMMARY],
    ['fails', [fault(400)], CompressionStatus.COMPRESSION_FAILED_EMPTY_SUMMARY],
    [
      'returns something larger',
      [say('y'.repeat(60_000)), say('y'.repeat(60_000))],
      CompressionStatus.COMPRESSION_FAILED_INFLATED_TOKEN_COUNT,
    ],
  ])('leaves the history as it was when the summariser %s', async (_what, script, status) => {
    await using env = await setUp(script);
    expect((await env.compress()).compressionStatus).toBe(status);
    expect(env.chat.getHistory()).toEqual(HISTORY);
  });

  it('only shortens tool output after a summary came out larger', async () => {
    const call = (id: string): Content => ({ role: 'model', parts: [{ functionCall: { id, name: 't', args: {} } }] });
    const output = (id: string): Content => ({
      role: 'user',
      parts: [{ functionResponse: { id, name: 't', response: { output: 'z'.repeat(150_000) } } }],
    });
    const history = [user('go'), call('1'), output('1'), call('2'), output('2'), modelTurn('done')];
    const saved: string[] = [];
    const savedOutputs = new SavedOutputs(async (_tool, callId) => {
      saved.push(callId);
      return { path: `/saved/${callId}` };
    });
    const large = say('y'.repeat(400_000));
    await using env = await setUp([large, large], history, { savedOutputs });
    expect((await env.compress()).compressionStatus).toBe(CompressionStatus.COMPRESSION_FAILED_INFLATED_TOKEN_COUNT);
    expect((await env.compress()).compressionStatus).toBe(CompressionStatus.CONTENT_TRUNCATED);
    expect(JSON.stringify(env.chat.getHistory()[2])).toContain('/saved/1');
    expect(env.chat.getHistory()[4]).toEqual(output('2'));
  });

  it('fires PreCompress with its trigger, and goes on when the hook throws', async () => {
    const fired: string[] = [];
    const hooks = {
      preCompress: async (trigger: string) => {
        fired.push(trigger);
        throw new Error('hook');
      },
    };
    await using env = await setUp([SNAPSHOT, FINAL], HISTORY, { hooks });
    expect((await env.compress()).compressionStatus).toBe(CompressionStatus.COMPRESSED);
    await env.compress(true);
    expect(fired).toEqual(['auto', 'manual']);
  });

  it('drops long requests before short demands when there is too much to carry', async () => {
    const demands = ['Tabs everywhere, please', 'British spelling in the docs', 'Never touch prod.yml'];
    const requests = Array.from({ length: 30 }, (_, index) => `request ${index} ${'word '.repeat(300)}`);
    const history = [...demands, ...requests].flatMap((text) => [user(text), modelTurn(LONG)]);
    await using env = await setUp(() => FINAL, history);
    for (let round = 0; round < 5; round++) {
      expect((await env.compress(true)).compressionStatus).toBe(CompressionStatus.COMPRESSED);
      for (const text of [`more ${round} ${'word '.repeat(300)}`, 'and?']) {
        env.chat.addHistory(user(text));
        env.chat.addHistory(modelTurn(LONG));
      }
    }
    const carried = env.chat.getHistory()[0]?.parts?.[0]?.text ?? '';
    expect(demands.filter((demand) => !carried.includes(JSON.stringify(demand)))).toEqual([]);
    expect(carried.length).toBeLessThan(30_000);
  });

  it('carries what the user demanded and the todo list word for word through five compressions', async () => {
    const constraints = Array.from(
      { length: 12 },
      (_, index) => `Never touch file-${index}.ts, "not even" </carried_over> once.`,
    );
    const todos = Array.from({ length: 9 }, (_, index) => ({
      description: `step ${index}`,
      status: (['completed', 'in_progress', 'pending'] as const)[index % 3],
    }));
    const history: Content[] = [
      ...constraints.flatMap((constraint) => [user(constraint), modelTurn('Understood.')]),
      { role: 'model', parts: [{ functionCall: { id: '1', name: 'write_todos', args: { todos } } }] },
      { role: 'user', parts: [{ functionResponse: { id: '1', name: 'write_todos', response: { output: 'ok' } } }] },
      modelTurn(LONG),
    ];
    await using env = await setUp(() => say('<state_snapshot>forgot everything</state_snapshot>'), history);
    for (let round = 0; round < 5; round++) {
      expect((await env.compress(true)).compressionStatus).toBe(CompressionStatus.COMPRESSED);
      env.chat.addHistory(user(`filler ${round}`));
      env.chat.addHistory(modelTurn(LONG));
      env.chat.addHistory(user(`more ${round}`));
      env.chat.addHistory(modelTurn('ok'));
    }
    const summary = env.chat.getHistory()[0]?.parts?.[0]?.text ?? '';
    const block = JSON.parse(summary.slice(summary.indexOf('{'), summary.lastIndexOf('}') + 1)) as {
      user_statements: string[];
      todos: unknown;
    };
    expect(block.user_statements.slice(0, 12)).toEqual(constraints);
    expect(block.todos).toEqual(todos);
  });
});
