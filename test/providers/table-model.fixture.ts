/**
 * A language model that is a table: each token has one successor. Embeddings are one-hot, its layer is all zeros, and
 * the output matrix says which token follows which. The template of its prompts ends with the token that starts a
 * chain: a call while tools are offered and nothing was returned, words after a result, words without an end on demand.
 */

import { type Tensor, writeGguf } from './gguf.fixture.ts';

/** The tool that the model calls, and the arguments. */
export const CALLED = { name: 'read_file', args: { path: 'notes.txt' } };
export const BEFORE_CALL = 'I read the file.';
export const AFTER_RESULT = 'The file says hello.';
export const WITHOUT_TOOLS = 'Hello from a table.';
/** A prompt with this word gets an answer without an end. */
export const ENDLESS = 'forever';

const CHAINS: Readonly<Record<string, readonly string[]>> = {
  '<|call|>': [
    'I read',
    ' the file.',
    '<tool_call>\n{"name": "',
    'read_file',
    '", "arguments": {',
    '"path": "no',
    'tes.txt"',
    '}}\n</tool_call>',
  ],
  '<|done|>': ['The file', ' says', ' hello.'],
  '<|say|>': ['Hello', ' from a', ' table.'],
  '<|long|>': ['On', ' and', ' on'],
};
const LAYER_WIDTH = 32;
const END = '</s>';
/** Far above the others, whatever the temperature. */
const CERTAIN = 10;
const TOKEN = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

const TEMPLATE = `{%- if tools %}Tools:
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}
For each call write <tool_call>
{"name": <name>, "arguments": <arguments>}
</tool_call>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' %}<s>assistant
{% if message.content %}{{ message.content }}{% endif %}
{%- if message.tool_calls %}
{%- for tool_call in message.tool_calls %}<tool_call>
{"name": "{{ tool_call.function.name }}", "arguments": {{ tool_call.function.arguments | tojson }}}
</tool_call>{% endfor %}{% endif %}</s>
{%- elif message.role == 'tool' %}<s>tool
<tool_response>{{ message.content }}</tool_response></s>
{%- else %}<s>{{ message.role }}
{{ message.content }}</s>
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}<s>assistant
{% if messages[-1].role == 'tool' %}<|done|>{% elif messages[-1].content and '${ENDLESS}' in messages[-1].content %}<|long|>{% elif tools %}<|call|>{% else %}<|say|>{% endif %}
{%- endif %}`;

interface Vocabulary {
  tokens: string[];
  types: number[];
}

export function writeTableModel(): Buffer {
  const { tokens, types } = vocabulary();
  const size = tokens.length;
  // Heads must divide the width evenly.
  const width = Math.ceil(size / LAYER_WIDTH) * LAYER_WIDTH;
  return writeGguf(
    {
      'general.architecture': 'llama',
      'general.name': 'table',
      'general.alignment': 32,
      'llama.context_length': 8192,
      'llama.embedding_length': width,
      'llama.block_count': 1,
      'llama.feed_forward_length': LAYER_WIDTH,
      'llama.attention.head_count': width / LAYER_WIDTH,
      'llama.attention.head_count_kv': 1,
      'llama.rope.dimension_count': LAYER_WIDTH,
      'llama.attention.layer_norm_rms_epsilon': 0.000_01,
      'llama.vocab_size': size,
      'tokenizer.ggml.model': 'llama',
      'tokenizer.ggml.tokens': tokens.map((token) => token.replaceAll(' ', '▁')),
      'tokenizer.ggml.scores': { type: 'f32', values: tokens.map((_, index) => -index) },
      'tokenizer.ggml.token_type': { type: 'i32', values: types },
      'tokenizer.ggml.unknown_token_id': 0,
      'tokenizer.ggml.bos_token_id': 1,
      'tokenizer.ggml.eos_token_id': 2,
      'tokenizer.ggml.add_bos_token': false,
      'tokenizer.ggml.add_space_prefix': false,
      'tokenizer.chat_template': TEMPLATE,
    },
    tensors(tokens, width),
  );
}

function vocabulary(): Vocabulary {
  const tokens = ['<unk>', '<s>', END];
  const types: number[] = [TOKEN.unknown, TOKEN.control, TOKEN.control];
  for (let byte = 0; byte < 256; byte++) {
    tokens.push(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
    types.push(TOKEN.byte);
  }
  for (const [start, chain] of Object.entries(CHAINS)) {
    tokens.push(start, ...chain);
    types.push(TOKEN.control, ...chain.map(() => TOKEN.normal));
  }
  return { tokens, types };
}

function tensors(tokens: readonly string[], width: number): Tensor[] {
  const size = tokens.length;
  const embedding = new Float32Array(size * width);
  const output = new Float32Array(size * width);
  const successors = successorsOf(tokens);
  for (let token = 0; token < size; token++) {
    embedding[token * width + token] = 1;
    output[successors[token]! * width + token] = CERTAIN;
  }
  const zeros = (rows: number, columns: number) => ({
    shape: [rows, columns],
    values: new Float32Array(rows * columns),
  });
  const ones = { shape: [width], values: new Float32Array(width).fill(1) };
  return [
    { name: 'token_embd.weight', shape: [size, width], values: embedding },
    { name: 'output_norm.weight', ...ones },
    { name: 'output.weight', shape: [size, width], values: output },
    { name: 'blk.0.attn_norm.weight', ...ones },
    { name: 'blk.0.attn_q.weight', ...zeros(width, width) },
    { name: 'blk.0.attn_k.weight', ...zeros(LAYER_WIDTH, width) },
    { name: 'blk.0.attn_v.weight', ...zeros(LAYER_WIDTH, width) },
    { name: 'blk.0.attn_output.weight', ...zeros(width, width) },
    { name: 'blk.0.ffn_norm.weight', ...ones },
    { name: 'blk.0.ffn_gate.weight', ...zeros(LAYER_WIDTH, width) },
    { name: 'blk.0.ffn_up.weight', ...zeros(LAYER_WIDTH, width) },
    { name: 'blk.0.ffn_down.weight', ...zeros(width, LAYER_WIDTH) },
  ];
}

/** Everything outside a chain ends the answer; the endless chain begins again. */
function successorsOf(tokens: readonly string[]): number[] {
  const end = tokens.indexOf(END);
  const successors = tokens.map(() => end);
  for (const [start, chain] of Object.entries(CHAINS)) {
    const first = tokens.indexOf(start);
    chain.forEach((_, index) => (successors[first + index] = first + index + 1));
    if (start === '<|long|>') successors[first + chain.length] = first + 2;
  }
  return successors;
}
