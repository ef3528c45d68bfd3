/** Converts an action into the call a model would request: names and arguments of the built-in tools. */

import type { FunctionCall } from '../../protocol/content.ts';
import { assertNever } from '../../protocol/events.ts';
import type { Action } from './work.ts';

const TOOL_NAMES: Readonly<Record<Action['kind'], string>> = {
  list: 'list_directory',
  read: 'read_file',
  search: 'grep_search',
  find_files: 'glob',
  write: 'write_file',
  replace: 'replace',
  run: 'run_shell_command',
};

export function toolNameOf(action: Action): string {
  return TOOL_NAMES[action.kind];
}

export function toFunctionCall(action: Action): FunctionCall {
  return { name: toolNameOf(action), args: toArguments(action) };
}

function toArguments(action: Action): Record<string, unknown> {
  switch (action.kind) {
    case 'list':
      return { dir_path: action.path };
    case 'read':
      return { file_path: action.path };
    case 'search':
      return { pattern: escapePattern(action.text) };
    case 'find_files':
      return { pattern: action.pattern.includes('/') ? action.pattern : `**/${action.pattern}` };
    case 'write':
      return { file_path: action.path, content: action.content };
    case 'replace':
      return {
        file_path: action.path,
        instruction: `Replace “${action.from}” with “${action.to}”.`,
        old_string: action.from,
        new_string: action.to,
      };
    case 'run':
      return { command: action.command };
    default:
      return assertNever(action);
  }
}

/** The user asks for a literal text; grep_search takes a regular expression. */
function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
