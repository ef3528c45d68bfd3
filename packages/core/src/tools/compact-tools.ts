/** The tools of a small window, and their declarations in the fewest words: required parameters and a few others, undescribed. */

import type { FunctionDeclaration } from '../protocol/content.ts';
import { isRecord } from '../util/is-record.ts';

interface CompactTool {
  description: string;
  /** Optional parameters that are declared nevertheless. */
  optional?: readonly string[];
}

export const COMPACT_TOOLS: Readonly<Record<string, CompactTool>> = {
  list_directory: { description: 'Lists a directory.' },
  read_file: { description: 'Reads a file, or some of its lines.', optional: ['start_line', 'end_line'] },
  grep_search: {
    description: 'Searches files for a regular expression.',
    optional: ['dir_path', 'include_pattern'],
  },
  replace: {
    description:
      'Replaces old_string, which must occur exactly once in the file, by new_string. Read the file first. instruction: the purpose, in a few words.',
  },
  write_file: { description: 'Writes the complete content of a file.' },
  run_shell_command: { description: 'Runs a command in a shell and returns its output.', optional: ['dir_path'] },
};

export function toCompactDeclaration(declaration: FunctionDeclaration): FunctionDeclaration {
  const { name = '', parametersJsonSchema: schema } = declaration;
  const compact = Object.hasOwn(COMPACT_TOOLS, name) ? COMPACT_TOOLS[name] : undefined;
  if (!compact || !isRecord(schema)) return declaration;
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const known = isRecord(schema['properties']) ? schema['properties'] : {};
  const declared = [...required, ...(compact.optional ?? [])];
  const properties = Object.fromEntries(
    Object.entries(known)
      .filter(([key]) => declared.includes(key))
      .map(([key, value]) => [key, { type: isRecord(value) ? value['type'] : 'string' }]),
  );
  const { description } = compact;
  return { ...declaration, description, parametersJsonSchema: { type: 'object', properties, required } };
}
