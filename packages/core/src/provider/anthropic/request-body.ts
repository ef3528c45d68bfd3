/** Serialises the settings of a request into the fields of the Messages API, as far as the model takes them. */

import type { GenerateContentConfig, ThinkingConfig } from '../../protocol/content.ts';
import type { ModelFacts } from '../catalogue/model-catalogue.ts';
import { answerForm, wordsFor } from '../wire/answer-form.ts';
import { definedFields, type Fields } from '../wire/defined-fields.ts';
import { systemText } from '../wire/system-text.ts';
import { type Effort, effortOf } from '../wire/thinking-effort.ts';
import { declaredTools } from '../wire/tool-schema.ts';
import { toAnthropicSchema } from './answer-schema.ts';
import type { AnthropicSettings, AnthropicThinkingFields } from './request-types.ts';

/** A larger answer of one request is rare, and the whole of it is reserved. */
const MAX_TOKENS = 32_000;
/** Of a window that is not much larger than the answer. */
const SHARE_OF_WINDOW = 0.25;
const LEAST_BUDGET = 1_024;
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: LEAST_BUDGET,
  low: 4_096,
  medium: 12_288,
  high: 24_576,
};

export interface SettingsOptions {
  facts: ModelFacts;
  /** Whether the API's version takes a temperature. */
  takesSampling: boolean;
  /** Whether thinking may be on: not when the calls being answered came without it. */
  mayThink: boolean;
  /** Whether the server takes the schema of an answer beside tools. */
  takesFormBesideTools: boolean;
}

/** Every field beside `model`, `messages` and the API's version. */
export function settingsFields(config: GenerateContentConfig, options: SettingsOptions): AnthropicSettings {
  const { facts } = options;
  const maxTokens = config.maxOutputTokens ?? defaultMaxTokens(facts);
  const tools = facts.tools === false ? [] : declaredTools(config);
  const thinking = options.mayThink ? thinkingFields(config.thinkingConfig, facts, maxTokens) : {};
  const wanted = answerForm(config);
  const mayHaveForm = tools.length === 0 || options.takesFormBesideTools;
  const schema = mayHaveForm ? toAnthropicSchema(wanted?.schema) : undefined;
  const outputConfig = {
    ...thinking.output_config,
    ...(schema && { format: { type: 'json_schema', schema } as const }),
  };
  // The words of a conversation ask for the form themselves.
  const isToldInWords = wanted !== undefined && schema === undefined && tools.length === 0;
  const fields: Fields<AnthropicSettings> = {
    max_tokens: maxTokens,
    system: systemBlocks(config, isToldInWords ? wordsFor(wanted) : ''),
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, schema: input }) => ({ name, description, input_schema: input })),
    tool_choice: tools.length === 0 ? undefined : toolChoice(config),
    thinking: thinking.thinking,
    output_config: Object.keys(outputConfig).length > 0 ? outputConfig : undefined,
    stop_sequences: config.stopSequences,
    ...(options.takesSampling && thinking.thinking === undefined && samplingFields(config)),
    stream: true,
  };
  return definedFields<AnthropicSettings>(fields);
}

/** What is reserved for the answer counts against the window. */
function defaultMaxTokens({ maxOutput = MAX_TOKENS, contextWindow, isWindowAssumed }: ModelFacts): number {
  const share = isWindowAssumed ? MAX_TOKENS : Math.floor(contextWindow * SHARE_OF_WINDOW);
  return Math.min(maxOutput, MAX_TOKENS, share);
}

/** The tools and the system text are the first cached prefix. */
function systemBlocks({ systemInstruction }: GenerateContentConfig, more: string): AnthropicSettings['system'] {
  const words = `${systemText(systemInstruction)}\n\n${more}`.trim();
  return words === '' ? undefined : [{ type: 'text', text: words, cache_control: { type: 'ephemeral' } }];
}

function toolChoice({ toolConfig }: GenerateContentConfig): AnthropicSettings['tool_choice'] {
  const mode: unknown = toolConfig?.functionCallingConfig?.mode;
  if (mode === 'ANY') return { type: 'any' };
  return mode === 'NONE' ? { type: 'none' } : undefined;
}

function samplingFields({
  temperature,
  topP,
  topK,
}: GenerateContentConfig): Fields<Pick<AnthropicSettings, 'temperature' | 'top_p' | 'top_k'>> {
  return { temperature, top_p: topP, top_k: topK };
}

function thinkingFields(
  config: ThinkingConfig | undefined,
  { thinking }: ModelFacts,
  maxTokens: number,
): AnthropicThinkingFields {
  const effort = effortOf(config);
  const level = effort === 'none' || effort === 'minimal' ? 'low' : effort;
  const outputConfig = level === undefined ? {} : { output_config: { effort: level } };
  switch (thinking) {
    case 'adaptive':
      if (effort === 'none') return { output_config: { effort: 'low' } };
      return { thinking: { type: 'adaptive', display: 'summarized' }, ...outputConfig };
    case 'always':
      return outputConfig;
    case 'budget': {
      const budget = Math.min(BUDGETS[effort ?? 'none'], maxTokens - 1);
      return budget < LEAST_BUDGET ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
    }
    default:
      return {};
  }
}
