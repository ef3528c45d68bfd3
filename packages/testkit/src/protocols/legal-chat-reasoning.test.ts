import { describe, expect, it } from 'vitest';
import { chat } from './chat.ts';
import { judge } from './legal.fixture.ts';
import { Memory } from './memory.ts';
import type { ChatVendor } from './protocol.ts';

const USER = { role: 'user', content: 'hello' };
const CALL = { id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '{}' } };
const ASKS = { role: 'assistant', content: null, tool_calls: [CALL] };
const RESULT = { role: 'tool', tool_call_id: 'call_a', content: 'text' };

const messages = (...list: object[]) => ({ model: 'gpt-4.1', messages: list });
const asks = (call: object) => messages(USER, { ...ASKS, tool_calls: [{ ...CALL, ...call }] }, RESULT);
const by = (vendor: ChatVendor) => ({ options: { vendor } });
const LEGAL = messages(USER, ASKS, RESULT);

describe('the rules of reasoning in Chat Completions', () => {
  it('takes back the reasoning that a compatible server sent', () => {
    const memory = new Memory();
    memory.remember('gpt-4.1', [{ role: 'assistant', reasoning_content: 'y' }]);
    const said = { role: 'assistant', content: 'x', reasoning_content: 'y' };
    expect(judge(chat, messages(USER, said, USER), { memory })).toEqual([]);
  });

  it("wants OpenRouter's details back whole and unmodified, by the model that wrote them", () => {
    const details = [{ type: 'reasoning.text', text: 'x', index: 0 }];
    const turn = { ...ASKS, reasoning_details: details };
    const memory = new Memory();
    memory.remember('gpt-4.1', [turn]);
    const judged = { ...by('openrouter'), memory };
    expect(judge(chat, messages(USER, turn, RESULT), judged)).toEqual([]);
    expect(judge(chat, LEGAL, judged)).toEqual(['400 reasoning_details must be passed back unmodified.']);
    const changed = { ...turn, reasoning_details: [{ ...details[0], text: 'y' }] };
    expect(judge(chat, messages(USER, changed, RESULT), judged)).toHaveLength(1);
    expect(judge(chat, { ...messages(USER, turn, RESULT), model: 'other' }, judged)).toHaveLength(1);
    expect(judge(chat, { ...LEGAL, model: 'other' }, judged)).toEqual([]);
  });

  it("wants Gemini's signature back on the call it came with", () => {
    const signed = { ...CALL, extra_content: { google: { thought_signature: 'sig' } } };
    const memory = new Memory();
    memory.remember('gpt-4.1', [{ ...ASKS, tool_calls: [signed] }]);
    const judged = { ...by('google'), memory };
    expect(judge(chat, asks(signed), judged)).toEqual([]);
    expect(judge(chat, LEGAL, judged)[0]).toContain('missing a thought_signature');
    const other = { extra_content: { google: { thought_signature: 'other' } } };
    expect(judge(chat, asks(other), judged)).toEqual(['400 Corrupted thought signature.']);
  });
});
