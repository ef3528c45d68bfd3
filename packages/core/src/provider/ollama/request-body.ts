/** Serialises the settings of a request into the fields of Ollama's chat, as far as the model takes them. */

import type { GenerateContentConfig } from '../../protocol/content.ts';
import type { ModelFacts } from '../catalogue/model-catalogue.ts';
import { answerForm } from '../wire/answer-form.ts';
import { definedFields } from '../wire/defined-fields.ts';
import { effortOf } from '../wire/thinking-effort.ts';
import { declaredTools } from '../wire/tool-schema.ts';

type Settings = Record<string, unknown>;

/** For models that take a level; they do not stop thinking altogether. Any other model rejects a level. */
const LEVELS = { none: 'low', minimal: 'low', low: 'low', medium: 'medium', high: 'high' } as const;

/** Every field beside `messages`. */
export function settingsFields(model: string, config: GenerateContentConfig, facts: ModelFacts): Settings {
  const hasTools = facts.tools !== false && config.toolConfig?.functionCallingConfig?.mode !== 'NONE';
  const tools = hasTools ? declaredTools(config) : [];
  const form = answerForm(config);
  const effort = facts.thinking === undefined ? undefined : effortOf(config.thinkingConfig);
  const fields = {
    model,
    stream: true,
    // A prompt that does not fit must be an error, not a shorter prompt.
    truncate: false,
    shift: false,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, schema }) => ({
            type: 'function',
            function: { name, description, parameters: schema },
          })),
    think: effort === undefined ? undefined : facts.thinking === 'effort' ? LEVELS[effort] : effort !== 'none',
    // A format is a grammar for the whole answer: with it the model cannot call a tool.
    format: tools.length > 0 ? undefined : form && (form.schema ?? 'json'),
    options: definedFields({
      num_ctx: facts.contextWindow,
      num_predict: config.maxOutputTokens,
      temperature: config.temperature,
      top_p: config.topP,
      top_k: config.topK,
      seed: config.seed,
      stop: config.stopSequences,
    }),
  };
  return definedFields(fields);
}
