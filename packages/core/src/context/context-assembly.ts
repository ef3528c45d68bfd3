/**
 * Reads the context files that were found and assembles them: each file between marker
 * lines with its name, its imports in place, all of it in the frames the model knows. It
 * limits the total size and reports every missing file.
 */

import type { ContextFile, FoundContextFile, LoadedContext } from './context-files.ts';
import { isForeign } from '../protocol/source.ts';
import type { SourceKind } from '../protocol/source.ts';
import { resolveImports } from './context-imports.ts';
import { readContextFile } from './context-reader.ts';
import { toOneLine } from '../util/short-text.ts';

/** For all files and their imports together. */
const MAX_CONTEXT_CHARACTERS = 4 * 1024 * 1024;

const FRAME = /<(?=\/?(?:loaded_context|global_context|extension_context|project_context|session_context)\b)/gi;

/** The model receives each file's scope, and the later scope wins. */
const SCOPES: Readonly<Record<SourceKind, ContextFile['scope']>> = {
  builtin: 'global',
  system: 'global',
  user: 'global',
  extension: 'extension',
  project: 'project',
};

export async function assembleContext(
  found: readonly FoundContextFile[],
  importFormat: 'tree' | 'flat',
): Promise<LoadedContext> {
  const { entries, files, warnings } = await readAll(found, importFormat);
  const group = (scope: ContextFile['scope']) =>
    toGroup(scope, entries.filter((entry) => entry.scope === scope).map(toMarked));
  return {
    global: toFrame([group('global')]),
    project: toFrame([group('extension'), group('project')]),
    files,
    warnings,
  };
}

/** The files as text between marker lines, without frames. */
export async function assembleFiles(
  found: readonly FoundContextFile[],
  importFormat: 'tree' | 'flat',
): Promise<{ text: string; files: ContextFile[]; warnings: string[] }> {
  const { entries, files, warnings } = await readAll(found, importFormat);
  return { text: entries.map(toMarked).join('\n\n'), files, warnings };
}

interface Entry {
  scope: ContextFile['scope'];
  name: string;
  text: string;
}

async function readAll(found: readonly FoundContextFile[], importFormat: 'tree' | 'flat') {
  const entries: Entry[] = [];
  const files: ContextFile[] = [];
  const warnings: string[] = [];
  const seen = new Set<string>();
  let left = MAX_CONTEXT_CHARACTERS;
  for (const { path, kind, name, allowedRoots } of found) {
    const scope = SCOPES[kind];
    // The user's own file may be a link into their dotfiles; a project's file must not link outside the project.
    const file = await readContextFile(path, isForeign(kind) ? allowedRoots : undefined);
    if ('reason' in file) {
      warnings.push(`${name} was skipped: ${file.reason}.`);
      continue;
    }
    // Two names of one file, such as GEMINI.md as a link to AGENTS.md, are one file.
    if (seen.has(file.path)) continue;
    seen.add(file.path);
    warnings.push(...file.remarks.map((remark) => `${name} ${remark}.`));
    const imported = await resolveImports(file, { name, format: importFormat, allowedRoots, maxCharacters: left });
    warnings.push(...imported.warnings);
    const text = imported.text.trim();
    if (text === '') continue;
    if (text.length > left) {
      warnings.push(`${name} was skipped: the context files together are larger than 4 MiB.`);
      continue;
    }
    left -= text.length;
    entries.push({ scope, name, text });
    files.push({ path, scope, bytes: Buffer.byteLength(text) });
  }
  return { entries, files, warnings };
}

function toMarked({ name: given, text }: Entry): string {
  // A folder name may contain any character, including line breaks.
  const name = toOneLine(given);
  return `--- Context from: ${name} ---\n${text.replaceAll(FRAME, '&lt;')}\n--- End of Context from: ${name} ---`;
}

/** The model treats text from other files as data; these files are instructions. */
const PREAMBLE =
  'Instructions of the user and the project. Where they conflict: project before extension before global.';

function toGroup(scope: ContextFile['scope'], texts: readonly string[]): string {
  return texts.length === 0 ? '' : `<${scope}_context>\n${texts.join('\n\n')}\n</${scope}_context>`;
}

function toFrame(groups: readonly string[]): string {
  const present = groups.filter((group) => group !== '');
  return present.length === 0 ? '' : `<loaded_context>\n${PREAMBLE}\n${present.join('\n')}\n</loaded_context>`;
}
