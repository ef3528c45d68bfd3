/** Reads what a request of any protocol holds, in one form: the turns, the calls and their results. */

import type { ModelRequest } from '@castor/testkit';
import type { ProtocolName } from '../../packages/core/src/provider/providers.ts';

type Fields = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- bodies are arbitrary JSON, read and compared

export interface SentCall {
  id: string | undefined;
  name: string;
  args: unknown;
}

export interface SentResult {
  id: string | undefined;
  /** The JSON of the result as it stands in the request. */
  text: string;
}

export interface SentRequest {
  calls: SentCall[];
  results: SentResult[];
  /** The texts of the model's turns, in order. */
  modelTexts: string[];
  /** The turns, messages or items. */
  turns: Fields[];
  json: string;
}

export function sentIn(protocol: ProtocolName, { body }: ModelRequest): SentRequest {
  const turns: Fields[] = body.contents ?? body.messages ?? body.input;
  return { ...READERS[protocol](turns), turns, json: JSON.stringify(body) };
}

type Read = (turns: Fields[]) => Pick<SentRequest, 'calls' | 'results' | 'modelTexts'>;

const READERS: Readonly<Record<ProtocolName, Read>> = {
  gemini(turns) {
    const parts = turns.flatMap(({ parts: own }) => own as Fields[]);
    return {
      calls: parts.flatMap(({ functionCall: call }) =>
        call ? [{ id: call.id, name: call.name, args: call.args }] : [],
      ),
      results: parts.flatMap(({ functionResponse: result }) =>
        result ? [{ id: result.id, text: JSON.stringify(result.response) }] : [],
      ),
      modelTexts: turns
        .filter(({ role }) => role === 'model')
        .flatMap(({ parts: own }) => (own as Fields[]).flatMap(({ text }) => (text ? [text] : []))),
    };
  },
  chat: (turns) => ({
    calls: turns.flatMap(({ tool_calls: calls = [] }) =>
      (calls as Fields[]).map(({ id, function: made }) => ({ id, name: made.name, args: JSON.parse(made.arguments) })),
    ),
    results: turns.flatMap(({ role, tool_call_id: id, content }) => (role === 'tool' ? [{ id, text: content }] : [])),
    modelTexts: turns.flatMap(({ role, content }) => (role === 'assistant' && content ? [content] : [])),
  }),
  responses: (turns) => ({
    calls: turns.flatMap(({ type, call_id: id, name, arguments: args }) =>
      type === 'function_call' ? [{ id, name, args: JSON.parse(args) }] : [],
    ),
    results: turns.flatMap(({ type, call_id: id, output }) =>
      type === 'function_call_output'
        ? [{ id, text: typeof output === 'string' ? output : JSON.stringify(output) }]
        : [],
    ),
    modelTexts: turns.flatMap(({ type, role, content }) =>
      type === 'message' && role === 'assistant'
        ? typeof content === 'string'
          ? [content]
          : (content as Fields[]).map(({ text }) => text)
        : [],
    ),
  }),
  anthropic(turns) {
    const blocks = turns.flatMap(({ content }) => content as Fields[]);
    return {
      calls: blocks.flatMap(({ type, id, name, input }) => (type === 'tool_use' ? [{ id, name, args: input }] : [])),
      results: blocks.flatMap(({ type, tool_use_id: id, content }) =>
        type === 'tool_result' ? [{ id, text: typeof content === 'string' ? content : JSON.stringify(content) }] : [],
      ),
      modelTexts: turns
        .filter(({ role }) => role === 'assistant')
        .flatMap(({ content }) => (content as Fields[]).flatMap(({ type, text }) => (type === 'text' ? [text] : []))),
    };
  },
  ollama: (turns) => ({
    calls: turns.flatMap(({ tool_calls: calls = [] }) =>
      (calls as Fields[]).map(({ id, function: made }) => ({ id, name: made.name, args: made.arguments })),
    ),
    results: turns.flatMap(({ role, tool_call_id: id, content }) => (role === 'tool' ? [{ id, text: content }] : [])),
    modelTexts: turns.flatMap(({ role, content }) => (role === 'assistant' && content ? [content] : [])),
  }),
};
