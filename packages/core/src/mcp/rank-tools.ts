/** Ranks tools by how well their names, descriptions and parameters match words. Pure, and the same for equal input. */

import type { DefinedTool } from '../protocol/tools.ts';
import { isRecord } from '../util/is-record.ts';

const NAME_WEIGHT = 4;
const TEXT_WEIGHT = 1;
/** Of a word that only begins alike, such as `issue` and `issues`. */
const PARTIAL = 0.6;
const MIN_PARTIAL = 3;
const MAX_WORDS = 30;

type Weights = ReadonlyMap<string, number>;

/** Best first; tools that match no word are left out. */
export function rankTools<T extends Pick<DefinedTool, 'name' | 'description' | 'schema'>>(
  tools: readonly T[],
  query: string,
): T[] {
  const wanted = [...new Set(wordsOf(query))].slice(0, MAX_WORDS);
  const indexed = tools.map((tool) => ({ tool, weights: weigh(tool) }));
  const rarity = new Map(
    wanted.map((word) => {
      const found = indexed.filter(({ weights }) => scoreWord(word, weights) > 0).length;
      return [word, Math.log(1 + tools.length / Math.max(1, found))];
    }),
  );
  return indexed
    .map(({ tool, weights }) => ({
      tool,
      score: wanted.reduce((sum, word) => sum + scoreWord(word, weights) * rarity.get(word)!, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

function weigh({ name, description, schema }: Pick<DefinedTool, 'name' | 'description' | 'schema'>): Weights {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) weights.set(word, Math.max(weight, weights.get(word) ?? 0));
  };
  const { parametersJsonSchema } = schema as { parametersJsonSchema?: unknown };
  const properties = isRecord(parametersJsonSchema) ? parametersJsonSchema['properties'] : undefined;
  add(description, TEXT_WEIGHT);
  if (isRecord(properties)) add(Object.keys(properties).join(' '), TEXT_WEIGHT);
  add(name.replace(/^mcp_/, ''), NAME_WEIGHT);
  return weights;
}

function scoreWord(word: string, weights: Weights): number {
  const exact = weights.get(word);
  if (exact !== undefined) return exact;
  if (word.length < MIN_PARTIAL) return 0;
  let best = 0;
  for (const [other, weight] of weights) {
    const isAlike = other.startsWith(word) || (other.length >= MIN_PARTIAL && word.startsWith(other));
    if (isAlike && weight * PARTIAL > best) best = weight * PARTIAL;
  }
  return best;
}

/** In lower case; `createIssue` and `create_issue` are two words. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll}|\d)(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
