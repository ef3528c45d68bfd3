/** Converts commands, skills and agents of other agents, which are Markdown files with front matter. */

import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findInstallable, isRecord, parseFrontMatter, splitFrontMatter } from '@castor/core/program';
import type { ImportStep } from './import-step.ts';
import { none } from './import-step.ts';
import { listFiles, readText } from './read-files.ts';

const TOOLS: Readonly<Record<string, string>> = {
  Bash: 'run_shell_command',
  Edit: 'replace',
  Glob: 'glob',
  Grep: 'grep_search',
  LS: 'list_directory',
  MultiEdit: 'replace',
  Read: 'read_file',
  WebFetch: 'web_fetch',
  WebSearch: 'google_web_search',
  Write: 'write_file',
  bash: 'run_shell_command',
  edit: 'replace',
  glob: 'glob',
  grep: 'grep_search',
  list: 'list_directory',
  read: 'read_file',
  webfetch: 'web_fetch',
  write: 'write_file',
};

export interface Markdown {
  values: Readonly<Record<string, unknown>>;
  body: string;
}

/** As TOML files below `commands/`. `prefix` is a folder for their names; that of codex has its own placeholders. */
export async function importCommands(folder: string, prefix = ''): Promise<ImportStep[]> {
  const steps = listFiles(folder, '.md').map(async (path): Promise<ImportStep> => {
    const markdown = await readMarkdown(join(folder, path));
    if (!markdown) return none(`command ${join(prefix, path)}`, 'its front matter is not closed.');
    return toCommandStep(join(prefix, path), markdown, prefix === CODEX);
  });
  return Promise.all(steps);
}

/** The folder of codex, which names arguments `$FILE` and writes a dollar sign as `$$`. */
const CODEX = 'prompts';
const AS_IT_IS = 'To use it as it is: castor config set castor.readFilesOf \'["claude", "codex"]\'';

