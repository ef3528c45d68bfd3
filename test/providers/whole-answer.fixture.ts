/** One whole JSON answer of each protocol, as a gateway sends that does not stream. */

import { jsonAnswer } from '@castor/testkit';
import type { Step } from '@castor/testkit';
import type { ProtocolName } from '../../packages/core/src/provider/providers.ts';

interface Whole {
  text?: string;
  call?: { name: string; args: Record<string, unknown> };
}

const WRITERS: Readonly<Record<ProtocolName, (whole: Whole) => object>> = {
  gemini: ({ text, call }) => ({
    candidates: [
      {
        content: { role: 'model', parts: [...(text ? [{ text }] : []), ...(call ? [{ functionCall: call }] : [])] },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
  }),
  chat: ({ text, call }) => ({
    id: 'c',
    object: 'chat.completion',
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text ?? null,
          ...(call && {
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } },
            ],
          }),
        },
        finish_reason: call ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  }),
  responses: ({ text, call }) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'm',
    output: [
      ...(text
        ? [
            {
              id: 'msg_1',
              type: 'message',
              role: 'assistant',
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ]
        : []),
      ...(call
        ? [
            {
              id: 'fc_1',
              type: 'function_call',
              call_id: 'call_1',
              name: call.name,
              arguments: JSON.stringify(call.args),
            },
          ]
        : []),
    ],
    usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
  }),
  anthropic: ({ text, call }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      ...(text ? [{ type: 'text', text }] : []),
      ...(call ? [{ type: 'tool_use', id: 'toolu_1', name: call.name, input: call.args }] : []),
    ],
    stop_reason: call ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
  }),
  ollama: ({ text, call }) => ({
    model: 'm',
    message: {
      role: 'assistant',
      content: text ?? '',
      ...(call && { tool_calls: [{ function: { name: call.name, arguments: call.args } }] }),
    },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 11,
    eval_count: 7,
  }),
};

export function wholeAnswer(protocol: ProtocolName, whole: Whole): Step {
  return jsonAnswer(200, WRITERS[protocol](whole));
}
