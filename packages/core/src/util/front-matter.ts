/**
 * Reads the front matter of a Markdown file: the YAML between two lines `---` at its beginning. Problems are data and
 * name their line of the file. The YAML parser is loaded on demand.
 */

export interface FrontMatterFile {
  /** The text between the lines `---`. */
  readonly block: string;
  /** The text after them. */
  readonly body: string;
}

export interface FrontMatterProblem {
  /** From 1, in the file. */
  readonly line: number;
  /** A clause, such as `the front matter is not closed`. */
  readonly reason: string;
}

/** The block begins in this line of the file. */
const FIRST_LINE = 2;
const MAX_BLOCK_CHARACTERS = 64 * 1024;
const FENCE = /^---[ \t]*$/;

export function splitFrontMatter(text: string): FrontMatterFile | FrontMatterProblem {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (!FENCE.test(lines[0] ?? '')) return { line: 1, reason: 'the file must start with a line "---"' };
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end < 0) return { line: 1, reason: 'the front matter is not closed: a second line "---" is missing' };
  const block = lines.slice(1, end).join('\n');
  if (block.length > MAX_BLOCK_CHARACTERS) return { line: 1, reason: 'the front matter is longer than 64 KiB' };
  return { block, body: lines.slice(end + 1).join('\n') };
}

/** The values of a block; `{}` for an empty one. */
export async function parseFrontMatter(block: string): Promise<{ values: unknown } | FrontMatterProblem> {
  if (block.trim() === '') return { values: {} };
  const { load, YAMLException } = await import('js-yaml');
  try {
    return { values: load(block) ?? {} };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return {
      line: (error.mark?.line ?? 0) + FIRST_LINE,
      reason: `the front matter is not valid YAML: ${error.reason}`,
    };
  }
}

/** The line of the file in which a key of the block is written; the first line for a missing one. */
export function lineOfKey(block: string, key: string): number {
  const index = block.split('\n').findIndex((line) => line.trimStart().startsWith(`${key}:`));
  return index < 0 ? 1 : index + FIRST_LINE;
}

/** For a block that is not YAML, such as one with an unquoted colon in a value. Indented lines continue a value. */
export function readPlainLines(block: string): Record<string, string> {
  const fields: Record<string, string> = {};
  let current: string | undefined;
  for (const line of block.split('\n')) {
    const [, key, value = ''] = /^(\w[\w-]*):\s*(.*)$/.exec(line) ?? [];
    if (key !== undefined) fields[(current = key)] = value.replace(/^(["'])(.*)\1$/, '$2').replace(/^[>|][+-]?$/, '');
    else if (current !== undefined && /^\s+\S/.test(line)) fields[current] = `${fields[current]} ${line.trim()}`.trim();
  }
  return fields;
}
