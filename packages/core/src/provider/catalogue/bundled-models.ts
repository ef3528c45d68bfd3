/**
 * What is known of models by name, bundled with the program: a table per provider, and families by name for the rest.
 * Data only; loaded when a model other than the Gemini API's is chosen.
 */

import type { KnownModel, KnownModels } from './provider-catalogue.ts';

const BUNDLED: Readonly<Record<string, KnownModels>> = {};

export function bundledModels(provider: string): KnownModels {
  return BUNDLED[provider] ?? {};
}

/** Families by name. Every matching row applies; a later one overrides an earlier one. */
const FAMILIES: readonly [name: RegExp, known: KnownModel][] = [
  [
    /claude/i,
    {
      family: 'claude',
      contextWindow: 200_000,
      maxOutput: 32_000,
      images: true,
      documents: true,
      mediaInResponses: true,
    },
  ],
  [/(?:^|\/)gpt-|(?:^|\/)o\d/i, { family: 'gpt', images: true }],
  [/deepseek/i, { family: 'deepseek' }],
  [/qwen/i, { family: 'qwen' }],
  [/kimi|moonshot/i, { family: 'kimi' }],
  [/glm/i, { family: 'glm' }],
  [/mistral|magistral|devstral|codestral/i, { family: 'mistral' }],
  [/gemini/i, { family: 'gemini', contextWindow: 1_048_576, images: true }],
];

export function familyOf(model: string): KnownModel | undefined {
  const rows = FAMILIES.filter(([name]) => name.test(model)).map(([, known]) => known);
  return rows.length === 0 ? undefined : Object.assign({}, ...rows);
}
