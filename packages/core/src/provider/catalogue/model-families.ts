/** What the name of a model tells: its family, and how the family is asked to think. For models that no table knows. */

import type { KnownModel } from './provider-catalogue.ts';

/** Every matching row applies; a later one overrides an earlier one. */
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
      thinking: 'adaptive',
    },
  ],
  // Before 3.7 no Claude thinks.
  [/claude-(?:instant|2|3(?![.-]7))/i, { thinking: undefined, maxOutput: 4_096 }],
  [/claude-3[.-]7|claude-(?:opus|sonnet|haiku)-4(?:[.-][015])?(?!\d)(?![.-][6-9](?!\d))/i, { thinking: 'budget' }],
  [/claude-(?:sonnet|haiku|opus)-4[.-]5/i, { maxOutput: 64_000 }],
  [/claude-(?:fable|mythos)/i, { thinking: 'always' }],
  [/(?:^|\/)(?:gpt-|o\d|codex-)/i, { family: 'gpt', images: true }],
  [/(?:^|\/)(?:gpt-(?:[5-9]|\d\d)|o\d|codex-)/i, { thinking: 'effort' }],
  [/(?:^|\/)gpt-[\d.]+-chat/i, { thinking: undefined }],
  [/(?:^|\/)gpt-oss/i, { family: 'local', images: false, thinking: 'effort' }],
  [/deepseek/i, { family: 'deepseek' }],
  [/deepseek-(?:r\d|reasoner|v4|flash|pro)/i, { thinking: 'switch' }],
  [/qwen|qwq/i, { family: 'qwen' }],
  [/qwen3(?!.*(?:coder|instruct))|qwq/i, { thinking: 'switch' }],
  [/qwen[\d.]*-?vl|qvq/i, { images: true }],
  [/kimi|moonshot/i, { family: 'kimi' }],
  [/kimi-k2.*thinking|kimi-k2[.p-][5-9]|kimi-k[3-9]/i, { thinking: 'switch' }],
  [/glm/i, { family: 'glm' }],
  [/glm-(?:4[.p-][5-9]|[5-9])/i, { thinking: 'switch' }],
  [/glm-[\d.]+v/i, { images: true }],
  [/mistral|magistral|devstral|codestral|ministral/i, { family: 'mistral' }],
  [/gemini/i, { family: 'gemini', contextWindow: 1_048_576, images: true, documents: true }],
];

export function familyOf(model: string): KnownModel | undefined {
  const rows = FAMILIES.filter(([name]) => name.test(model)).map(([, known]) => known);
  return rows.length === 0 ? undefined : Object.assign({}, ...rows);
}
