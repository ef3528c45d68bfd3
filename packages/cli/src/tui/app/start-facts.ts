/** What a start has found and will use, in a few words each, for the first lines of a conversation. */

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { countOf } from '@castor/core/program';
import type { Start } from '../../start/start.ts';
import { MODE_NAMES } from '../conversation/approval-modes.ts';

/** Only what exists, the most important first. */
export function startFacts(start: Start): string[] {
  const { settings, choice, approval } = start;
  const files = [...new Set(contextFiles(start).map((path) => basename(path)))];
  const servers = Object.keys(settings.mcpServers ?? {}).length;
  const extensions = start.sources.filter(({ kind }) => kind === 'extension').length;
  return [
    choice.access.kind === 'offline' ? 'offline model' : choice.model,
    MODE_NAMES[approval.mode],
    files.join(', '),
    servers > 0 ? countOf(servers, 'MCP server') : '',
    extensions > 0 ? countOf(extensions, 'extension') : '',
  ].filter(Boolean);
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
