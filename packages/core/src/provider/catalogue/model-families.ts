/** What the name of a model tells: its family, and how the family is asked to think. For models that no table knows. */

import type { KnownModel } from './provider-catalogue.ts';

/**
 * Every matching row applies to a name in lower case; a later one overrides an earlier one. A word precedes its
 * expression, since a start would otherwise compile all of them for one name.
 */
const FAMILIES: readonly [word: string, name: RegExp | undefined, known: KnownModel][] = [
  [
    'claude',
    undefined,
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
  ['claude-', /claude-(?:instant|2|3(?![.-]7))/, { thinking: undefined, maxOutput: 4_096 }],
  [
    'claude-',
    /claude-3[.-]7|claude-(?:opus|sonnet|haiku)-4(?:[.-][015])?(?!\d)(?![.-][6-9](?!\d))/,
    { thinking: 'budget' },
  ],
  ['claude-', /claude-(?:sonnet|haiku|opus)-4[.-]5/, { maxOutput: 64_000 }],
  ['claude-', /claude-(?:fable|mythos)/, { thinking: 'always' }],
  ['o', /(?:^|\/)(?:o\d|codex-)/, { family: 'gpt', images: true, thinking: 'effort' }],
  ['gpt-', /(?:^|\/)gpt-/, { family: 'gpt', images: true }],
  ['gpt-', /(?:^|\/)gpt-(?:[5-9]|\d\d)/, { thinking: 'effort' }],
  ['gpt-', /(?:^|\/)gpt-[\d.]+-chat/, { thinking: undefined }],
  ['gpt-oss', /(?:^|\/)gpt-oss/, { family: 'local', images: false, thinking: 'effort' }],
  ['deepseek', undefined, { family: 'deepseek' }],
  ['deepseek-', /deepseek-(?:r\d|reasoner|v4|flash|pro)/, { thinking: 'switch' }],
  ['qw', /qwen|qwq/, { family: 'qwen' }],
  ['qw', /qwen3(?!.*(?:coder|instruct))|qwq/, { thinking: 'switch' }],
  ['q', /qwen[\d.]*-?vl|qvq/, { images: true }],
  ['kimi', undefined, { family: 'kimi' }],
  ['moonshot', undefined, { family: 'kimi' }],
  ['kimi-k', /kimi-k2.*thinking|kimi-k2[.p-][5-9]|kimi-k[3-9]/, { thinking: 'switch' }],
  ['glm', undefined, { family: 'glm' }],
  ['glm-', /glm-(?:4[.p-][5-9]|[5-9])/, { thinking: 'switch' }],
  ['glm-', /glm-[\d.]+v/, { images: true }],
  ['stral', /mistral|magistral|devstral|codestral|ministral/, { family: 'mistral' }],
  ['gemini', undefined, { family: 'gemini', contextWindow: 1_048_576, images: true, documents: true }],
];

export function familyOf(model: string): KnownModel | undefined {
  const lower = model.toLowerCase();
  const rows = FAMILIES.filter(([word, name]) => lower.includes(word) && (name?.test(lower) ?? true));
  return rows.length === 0 ? undefined : Object.assign({}, ...rows.map(([, , known]) => known));
}
