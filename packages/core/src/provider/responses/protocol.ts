/** OpenAI's Responses API as a WireProtocol: stateless, with encrypted reasoning that goes back. */

import type { Content, GenerateContentConfig, GenerateContentParameters } from '../../protocol/content.ts';
import type { ApiError } from '../../protocol/errors.ts';
import type { ModelFacts } from '../catalogue/model-catalogue.ts';
import { createConversationWriter } from '../wire/conversation-json.ts';
import { findReportedError, judgeFailure } from '../wire/judge-failure.ts';
import { createNameReader } from '../wire/spelling.ts';
import { systemText } from '../wire/system-text.ts';
import { effortOf } from '../wire/thinking-effort.ts';
import { declaredNames, declaredTools } from '../wire/tool-schema.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';
import type { ProtocolOptions, RequestBody, WireProtocol } from '../wire/wire-protocol.ts';
import { EventReader } from './event-reader.ts';
import { writeItems } from './items.ts';

/** Fields that a request works without; a server that rejects one gets the next requests without it. */
const DISPENSABLE = ['include', 'store', 'prompt_cache_key', 'reasoning', 'tool_choice', 'text'];
/** The words of a rejection that concerns reasoning of earlier turns. */
const STATE_WORDS =
  /encrypted content.*(?:verified|decrypt)|required following item|required 'reasoning' item|item with id '?(?:rs|fc|msg)_/is;

type Fields = Record<string, unknown>;

export function createResponsesProtocol(options: ProtocolOptions): WireProtocol {
  const { provider, endpoint, factsOf, quirks, cacheKey } = options;
  const keyOf = (model: string) => ({ provider, protocol: 'responses', endpoint: endpoint.host, model });
  /** Conversations whose reasoning the server could not verify, by their first turn. */
  const unverified = new WeakSet<Content>();
  const without = new Set<string>();

  const writerFor = (state: boolean) =>
    createConversationWriter('', (model) => {
      const { images = false, documents = false } = factsOf(model);
      return (content) => writeItems(content, { origin: keyOf(model), images, documents, state });
    });
  const conversations = { whole: writerFor(true), reduced: writerFor(false) };

  function body({ model, contents, config = {} }: GenerateContentParameters): RequestBody {
    const [first] = contents;
    const isReduced = first !== undefined && unverified.has(first);
    const fields = settingsFields(model, config, factsOf(model));
    if (quirks.cacheKey) fields['prompt_cache_key'] = cacheKey;
    const sent = Object.fromEntries(
      Object.entries(fields).filter(([name, value]) => value !== undefined && !without.has(name)),
    );
    return [
      Buffer.from(`${toWellFormedJson(sent).slice(0, -1)},"input":[`),
      conversations[isReduced ? 'reduced' : 'whole'].bytes(contents, model),
      Buffer.from(']}'),
    ];
  }

  return {
    name: 'responses',
    framing: 'sse',
    path: () => 'responses',
    body,
    reader: ({ model, config = {} }) =>
      new EventReader({
        origin: keyOf(model),
        readName: createNameReader(declaredNames(config)),
        maxOutputTokens: config.maxOutputTokens,
      }),
    toError: (answer) => judgeFailure(answer, findReportedError(answer.body) ?? { types: [] }),

    adapt(error, { contents }) {
      const [first] = contents;
      if (first && !unverified.has(first) && STATE_WORDS.test(error.message)) {
        unverified.add(first);
        return { notice: 'The provider could not verify earlier reasoning; it was left out of this conversation.' };
      }
      const field = error.reason === 'invalid_request' ? rejectedField(error, without) : undefined;
      if (field === undefined) return undefined;
      without.add(field);
      return {};
    },
  };
}

function rejectedField({ message }: ApiError, without: ReadonlySet<string>): string | undefined {
  const isAboutField = /unknown|unrecognized|unsupported|not supported|unexpected|extra inputs/i.test(message);
  if (!isAboutField) return undefined;
  return DISPENSABLE.find((field) => !without.has(field) && new RegExp(`\\b${field}\\b`).test(message));
}

/** Every field beside `input`. */
function settingsFields(model: string, config: GenerateContentConfig, facts: ModelFacts): Fields {
  const tools = facts.tools === false ? [] : declaredTools(config);
  const instructions = systemText(config.systemInstruction);
  const thinks = facts.thinking !== undefined;
  const effort = effortOf(config.thinkingConfig);
  const mode: unknown = config.toolConfig?.functionCallingConfig?.mode;
  return {
    model,
    stream: true,
    store: false,
    include: thinks ? ['reasoning.encrypted_content'] : undefined,
    instructions: instructions === '' ? undefined : instructions,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, schema }) => ({
            type: 'function',
            name,
            description,
            parameters: schema,
            strict: false,
          })),
    tool_choice: tools.length === 0 ? undefined : mode === 'ANY' ? 'required' : mode === 'NONE' ? 'none' : undefined,
    reasoning: thinks ? { ...(effort !== undefined && { effort }), summary: 'auto' } : undefined,
    max_output_tokens: config.maxOutputTokens,
    text: textFormat(config),
    // Models that reason reject sampling.
    ...(!thinks && { temperature: config.temperature, top_p: config.topP }),
  };
}

function textFormat({
  responseJsonSchema,
  responseSchema,
  responseMimeType,
}: GenerateContentConfig): Fields | undefined {
  const schema: unknown = responseJsonSchema ?? responseSchema;
  if (schema !== undefined) return { format: { type: 'json_schema', name: 'answer', schema, strict: false } };
  return responseMimeType === 'application/json' ? { format: { type: 'json_object' } } : undefined;
}
