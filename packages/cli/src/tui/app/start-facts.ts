/** What a start has found and will use, in a few words each, for the first lines of a conversation. */

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { countOf, findSkillFolders } from '@castor/core/program';
import type { Start } from '../../start/start.ts';
import { MODE_NAMES } from '../conversation/approval-modes.ts';

/** Only what exists, the most important first. */
export async function startFacts(start: Start): Promise<string[]> {
  const { settings, choice, approval } = start;
  const files = [...new Set(contextFiles(start).map((path) => basename(path)))];
  const servers = Object.keys(settings.mcpServers ?? {}).length;
  const extensions = start.sources.filter(({ kind }) => kind === 'extension').length;
  const skills = countSkills(start);
  const hooks = mayHaveHooks(start) ? (await import('./count-hooks.ts')).countHooks(start) : 0;
  return [
    choice.access.kind === 'offline' ? 'offline model' : choice.model,
    MODE_NAMES[approval.mode],
    files.join(', '),
    servers > 0 ? countOf(servers, 'MCP server') : '',
    extensions > 0 ? countOf(extensions, 'extension') : '',
    skills > 0 ? countOf(skills, 'skill') : '',
    hooks > 0 ? countOf(hooks, 'hook') : '',
  ].filter(Boolean);
}

/** By their folders, without reading one. Castor's own are no news. */
function countSkills({ settings, sources }: Start): number {
  if (!settings.skills.enabled) return 0;
  const readsClaude = settings.castor.readFilesOf?.includes('claude') ?? false;
  const folders = findSkillFolders(sources, { readsClaude }).filter(({ source }) => source.kind !== 'builtin');
  const names = new Set(folders.map(({ directory }) => basename(directory).toLowerCase()));
  for (const name of settings.skills.disabled) names.delete(name.toLowerCase());
  return names.size;
}

function mayHaveHooks({ configuration, sources }: Start): boolean {
  return (
    configuration.layers.some(({ raw }) => raw['hooks'] !== undefined) ||
    sources.some(({ kind }) => kind === 'extension')
  );
}

/** The files of instructions that every start looks for, where they exist. */
export function contextFiles({ settings, cwd, home }: Start): string[] {
  const names = contextNames(settings.context.fileName);
  return names.flatMap((name) => [join(cwd, name), join(home, '.gemini', name)]).filter((path) => existsSync(path));
}

function contextNames(fileName: string | readonly string[] | undefined): readonly string[] {
  if (fileName === undefined) return ['GEMINI.md'];
  return typeof fileName === 'string' ? [fileName] : fileName;
}
