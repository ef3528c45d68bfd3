/**
 * Describes a recorded call for display from its name and arguments alone: it neither builds nor
 * runs a tool, so the tool may be missing by now. Where the tool's own description differs, the
 * session records it. Pure.
 */

import type { ToolCallDisplay } from '../protocol/tool-calls.ts';

type Arguments = Readonly<Record<string, unknown>>;
interface CallWords {
  readonly name: string;
  readonly describe: (args: Arguments) => string;
}

const LONGEST = 300;

const search: CallWords = {
  name: 'SearchText',
  describe: (args) =>
    `'${textOf(args, 'pattern')}'${before(' in ', args, 'include_pattern')}${before(' within ', args, 'dir_path')}`,
};

/** By tool name, including the names of older Gemini CLI versions. */
const WORDS = new Map<string, CallWords>([
  ['run_shell_command', { name: 'Shell', describe: describeCommand }],
  ['write_file', { name: 'WriteFile', describe: (args) => `Writing to ${textOf(args, 'file_path')}` }],
  ['replace', { name: 'Edit', describe: describeEdit }],
  ['read_file', { name: 'ReadFile', describe: (args) => textOf(args, 'file_path', 'absolute_path') }],
  ['list_directory', { name: 'ReadFolder', describe: (args) => textOf(args, 'dir_path', 'path') }],
  [
    'glob',
    { name: 'FindFiles', describe: (args) => `'${textOf(args, 'pattern')}'${before(' within ', args, 'dir_path')}` },
  ],
  ['grep_search', search],
  ['search_file_content', search],
  [
    'google_web_search',
    { name: 'GoogleSearch', describe: (args) => `Searching the web for: "${textOf(args, 'query')}"` },
  ],
  ['web_fetch', { name: 'WebFetch', describe: (args) => textOf(args, 'prompt', 'url') }],
  ['read_many_files', { name: 'ReadManyFiles', describe: (args) => listOf(args, 'include').join(', ') }],
  ['write_todos', { name: 'WriteTodos', describe: (args) => `Set ${listOf(args, 'todos').length} todo(s)` }],
  ['ask_user', { name: 'Ask User', describe: () => '' }],
  ['enter_plan_mode', { name: 'Enter Plan Mode', describe: (args) => textOf(args, 'reason') }],
  ['exit_plan_mode', { name: 'Exit Plan Mode', describe: (args) => textOf(args, 'plan_filename') }],
  ['list_background_processes', { name: 'List Background Processes', describe: () => 'List background processes' }],
  ['read_background_output', { name: 'Read Background Output', describe: (args) => textOf(args, 'pid') }],
]);

export function describeCall(name: string, args: Arguments = {}): ToolCallDisplay {
  const words = WORDS.get(name);
  if (words) return shortenDisplay({ name: words.name, description: words.describe(args) });
  const isSilent = Object.keys(args).length === 0;
  return shortenDisplay({ name, description: isSilent ? '' : JSON.stringify(args) });
}

/** Surfaces show one line, so a command of many pages is not recorded twice. */
export function shortenDisplay({ name, description }: ToolCallDisplay): ToolCallDisplay {
  return { name, description: description.slice(0, LONGEST).toWellFormed() };
}

function describeCommand(args: Arguments): string {
  const why = textOf(args, 'description').replaceAll('\n', ' ');
  const where = textOf(args, 'dir_path', 'directory');
  return `${textOf(args, 'command')}${where && ` [in ${where}]`}${why && ` (${why})`}`;
}

function describeEdit(args: Arguments): string {
  return `${args['old_string'] === '' ? 'Create' : 'Edit'} ${textOf(args, 'file_path')}`;
}

function textOf(args: Arguments, ...keys: string[]): string {
  const value = keys.map((key) => args[key]).find((found) => typeof found === 'string' || typeof found === 'number');
  return value === undefined ? '' : String(value);
}

function before(lead: string, args: Arguments, key: string): string {
  const text = textOf(args, key);
  return text === '' ? '' : lead + text;
}

function listOf(args: Arguments, key: string): unknown[] {
  const list = args[key];
  return Array.isArray(list) ? list : [];
}
