/**
 * Reads a command of another agent: a Markdown file of Claude Code or codex, whose optional front matter describes it.
 * The surface expands its placeholders. Nothing in the file allows a tool.
 */

import path from 'node:path';
import { isForeign } from '../protocol/source.ts';
import type { Source } from '../protocol/source.ts';
import { lineOfKey, parseFrontMatter, readPlainLines, splitFrontMatter } from '../util/front-matter.ts';
import { isRecord } from '../util/is-record.ts';
import type { CommandFile } from './command-files.ts';
import { readContextFile } from './context-reader.ts';

/** Fields of a command file that its path does not give. */
export type MarkdownCommand = Pick<
  CommandFile,
  'prompt' | 'description' | 'argumentHint' | 'allowedTools' | 'model' | 'syntax'
>;

/** The command, or the problem with the file, which begins with its line if that is known. */
export async function readMarkdownCommand(
  file: string,
  { folder, source, syntax }: { folder: string; source: Source; syntax: 'claude' | 'codex' },
): Promise<MarkdownCommand | string> {
  const read = await readContextFile(file, isForeign(source.kind) ? [folder] : undefined);
  if ('reason' in read) return `the command was skipped: ${read.reason}.`;
  const { block = '', body } = read.text.startsWith('---') ? splitOrProblem(read.text) : { body: read.text };
  if (body === undefined) return 'line 1: the command was skipped: the front matter is not closed.';
  const parsed = await parseFrontMatter(block);
  // `argument-hint: [pr] [priority]` is not YAML, and is what its documentation shows.
  const values = 'reason' in parsed ? readPlainLines(block) : isRecord(parsed.values) ? parsed.values : {};
  const wrong = TEXT_KEYS.find((key) => values[key] !== undefined && toText(values[key]) === undefined);
  if (wrong !== undefined)
    return `line ${lineOfKey(block, wrong)}: the command was skipped: ${wrong} must be a string.`;
  const prompt = body.trim();
  if (prompt === '') return 'the command was skipped: its prompt is empty.';
  const allowedTools = toList(values['allowed-tools']);
  const argumentHint = toText(values['argument-hint']);
  const model = toText(values['model']);
  return {
    syntax,
    prompt,
    description: toText(values['description']) ?? prompt.split('\n', 1)[0] ?? path.basename(file),
    ...(argumentHint !== undefined && { argumentHint }),
    ...(allowedTools !== undefined && { allowedTools }),
    ...(model !== undefined && { model }),
  };
}

const TEXT_KEYS = ['description', 'argument-hint', 'model'];

function splitOrProblem(text: string): { block?: string; body?: string } {
  const split = splitFrontMatter(text);
  return 'reason' in split ? {} : split;
}

/** `argument-hint: [pr]` is a list in YAML, and a text to its author. */
function toText(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value))
    return value.map((item) => `[${Array.isArray(item) ? item.join(' ') : String(item)}]`).join(' ');
  return undefined;
}

/** `Bash(git add:*), Read` or a list. */
function toList(value: unknown): string[] | undefined {
  if (Array.isArray(value)) return value.map((item) => String(item).trim()).filter((item) => item !== '');
  if (typeof value !== 'string') return undefined;
  return value
    .split(/,(?![^(]*\))/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
