/**
 * What the commands, skills and agents of an extension would do, for the page a user consents to. Files are
 * read as the program reads them; one that cannot be read is named with the reason.
 */

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseTomlText } from '../config/toml-text.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { parseFrontMatter, readPlainLines, splitFrontMatter } from '../util/front-matter.ts';
import { isRecord } from '../util/is-record.ts';
import { countOf } from '../util/short-text.ts';
import { describeServers, words } from '../util/consent-words.ts';

const LARGEST_FILE = 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

export async function describeCommands(directory: string): Promise<string[]> {
  const root = join(directory, 'commands');
  return describeEach(findFiles(root, /\.toml$/i), async (file) => {
    const name = relative(root, file)
      .replace(/\.toml$/i, '')
      .replaceAll(/[\\/]/g, ':');
    const { prompt } = await parseTomlText(file, readText(file));
    const runs = typeof prompt === 'string' ? findCommands(prompt) : [];
    return [`/${name}${runs.length === 0 ? '' : `, which runs: ${runs.join(' · ')}`}`];
  });
}

/** What stands in `!{…}`: braces inside are balanced, and one that is not closed never runs. */
function findCommands(prompt: string): string[] {
  const found: string[] = [];
  for (let start = prompt.indexOf('!{'); start >= 0; start = prompt.indexOf('!{', start)) {
    start += 2;
    let depth = 1;
    let end = start;
    for (; end < prompt.length && depth > 0; end += 1)
      if (prompt[end] === '{') depth += 1;
      else if (prompt[end] === '}') depth -= 1;
    found.push(words(prompt.slice(start, depth === 0 ? end - 1 : end).trim()));
    start = end;
  }
  return found;
}

export async function describeSkills(directory: string): Promise<string[]> {
  return describeEach(findFiles(join(directory, 'skills'), /^SKILL\.md$/), async (file) => {
    const folder = join(file, '..');
    const { name = basename(folder), description = '' } = await readFields(file);
    const { length } = findFiles(folder, /./);
    return [`${words(name)}: ${words(description)} (${relative(directory, file)}, ${countOf(length, 'file')})`];
  });
}

/** An agent may bring servers of its own, or be on another machine and have a command print its credential. */
export async function describeAgents(directory: string): Promise<string[]> {
  return describeEach(findFiles(join(directory, 'agents'), /^[^_].*\.md$/, 0), async (file) => {
    const fields = await readFields(file);
    const { name = basename(file, '.md'), description = '', kind, tools, mcp_servers: servers } = fields;
    const uses = tools === undefined ? '' : `; tools ${Array.isArray(tools) ? tools.join(', ') : words(tools)}`;
    return [
      `${words(name)}${kind === undefined ? '' : ` (${words(kind)})`}: ${words(description)}${uses}`,
      ...describeServers(servers).map((line) => `  with the MCP server ${line}`),
      ...describeRemote(fields),
    ];
  });
}

function describeRemote({ agent_card_url: url, agent_card_json: card, auth }: Fields): string[] {
  if (url === undefined && card === undefined) return [];
  const values = isRecord(auth) ? Object.values(auth).filter((value) => typeof value === 'string') : [];
  return [
    `  which is on another machine: ${words(url ?? card)}`,
    ...values.filter((value) => /^\$[^$]/.test(value)).map((value) => `  and is sent the variable ${words(value)}`),
    ...values
      .filter((value) => /^![^!]/.test(value))
      .map((value) => `  and is sent what this prints: ${words(value.slice(1))}`),
  ];
}

export async function describeEach(
  files: readonly string[],
  describe: (file: string) => Promise<string[]>,
): Promise<string[]> {
  const lines = files.map(async (file) => {
    try {
      return await describe(file);
    } catch (error) {
      return [`${basename(file)} cannot be read: ${words(getErrorMessage(error).replaceAll(file, basename(file)))}`];
    }
  });
  return (await Promise.all(lines)).flat();
}

/** Throws an Error for a file without front matter. */
export async function readFields(file: string): Promise<Fields> {
  const split = splitFrontMatter(readText(file));
  if (!('block' in split)) throw new Error(`${split.reason}.`);
  const read = await parseFrontMatter(split.block);
  if (!('values' in read)) return readPlainLines(split.block);
  // A list defines several remote agents; each line of it is shown.
  return isRecord(read.values) ? read.values : { description: JSON.stringify(read.values) };
}

export function findFiles(folder: string, name: RegExp, depth = 8): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return depth > 0 ? findFiles(path, name, depth - 1) : [];
        return name.test(entry.name) ? [path] : [];
      });
  } catch {
    // An extension without this folder.
    return [];
  }
}

/** Throws an Error for a file that is too large. */
export function readText(file: string): string {
  if (statSync(file).size > LARGEST_FILE) throw new Error('it is larger than 1 MiB.');
  return readFileSync(file, 'utf8');
}
