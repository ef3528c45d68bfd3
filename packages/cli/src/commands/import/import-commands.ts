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

interface Markdown {
  values: Readonly<Record<string, unknown>>;
  body: string;
}

/** As TOML files below `commands/`. `prefix` is a folder for their names. */
export async function importCommands(folder: string, prefix = ''): Promise<ImportStep[]> {
  const steps = listFiles(folder, '.md').map(async (path): Promise<ImportStep> => {
    const what = `command ${join(prefix, path)}`;
    const markdown = await readMarkdown(join(folder, path));
    if (!markdown) return none(what, 'its front matter is not closed.');
    const { values, body } = markdown;
    if (/\$\d|\$ARGUMENTS\[/.test(body)) {
      return none(what, 'it uses $1. To use it as it is: castor config set castor.readFilesOf \'["claude", "codex"]\'');
    }
    const notes = ['allowed-tools', 'model']
      .filter((key) => values[key] !== undefined)
      .map((key) => `${key} was left out.`);
    const description = values['description'];
    const head = typeof description === 'string' ? `description = ${JSON.stringify(description)}\n` : '';
    const text = `${head}prompt = ${toTomlText(toPrompt(body.trim()))}\n`;
    return { kind: 'file', what, path: join('commands', prefix, path.replace(/\.md$/, '.toml')), text, notes };
  });
  return Promise.all(steps);
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
    const name = (typeof written === 'string' ? written : basename(path, '.md'))
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]+/g, '-');
    const what = `agent ${name}`;
    const description = markdown?.values['description'];
    if (!markdown || typeof description !== 'string') return none(what, 'it has no description in its front matter.');
    const { names, unknown } = toTools(markdown.values['tools']);
    const left = Object.keys(markdown.values).filter((key) => !['name', 'description', 'tools'].includes(key));
    const head = [
      `name: ${name}`,
      `description: ${JSON.stringify(description)}`,
      ...(names.length > 0 ? ['tools:', ...names.map((tool) => `  - ${tool}`)] : []),
    ];
    const notes = [
      ...(unknown.length > 0 ? [`no such tools here: ${unknown.join(', ')}`] : []),
      ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
    ];
    const text = `---\n${head.join('\n')}\n---\n\n${markdown.body.trim()}\n`;
    return { kind: 'file', what, path: join('agents', `${name}.md`), text, notes };
  });
  return Promise.all(steps);
}

function toTools(value: unknown): { names: string[]; unknown: string[] } {
  const written = Array.isArray(value)
    ? value.map(String)
    : isRecord(value)
      ? Object.keys(value).filter((key) => value[key] === true)
      : typeof value === 'string'
        ? value.split(',').map((name) => name.trim())
        : [];
  const known = (name: string) => TOOLS[name] ?? (name.startsWith('mcp__') ? name.replaceAll('__', '_') : undefined);
  return {
    names: [...new Set(written.flatMap((name) => known(name) ?? []))],
    unknown: written.filter((name) => known(name) === undefined),
  };
}

async function readMarkdown(path: string): Promise<Markdown | undefined> {
  const text = readText(path) ?? '';
  if (!text.startsWith('---')) return { values: {}, body: text };
  const split = splitFrontMatter(text);
  if ('reason' in split) return undefined;
  const parsed = await parseFrontMatter(split.block);
  return { values: 'values' in parsed && isRecord(parsed.values) ? parsed.values : {}, body: split.body };
}
