/**
 * What of an extension would have no effect, for its author: entries of the manifest with a wrong form, and files that the
 * program would skip. Reads as the program does; nothing runs.
 */

import { basename, join, relative } from 'node:path';
import { readSourceFile } from '../config/source-file.ts';
import { parseTomlText } from '../config/toml-text.ts';
import { parseRulesFile } from '../policy/rules-file.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import { findFiles, readFields, readText } from './consent-files.ts';
import { MANIFEST } from './extension-paths.ts';

/** Sentences that name the file in the extension. The manifest must be readable. */
export async function findProblems(directory: string): Promise<string[]> {
  const within = (folder: string, name: RegExp, depth?: number) => findFiles(join(directory, folder), name, depth);
  const perFile = async (files: readonly string[], check: (file: string) => Promise<string[]>) => {
    const checked = files.map(async (file) => {
      const found = await check(file).catch((error: unknown) => [getErrorMessage(error)]);
      return found.map((problem) => `${relative(directory, file)}: ${withoutPlace(problem, file)}`);
    });
    return (await Promise.all(checked)).flat();
  };
  return [
    ...checkManifest(readSourceFile(join(directory, MANIFEST)) ?? {}).map((problem) => `${MANIFEST}: ${problem}`),
    ...(await perFile(within('hooks', /^hooks\.json$/, 0), checkHooks)),
    ...(await perFile(within('commands', /\.toml$/i), checkCommand)),
    ...(await perFile(within('skills', /^SKILL\.md$/), (file) => checkFields(file, ['name', 'description']))),
    ...(await perFile(within('agents', /^[^_].*\.md$/, 0), checkAgent)),
    ...(await perFile(within('policies', /\.toml$/i, 0), checkPolicies)),
  ];
}

/** The sentence without the path that stands before it, and before its line. */
function withoutPlace(problem: string, file: string): string {
  const rest = problem.startsWith(file) ? problem.slice(file.length) : problem.replaceAll(file, basename(file));
  return rest.replace(/^:(\d+(?::\d+)?): /, 'line $1: ').replace(/^: /, '');
}

function checkManifest({ mcpServers = {}, excludeTools = [], themes = [], settings = [] }: Record<string, unknown>) {
  const lists = Object.entries({ themes, settings }).filter(([, value]) => !Array.isArray(value));
  const isTools = typeof excludeTools === 'string' || (Array.isArray(excludeTools) && excludeTools.every(isText));
  const nameless = (Array.isArray(themes) ? themes : []).filter((theme) => !isRecord(theme) || !isText(theme['name']));
  return [
    ...lists.map(([key]) => `${key}: expected a list, [ … ].`),
    ...(isTools ? [] : ['excludeTools: expected a list of names of tools.']),
    ...(nameless.length > 0 ? ['themes: each needs a name.'] : []),
    ...(isRecord(mcpServers) ? checkServers(mcpServers) : ['mcpServers: expected an object, { … }.']),
  ];
}

function checkServers(servers: Record<string, unknown>): string[] {
  return Object.entries(servers).flatMap(([name, entry]) => {
    const { command, url, httpUrl } = isRecord(entry) ? entry : {};
    return [command, url, httpUrl].some(isText) ? [] : [`mcpServers.${name}: it has no command, url or httpUrl.`];
  });
}

async function checkHooks(file: string): Promise<string[]> {
  return isRecord(readSourceFile(file)?.['hooks']) ? [] : ['expected {"hooks": { … }}.'];
}

async function checkCommand(file: string): Promise<string[]> {
  const { prompt } = await parseTomlText(file, readText(file));
  return isText(prompt) ? [] : ['it has no prompt.'];
}

async function checkFields(file: string, keys: readonly string[]): Promise<string[]> {
  const fields = await readFields(file);
  return keys.filter((key) => !isText(fields[key])).map((key) => `${key} is missing.`);
}

/** A list in the front matter defines several remote agents, whose cards describe them. */
async function checkAgent(file: string): Promise<string[]> {
  const { agent_card_url: url, agent_card_json: card, name } = await readFields(file);
  if (url !== undefined || card !== undefined || name === undefined) return [];
  return checkFields(file, ['description']);
}

async function checkPolicies(file: string): Promise<string[]> {
  const { problems } = await parseRulesFile(readText(file), file, 'extension');
  return problems.map(({ line, message }) => (line === undefined ? message : `line ${line}: ${message}`));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
