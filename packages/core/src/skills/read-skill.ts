/**
 * Reads a SKILL.md: its name and description for lists, its body for an activation. Problems are sentences with file,
 * line and reason. A file of a third party must lie in the folder of its skill.
 */

import { basename, join } from 'node:path';
import { readContextFile } from '../context/context-reader.ts';
import { isForeign } from '../protocol/source.ts';
import { lineOfKey, parseFrontMatter, readPlainLines, splitFrontMatter } from '../util/front-matter.ts';
import { withoutHiddenCharacters } from '../util/hidden-characters.ts';
import { isRecord } from '../util/is-record.ts';
import { toOneLine } from '../util/short-text.ts';
import type { SkillFolder } from './skill.ts';
import { SKILL_FILE } from './skill-folders.ts';

export interface SkillHead {
  readonly name: string;
  readonly description: string;
  readonly isUserOnly?: boolean | undefined;
}

export interface SkillText extends SkillHead {
  readonly body: string;
}

const LONGEST_NAME = 100;
/** The model sees a part of it, see describe-skills.ts. */
const LONGEST_DESCRIPTION = 2000;
/** Characters that a command or a file name cannot hold. */
const UNUSABLE = /[:\\/<>*?"|]/g;

/** A problem as a sentence, or the skill. */
export async function readSkill({ directory, source, isClaude = false }: SkillFolder): Promise<SkillText | string> {
  const file = join(directory, SKILL_FILE);
  const read = await readContextFile(file, isForeign(source.kind) ? [directory] : undefined);
  if ('reason' in read) return `${file}: the skill was skipped: ${read.reason}.`;
  const isBare = isClaude && !read.text.startsWith('---');
  const split = isBare ? { block: '', body: read.text } : splitFrontMatter(read.text);
  if ('reason' in split) return toSentence(file, split.line, split.reason);
  const parsed = await parseFrontMatter(split.block);
  const values = 'values' in parsed && isRecord(parsed.values) ? parsed.values : {};
  const written = 'values' in parsed ? pickFields(values) : pickFields(readPlainLines(split.block));
  const found = isClaude ? { ...defaultsOf(directory, split.body), ...written } : written;
  if (found.name === undefined || found.description === undefined) {
    if ('reason' in parsed) return toSentence(file, parsed.line, parsed.reason);
    const key = found.name === undefined ? 'name' : 'description';
    const isWritten = values[key] !== undefined && values[key] !== null;
    const reason = isWritten ? `${key} must be a non-empty string` : `${key} is missing`;
    return toSentence(file, lineOfKey(split.block, key), reason);
  }
  // YAML has escapes for characters that a file must not hold.
  const name = toVisibleLine(found.name).replaceAll(UNUSABLE, '-');
  if (name.length > LONGEST_NAME) {
    return toSentence(file, lineOfKey(split.block, 'name'), `name is longer than ${LONGEST_NAME} characters`);
  }
  const description = toVisibleLine(found.description).slice(0, LONGEST_DESCRIPTION).toWellFormed();
  const isUserOnly = values['disable-model-invocation'] === true;
  return { name, description, body: split.body.trim(), ...(isUserOnly && { isUserOnly }) };
}

/** As Claude Code has it: the name of the folder, and the first paragraph. */
function defaultsOf(directory: string, body: string): Fields {
  const [paragraph = ''] = body.trim().split(/\n\s*\n/);
  const description = paragraph.replace(/^#+\s*/, '').trim();
  return { name: basename(directory), ...(description !== '' && { description }) };
}

function toVisibleLine(text: string): string {
  return withoutHiddenCharacters(toOneLine(text).toWellFormed()).text;
}

function toSentence(file: string, line: number, reason: string): string {
  return `${file}:${line}: the skill was skipped: ${reason}.`;
}

type Fields = Partial<Pick<SkillHead, 'name' | 'description'>>;

/** YAML reads `name: 2048` as a number. */
function pickFields(values: Readonly<Record<string, unknown>>): Fields {
  const pick = (key: keyof Fields) => {
    const value = ['string', 'number', 'boolean'].includes(typeof values[key]) ? String(values[key]).trim() : '';
    return value === '' ? {} : { [key]: value };
  };
  return { ...pick('name'), ...pick('description') };
}
