/** Writes what an activated skill tells the model: its instructions and the files of its folder, bounded. */

import { IgnoreRules } from '../tools/files/ignore-rules.ts';
import type { Skill } from './skill.ts';

/** A longer body is cut, and the model told where the rest is. */
const MOST_CHARACTERS = 64 * 1024;
const FRAME = /<(?=\/?(?:activated_skill|instructions|available_resources|available_skills)\b)/gi;
const OPENING = '<activated_skill name="';

export async function describeResources(directory: string): Promise<string> {
  // A start that describes the project loads the same module, and nothing else of this room.
  const { describeTree } = await import('../context/directory-tree.ts');
  return describeTree({ root: directory, ignore: IgnoreRules.none() });
}

export function toActivatedText({ name, file }: Pick<Skill, 'name' | 'file'>, body: string, tree: string): string {
  const isCut = body.length > MOST_CHARACTERS;
  const shown = isCut ? body.slice(0, body.lastIndexOf('\n', MOST_CHARACTERS)).toWellFormed() : body;
  const rest = isCut ? `\n[The instructions are longer. Read the rest in ${file}.]` : '';
  return [
    `${OPENING}${name}">`,
    '<instructions>',
    `${harmless(shown)}${rest}`,
    '</instructions>',
    '<available_resources>',
    harmless(tree),
    '</available_resources>',
    '</activated_skill>',
  ].join('\n');
}

/** The names of the skills that a text of `toActivatedText` begins with. */
export function activatedNames(text: string): string[] {
  if (!text.startsWith(OPENING)) return [];
  const end = text.indexOf('">', OPENING.length);
  return end < 0 ? [] : [text.slice(OPENING.length, end)];
}

/** A body cannot end its own frame. */
function harmless(text: string): string {
  return text.replaceAll(FRAME, '&lt;');
}
