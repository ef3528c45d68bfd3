/** Serialises the settings of a request into the fields of the Responses API, as far as the server and the model take them. */

import type { GenerateContentConfig } from '../../protocol/content.ts';
import type { ModelFacts } from '../catalogue/model-catalogue.ts';
import { type OpenAiForm, openAiForm } from '../wire/answer-form.ts';
import { definedFields, type Fields } from '../wire/defined-fields.ts';
import { systemText } from '../wire/system-text.ts';
import { effortFor, effortOf } from '../wire/thinking-effort.ts';
import { declaredTools } from '../wire/tool-schema.ts';
import type { ResponsesFormat, ResponsesSettings } from './request-types.ts';

export interface SettingsOptions {
  facts: ModelFacts;
  cacheKey?: string | undefined;
  /** See ChatQuirks. */
  formBesideTools?: boolean | undefined;
  /** Fields the server has rejected. */
  without: ReadonlySet<string>;
}

/** Every field beside `input`. */
export function settingsFields(
  model: string,
  config: GenerateContentConfig,
  options: SettingsOptions,
): ResponsesSettings {
  const { facts, cacheKey, formBesideTools, without } = options;
  const tools = facts.tools === false ? [] : declaredTools(config);
  const instructions = systemText(config.systemInstruction);
  const thinks = facts.thinking !== undefined;
  const effort = effortOf(config.thinkingConfig);
  const mode: unknown = config.toolConfig?.functionCallingConfig?.mode;
  const fields: Fields<ResponsesSettings> = {
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
    reasoning: thinks
      ? { ...(effort !== undefined && { effort: effortFor(facts, effort) }), summary: 'auto' }
      : undefined,
    max_output_tokens: config.maxOutputTokens,
    text: textFormat(openAiForm(config, { hasTools: tools.length > 0, formBesideTools })),
    // Models that reason reject sampling.
    ...(!thinks && { temperature: config.temperature, top_p: config.topP }),
    prompt_cache_key: cacheKey,
  };
  return definedFields<ResponsesSettings>(fields, without);
}

function textFormat(form: OpenAiForm | undefined): ResponsesFormat | undefined {
  if (!form?.schema) return form && { format: { type: 'json_object' } };
  return { format: { type: 'json_schema', name: 'answer', schema: form.schema, strict: form.strict } };
}
