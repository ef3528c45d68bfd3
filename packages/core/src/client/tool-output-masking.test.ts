import { describe, expect, it } from 'vitest';
import { GeminiChat } from '../chat/gemini-chat.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import type { Content } from '../protocol/content.ts';
import { ToolOutputMask } from './tool-output-masking.ts';

/** 40,000 tokens by the local estimate. */
const BIG = 'line\n'.repeat(32_000);
const output = (id: string, name = 'run_shell_command', text = BIG): Content => ({
  role: 'user',
  parts: [{ functionResponse: { id, name, response: { output: text } } }],
});
const call = (id: string, name = 'run_shell_command'): Content => ({
  role: 'model',
  parts: [{ functionCall: { id, name, args: {} } }],
});
const outputs = (chat: GeminiChat) =>
  chat
    .getHistory()
    .flatMap(
      ({ parts }) => parts?.flatMap((part) => (part.functionResponse?.response?.['output'] as string) ?? []) ?? [],
    )
    .map((text) => text.slice(0, 20));

function setUp(history: Content[]) {
  const chat = new GeminiChat({ generator: createGeminiGenerator({ apiKey: 'k' }), model: 'm', history });
  const saved: [string, string, number][] = [];
  const mask = new ToolOutputMask(async (tool, callId, text) => {
    saved.push([tool, callId, text.length]);
    return { path: `/out/${callId}.txt` };
  });
  return { chat, mask, saved };
}

describe('ToolOutputMask', () => {
  it('replaces output that has become old by a note on where it is', async () => {
    const { chat, mask, saved } = setUp(['1', '2', '3', '4'].flatMap((id) => [call(id), output(id)]));
    await mask.apply(chat);
    expect(saved.map(([, callId]) => callId)).toEqual(['1', '2']);
    expect(outputs(chat)).toEqual([
      '<tool_output_masked>',
      '<tool_output_masked>',
      'line\nline\nline\nline\n',
      'line\nline\nline\nline\n',
    ]);
    expect(JSON.stringify(chat.getHistory()[1])).toContain('/out/1.txt');
  });

  it('does not touch a history for output that would not get shorter, or that cannot be saved', async () => {
    const small = setUp(
      Array.from({ length: 900 }, (_, id) => [call(`${id}`), output(`${id}`, 'x', BIG.slice(0, 900))]).flat(),
    );
    await small.mask.apply(small.chat);
    const { chat } = setUp(['1', '2', '3', '4'].flatMap((id) => [call(id), output(id)]));
    const before = [small.chat.getHistory(), chat.getHistory()];
    await new ToolOutputMask(async () => ({ problem: 'full' })).apply(chat);
    const after = [small.chat.getHistory(), chat.getHistory()];
    expect(after.flat().every((content, index) => content === before.flat()[index])).toBe(true);
    expect(small.saved).toEqual([]);
  });

  it('leaves a history alone in which little is old', async () => {
    const { chat, mask, saved } = setUp([call('1'), output('1'), call('2'), output('2', 'x', 'small')]);
    await mask.apply(chat);
    expect(saved).toEqual([]);
  });

  it('never masks what a person said through a tool, nor twice', async () => {
    const { chat, mask, saved } = setUp([
      call('0', 'ask_user'),
      output('0', 'ask_user'),
      ...['1', '2', '3', '4'].flatMap((id) => [call(id), output(id)]),
    ]);
    await mask.apply(chat);
    await mask.apply(chat);
    expect(saved.map(([, callId]) => callId)).toEqual(['1', '2']);
  });

  it('looks only at what was added since', async () => {
    const { chat, mask } = setUp([call('1'), output('1')]);
    await mask.apply(chat);
    const looked: number[] = [];
    const { getContent } = chat;
    chat.getContent = (index) => {
      looked.push(index);
      return getContent.call(chat, index);
    };
    chat.addHistory(call('2'));
    await mask.apply(chat);
    expect(looked).toEqual([1, 2]);
  });

  it('starts anew when the history was replaced', async () => {
    const { chat, mask, saved } = setUp([call('1'), output('1'), call('2'), output('2')]);
    await mask.apply(chat);
    chat.setHistory(['5', '6', '7', '8'].flatMap((id) => [call(id), output(id)]));
    await mask.apply(chat);
    expect(saved.map(([, callId]) => callId)).toEqual(['5', '6']);
  });
});
