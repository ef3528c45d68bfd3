/**
 * Writes what the user consents to: every program that would run, every hook, server, restriction, policy, command,
 * skill and agent of an extension, as written in its files. Control characters are shown, never sent.
 */

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { readSourceFile } from '../config/source-file.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import { countOf, shorten, toOneLine } from '../util/short-text.ts';
import { MANIFEST } from './extension-paths.ts';
import { readManifest } from './manifest.ts';

const LONGEST_WORDS = 400;
const LARGEST_FILE = 256 * 1024;

/** Lines without a line break, in a fixed order: two versions can be compared line by line. */
export function describeContent(directory: string): string[] {
  const manifest = readManifest(directory, '${workspacePath}');
  const written = readSourceFile(join(directory, MANIFEST)) ?? {};
  const { settings, themes, planDirectory, excludeTools } = manifest;
  const contextFiles = (manifest.contextFileNames ?? ['GEMINI.md']).filter((name) => isFile(join(directory, name)));
  return [
    ...section('This extension will run the following MCP servers:', describeServers(written['mcpServers'])),
    ...(contextFiles.length > 0
      ? [`This extension will append info to your context using ${contextFiles.join(', ')}`]
      : []),
    ...(excludeTools.length > 0 ? [`This extension will exclude the following tools: ${excludeTools.join(', ')}`] : []),
    ...section(
      '⚠️  This extension contains Hooks which can automatically execute commands:',
      describeHooks(join(directory, 'hooks', 'hooks.json')),
    ),
    ...section('Commands (type / to run one; policies judge what they run):', describeCommands(directory)),
    ...section('Agent skills, whose text is given to the model when it activates one:', describeSkills(directory)),
    ...section('Sub-agents, which the model can start:', describeAgents(directory)),
    ...section('Policies, which can only restrict what tools may do:', describePolicies(directory)),
    ...section(
      'Settings, passed to its servers and hooks as variables:',
      settings.map(({ name, envVar, sensitive }) => `${name} (${envVar}${sensitive ? ', secret' : ''})`),
    ),
    ...(themes.length > 0 ? [`Themes: ${themes.join(', ')}`] : []),
    ...(planDirectory === undefined ? [] : [`Plans are stored in ${planDirectory}`]),
  ].map(visible);
}

export const WARNING =
  'Castor does not review extensions. Install only from authors you trust: servers and hooks run with your permissions, and texts steer the model.';

/** The lines of an update that differ, with `+` and `-`; empty where both describe the same. */
export function compareContent(before: readonly string[], after: readonly string[]): string[] {
  const isIn = (lines: readonly string[]) => (line: string) => lines.includes(line);
  const removed = before.filter((line) => !isIn(after)(line));
  const added = after.filter((line) => !isIn(before)(line));
  return [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
}

function section(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [title, ...items.map((item) => `  * ${item}`)];
}

function describeServers(servers: unknown): string[] {
  if (!isRecord(servers)) return [];
  return Object.entries(servers).map(([name, entry]) => {
    if (!isRecord(entry)) return `${name}: an invalid entry`;
    const { httpUrl, url, command, args, env, headers, cwd } = entry;
    const address = httpUrl ?? url;
    if (address !== undefined) return `${name} (remote): ${words(address)}${names('headers', headers)}`;
    const list: unknown[] = Array.isArray(args) ? args : [];
    const line = [command, ...list].map((word) => quoted(words(word))).join(' ');
    return `${name} (local): ${line}${cwd === undefined ? '' : ` in ${words(cwd)}`}${names('env', env)}`;
  });
}

function names(key: string, values: unknown): string {
  const list = isRecord(values) ? Object.entries(values).map(([name, value]) => `${name}=${words(value)}`) : [];
  return list.length === 0 ? '' : `; ${key} ${list.join(' ')}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word);
}

function describeHooks(file: string): string[] {
  try {
    const hooks = readSourceFile(file)?.['hooks'];
    if (!isRecord(hooks)) return [];
    return Object.entries(hooks).flatMap(([event, definitions]) => {
      if (!Array.isArray(definitions)) return [];
      return definitions.filter(isRecord).flatMap(({ matcher, hooks: list }) => {
        const where = typeof matcher === 'string' && matcher !== '' ? ` (${matcher})` : '';
        const entries = Array.isArray(list) ? list.filter(isRecord) : [];
        return entries.map(({ command, env }) => `${event}${where}: ${words(command)}${names('env', env)}`);
      });
    });
  } catch (error) {
    return [`an unreadable file: ${getErrorMessage(error)}`];
  }
}

function describeCommands(directory: string): string[] {
  const root = join(directory, 'commands');
  return findFiles(root, /\.toml$/i).map((file) => {
    const name = relative(root, file)
      .replace(/\.toml$/i, '')
      .replaceAll(/[\\/]/g, ':');
    const runs = [...readText(file).matchAll(/!\{([^}]*)\}/g)].map(([, command = '']) => words(command));
    return `/${name}${runs.length === 0 ? '' : `, which runs: ${runs.join(' · ')}`}`;
  });
}

function describeSkills(directory: string): string[] {
  const root = join(directory, 'skills');
  return findFiles(root, /^SKILL\.md$/).map((file) => {
    const folder = join(file, '..');
    const { name = basename(folder), description = '' } = frontMatter(readText(file));
    const { length } = findFiles(folder, /./);
    return `${name}: ${description} (${relative(directory, file)}, ${countOf(length, 'file')})`;
  });
}

function describeAgents(directory: string): string[] {
  return findFiles(join(directory, 'agents'), /^[^_].*\.md$/, 0).map((file) => {
    const { name = basename(file, '.md'), description = '', kind, tools } = frontMatter(readText(file));
    const uses = tools === undefined ? '' : `; tools ${tools}`;
    return `${name}${kind === undefined ? '' : ` (${kind})`}: ${description}${uses}`;
  });
}

function describePolicies(directory: string): string[] {
  return findFiles(join(directory, 'policies'), /\.toml$/i, 0).map((file) => {
    const decisions = [...readText(file).matchAll(/^\s*decision\s*=\s*["'](\w+)["']/gm)].map(([, each = '']) => each);
    const count = (decision: string) => decisions.filter((each) => each === decision).length;
    const ignored = count('allow') > 0 ? `, ${count('allow')} that allow and are ignored` : '';
    return `${basename(file)}: ${count('deny')} deny, ${count('ask_user')} ask${ignored}`;
  });
}

/** `key: value` lines between the first two rules, enough to name a file. */
function frontMatter(text: string): Record<string, string> {
  const head = /^\uFEFF?---\r?\n(.*?)\r?\n---/s.exec(text)?.[1] ?? '';
  const pairs = [...head.matchAll(/^([A-Za-z_-]+):[ \t]*(.*)$/gm)].map(([, key = '', value = '']) => {
    return [key, words(value.trim().replace(/^(["'])(.*)\1$/, '$2'))] as const;
  });
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

function findFiles(folder: string, name: RegExp, depth = 8): string[] {
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

function readText(file: string): string {
  try {
    return statSync(file).size > LARGEST_FILE ? '' : readFileSync(file, 'utf8');
  } catch {
    // A link that leads nowhere.
    return '';
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function words(value: unknown): string {
  return shorten(toOneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')), LONGEST_WORDS);
}

/** Characters that move the cursor, change colours or hide text, as escapes. */
function visible(text: string): string {
  return text.replaceAll(HIDDEN, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
