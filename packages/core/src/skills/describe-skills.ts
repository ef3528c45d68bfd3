/**
 * Describes the skills for the model. Every request pays for this text, so its size is bounded whatever the number of
 * skills: names come first, descriptions share the room that is left. Pure.
 */

import { shorten } from '../util/short-text.ts';
import type { Skill } from './skill.ts';

/** The whole section, in UTF-8. A hundred skills and the tool's declaration stay below 6 KB. */
const SECTION_BYTES = 5000;
/** Of a window too small for comforts. */
const COMPACT_SECTION_BYTES = 1200;
/** While they fit, the tool's declaration lists the names. */
const ENUM_BYTES = 600;

const HEAD = `# Available Agent Skills

Each skill holds instructions for one kind of task. When a task matches a description, call activate_skill with its name before you begin, and follow what it returns.
`;

export interface DescribeOptions {
  /** Names the model activated and may have forgotten. */
  readonly active?: readonly string[];
  readonly isCompact?: boolean;
}

/** Empty without skills. */
export function describeSkills(
  skills: readonly Pick<Skill, 'name' | 'description'>[],
  { active = [], isCompact = false }: DescribeOptions = {},
): string {
  if (skills.length === 0) return '';
  const lines = fitLines(skills, (isCompact ? COMPACT_SECTION_BYTES : SECTION_BYTES) - bytesOf(HEAD) - 100);
  const again =
    active.length === 0
      ? []
      : [`Activated earlier in this session: ${active.join(', ')}. Activate one again to read its instructions again.`];
  return [HEAD, '<available_skills>', ...lines, '</available_skills>', ...again].join('\n');
}

/** The names as an enum of the declaration, while they are few. */
export function enumOfNames(skills: readonly Pick<Skill, 'name'>[]): string[] | undefined {
  const names = skills.map(({ name }) => name);
  return bytesOf(JSON.stringify(names)) <= ENUM_BYTES ? names : undefined;
}

function fitLines(skills: readonly Pick<Skill, 'name' | 'description'>[], room: number): string[] {
  const named: Pick<Skill, 'name' | 'description'>[] = [];
  let left = room;
  for (const skill of skills) {
    const cost = bytesOf(toLine(skill, 0)) + 1;
    if (cost > left) break;
    left -= cost;
    named.push(skill);
  }
  const length = longestFor(named, room);
  const omitted = skills.length - named.length;
  return [
    ...named.map((skill) => toLine(skill, length)),
    ...(omitted > 0 ? [`- … and ${omitted} more that the user can name`] : []),
  ];
}

/** The length at which all descriptions, each cut to it, fit together. */
function longestFor(skills: readonly Pick<Skill, 'name' | 'description'>[], room: number): number {
  const sizeAt = (length: number) => skills.reduce((sum, skill) => sum + bytesOf(toLine(skill, length)) + 1, 0);
  let low = 0;
  let high = Math.max(0, ...skills.map(({ description }) => description.length));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeAt(middle) <= room) low = middle;
    else high = middle - 1;
  }
  return low;
}

function toLine({ name, description }: Pick<Skill, 'name' | 'description'>, length: number): string {
  const shown = length === 0 ? '' : `: ${shorten(description, length)}`;
  return `- ${name}${shown}`.replaceAll(/[<>]/g, ' ');
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
