/**
 * Writes what the user consents to: every program that would run, every hook, server, restriction, policy, command,
 * skill and agent of an extension, as written in its files. Control characters are shown, never sent.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readSourceFile } from '../config/source-file.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import { describeAgents, describeCommands, describeSkills } from './consent-files.ts';
import { describePolicies } from './consent-policies.ts';
import { describeServers, nameValues, words } from '../util/consent-words.ts';
import { MANIFEST } from './extension-paths.ts';
import { readManifest } from './manifest.ts';

/** Lines without a line break, in a fixed order: two versions can be compared line by line. */
export async function describeContent(directory: string): Promise<string[]> {
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
    ...section('Commands (type / to run one; policies judge what they run):', await describeCommands(directory)),
    ...section(
      'Agent skills, whose text is given to the model when it activates one:',
      await describeSkills(directory),
    ),
    ...section('Sub-agents, which the model can start:', await describeAgents(directory)),
    ...section('Policies, which can only restrict what tools may do:', await describePolicies(directory)),
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
  return items.length === 0
    ? []
    : [title, ...items.map((item) => (item.startsWith(' ') ? `    ${item}` : `  * ${item}`))];
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
        return entries.map(({ command, env }) => `${event}${where}: ${words(command)}${nameValues('env', env)}`);
      });
    });
  } catch (error) {
    return [`an unreadable file: ${getErrorMessage(error).replaceAll(file, 'hooks/hooks.json')}`];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Characters that move the cursor, change colours or hide text, as escapes. */
function visible(text: string): string {
  return text.replaceAll(HIDDEN, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