/** `path` names the command. */
export function toCommandStep(path: string, { values, body }: Markdown, isCodex = false): ImportStep {
  const what = `command ${path}`;
  const unescaped = isCodex ? body.replaceAll('$$', '') : body;
  const [used] =
    /\$\d|\$ARGUMENTS\[/.exec(unescaped) ?? (isCodex ? /\$(?!ARGUMENTS\b)[A-Z_]\w*/.exec(unescaped) : null) ?? [];
  if (used !== undefined) return none(what, `it uses ${used === '$ARGUMENTS[' ? '$ARGUMENTS[0]' : used}. ${AS_IT_IS}`);
  // Words of the author must not become a command that runs.
  const [live] = /\{\{args\}\}|[!@]\{/.exec(body) ?? [];
  if (live !== undefined) return none(what, `it contains ${live}, which is a placeholder here. ${AS_IT_IS}`);
  const notes = ['allowed-tools', 'model', 'agent', 'subtask']
    .filter((key) => values[key] !== undefined)
    .map((key) => `${key} was left out.`);
  const description = values['description'];
  const head = typeof description === 'string' ? `description = ${JSON.stringify(description)}\n` : '';
  const prompt = toPrompt(body.trim());
  const text = `${head}prompt = ${toTomlText(isCodex ? prompt.replaceAll('$$', '$') : prompt)}\n`;
  return { kind: 'file', what, path: join('commands', `${path.replace(/\.md$/, '')}.toml`), text, notes };
}

/** The placeholders of Gemini CLI. */
function toPrompt(body: string): string {
  return body
    .replaceAll('$ARGUMENTS', '{{args}}')
    .replaceAll(/!`([^`\n]+)`/g, '!{$1}')
    .replaceAll(/(^|\s)@([\w~./-]*[./][\w~./-]*\w)/g, '$1@{$2}');
}

function toTomlText(text: string): string {
  return text.includes("'''") ? JSON.stringify(text) : `'''\n${text}\n'''`;
}

export async function importSkills(folder: string): Promise<ImportStep[]> {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return [];
  try {
    const { skills, problems } = await findInstallable(folder);
    return [
      ...skills.map(({ name, directory }): ImportStep => ({
        kind: 'skill',
        what: `skill ${name}`,
        name,
        from: directory,
      })),
      ...problems.map((problem) => none('skill', problem)),
    ];
  } catch (error) {
    return [none(`skills in ${folder}`, (error as Error).message)];
  }
}

/** As files below `agents/`, with the names of our tools. */
export async function importAgents(folder: string): Promise<ImportStep[]> {
  const steps = listFiles(folder, '.md').map(async (path): Promise<ImportStep> => {
    const markdown = await readMarkdown(join(folder, path));
    const written = markdown?.values['name'];
    return toAgentStep(typeof written === 'string' ? written : basename(path, '.md'), markdown);
  });
  return Promise.all(steps);
}

export function toAgentStep(written: string, markdown: Markdown | undefined): ImportStep {
  const name = written.toLowerCase().replaceAll(/[^a-z0-9_-]+/g, '-');
  const what = `agent ${name}`;
  const description = markdown?.values['description'];
  if (!markdown || typeof description !== 'string') return none(what, 'it has no description in its front matter.');
  const { names, unknown } = toTools(markdown.values['tools']);
  const left = Object.keys(markdown.values).filter((key) => !['name', 'description', 'tools'].includes(key));
  const head = [
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    ...(names === undefined
      ? []
      : names.length === 0
        ? ['tools: []']
        : ['tools:', ...names.map((tool) => `  - ${tool}`)]),
  ];
  const notes = [
    ...(unknown.length > 0 ? [`no such tools here: ${unknown.join(', ')}`] : []),
    ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
  ];
  const text = `---\n${head.join('\n')}\n---\n\n${markdown.body.trim()}\n`;
  return { kind: 'file', what, path: join('agents', `${name}.md`), text, notes };
}

/** Without names all tools; a list of which Castor knows none leaves no tool. */
function toTools(value: unknown): { names?: string[]; unknown: string[] } {
  if (isRecord(value)) return switchTools(value);
  if (value === undefined || value === null) return { unknown: [] };
  const written = Array.isArray(value)
    ? value.map(String)
    : typeof value === 'string'
      ? value.split(',').flatMap((name) => name.trim() || [])
      : [];
  if (written.includes('*')) return { unknown: [] };
  return {
    names: [...new Set(written.flatMap((name) => toTool(name) ?? []))],
    unknown: written.filter((name) => toTool(name) === undefined),
  };
}

function toTool(name: string): string | undefined {
  return TOOLS[name] ?? (name.startsWith('mcp__') ? name.replaceAll('__', '_') : undefined);
}

/** The map of opencode switches tools off; all others stay, unless `*` is off. */
function switchTools(value: Readonly<Record<string, unknown>>): { names?: string[]; unknown: string[] } {
  const { '*': others, ...named } = value;
  const off = Object.keys(named).filter((name) => named[name] === false);
  const on = Object.keys(named).filter((name) => named[name] === true);
  const unknown = [...on, ...off].filter((name) => toTool(name) === undefined);
  const toNames = (list: readonly string[]) => list.flatMap((name) => toTool(name) ?? []);
  if (others === false) return { names: [...new Set(toNames(on))], unknown };
  const left = new Set([...Object.values(TOOLS), 'mcp_*']);
  for (const name of toNames(off)) left.delete(name);
  return off.length === 0 ? { unknown } : { names: [...left], unknown };
}

async function readMarkdown(path: string): Promise<Markdown | undefined> {
  const text = readText(path) ?? '';
  if (!text.startsWith('---')) return { values: {}, body: text };
  const split = splitFrontMatter(text);
  if ('reason' in split) return undefined;
  const parsed = await parseFrontMatter(split.block);
  return { values: 'values' in parsed && isRecord(parsed.values) ? parsed.values : {}, body: split.body };
}
