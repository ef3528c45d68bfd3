/**
 * The kind of a recorded call and the files it touched, from its name and arguments alone: the tool may be missing by
 * now. Pure.
 */

import { resolve } from 'node:path';
import type { ToolKind, ToolLocation } from '../protocol/tools.ts';
import { patchedFiles } from '../util/patch-files.ts';

type Arguments = Readonly<Record<string, unknown>>;

export interface RecordedKind {
  readonly kind: ToolKind;
  readonly locations: ToolLocation[];
}

/** By tool name, including the names of older Gemini CLI versions. Other tools have the kind they have today. */
const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ...(['read_file', 'read_many_files', 'list_background_processes', 'read_background_output'] as const).map(
    (name) => [name, 'read'] as const,
  ),
  ...(['write_file', 'replace', 'apply_patch'] as const).map((name) => [name, 'edit'] as const),
  ...(['list_directory', 'glob', 'grep_search', 'search_file_content', 'google_web_search'] as const).map(
    (name) => [name, 'search'] as const,
  ),
  ['run_shell_command', 'execute'],
  ['web_fetch', 'fetch'],
  ['write_todos', 'think'],
  ['ask_user', 'communicate'],
  ['enter_plan_mode', 'plan'],
  ['exit_plan_mode', 'plan'],
]);

/** The arguments that name a file or a folder. */
const PLACES = ['file_path', 'absolute_path', 'dir_path', 'directory', 'path'] as const;

/** Undefined for a tool that is not one of ours. `root`: what relative paths are relative to. */
export function recordedKind(name: string, args: Arguments, root: string): RecordedKind | undefined {
  const kind = KINDS.get(name);
  return kind && { kind, locations: locationsOf(name, args, root) };
}

function locationsOf(name: string, args: Arguments, root: string): ToolLocation[] {
  const { patch, start_line: line } = args;
  if (name === 'apply_patch') {
    const files = typeof patch === 'string' ? patchedFiles(patch) : [];
    return files.map(({ path }) => ({ path: resolve(root, path) }));
  }
  const place = PLACES.map((key) => args[key]).find((value) => typeof value === 'string' && value !== '');
  if (typeof place !== 'string') return [];
  // A path may be written as a reference.
  const path = resolve(root, place.replaceAll('\0', '').replace(/^@(?=.)/, ''));
  return [{ path, ...(typeof line === 'number' && { line }) }];
}
