/** Serialises the settings of a request into the fields of Chat Completions, as far as the server and the model take them. */

import type { GenerateContentConfig, ThinkingConfig } from '../../protocol/content.ts';
import type { ModelFacts } from '../catalogue/model-catalogue.ts';
import { type OpenAiForm, openAiForm } from '../wire/answer-form.ts';
import { definedFields, type Fields } from '../wire/defined-fields.ts';
import { effortFor, effortOf } from '../wire/thinking-effort.ts';
import { declaredTools } from '../wire/tool-schema.ts';
import type { ChatQuirks, ReasoningQuirk } from './quirks.ts';
import type { ChatResponseFormat, ChatSettings, ChatThinking } from './request-types.ts';

type Sampling = Pick<ChatSettings, 'temperature' | 'top_p' | 'seed' | 'presence_penalty' | 'frequency_penalty'>;

const MAX_STOPS = 4;

export interface SettingsOptions {
  quirks: ChatQuirks;
  facts: ModelFacts;
  cacheKey?: string | undefined;
  /** Fields the server has rejected. */
  without: ReadonlySet<string>;
}

/** Every field beside `messages`. A field that is not set is not sent: strict servers reject what they do not know. */
export function settingsFields(model: string, config: GenerateContentConfig, options: SettingsOptions): ChatSettings {
  const { quirks, facts, cacheKey, without } = options;
  const tools = facts.tools === false ? [] : declaredTools(config, quirks.openSchemas);
  const { maxTokensField = 'max_tokens', streamOptions = true } = quirks;
  const limit = config.maxOutputTokens;
  const fields: Fields<ChatSettings> = {
    model,
    stream: true,
    stream_options: streamOptions ? { include_usage: true } : undefined,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, schema }) => ({
            type: 'function',
            function: { name, description, parameters: schema },
          })),
    tool_choice: tools.length === 0 || quirks.toolChoice === false ? undefined : toolChoice(config),
    max_tokens: maxTokensField === 'max_tokens' ? limit : undefined,
    max_completion_tokens: maxTokensField === 'max_completion_tokens' ? limit : undefined,
    ...samplingFields(config, facts),
    stop: config.stopSequences?.slice(0, MAX_STOPS),
    response_format: responseFormat(
      openAiForm(config, { hasTools: tools.length > 0, formBesideTools: quirks.formBesideTools }),
    ),
    ...thinkingFields(config.thinkingConfig, facts, quirks.reasoning),
    prompt_cache_key: quirks.cacheKey ? cacheKey : undefined,
  };
  return definedFields<ChatSettings>(fields, without);
}

function toolChoice({ toolConfig }: GenerateContentConfig): ChatSettings['tool_choice'] {
  const mode: unknown = toolConfig?.functionCallingConfig?.mode;
  if (mode === 'ANY') return 'required';
  return mode === 'NONE' ? 'none' : undefined;
}

/** Models that reason reject a temperature; `gpt-5` and the o-series are known by how they are asked to think. */
function samplingFields(
  { temperature, topP, seed, presencePenalty, frequencyPenalty }: GenerateContentConfig,
  facts: ModelFacts,
): Fields<Sampling> | undefined {
  if (facts.family === 'gpt' && facts.thinking !== undefined) return undefined;
  return { temperature, top_p: topP, seed, presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty };
}

function responseFormat(form: OpenAiForm | undefined): ChatResponseFormat | undefined {
  if (!form?.schema) return form && { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: 'answer', schema: form.schema, strict: form.strict } };
}

/** A model that does not think gets no knob at all: servers reject it. */
function thinkingFields(
  thinking: ThinkingConfig | undefined,
  facts: ModelFacts,
  quirk: ReasoningQuirk = {},
): ChatThinking {
  const effort = effortOf(thinking);
  if (effort === undefined || facts.thinking === undefined) return {};
  const isOff = effort === 'none';
  switch (quirk.knob) {
    case 'effort':
      return { reasoning_effort: effortFor(facts, effort) };
    case 'openrouter':
      return { reasoning: isOff ? { enabled: false } : { effort } };
    case 'deepseek':
      return { thinking: { type: isOff ? 'disabled' : 'enabled' }, ...(!isOff && { reasoning_effort: 'high' }) };
    case 'thinking-type':
      return { thinking: { type: isOff ? 'disabled' : 'enabled' } };
    case 'enable-thinking':
      return { chat_template_kwargs: { enable_thinking: !isOff } };
    case undefined:
      return {};
  }
}
