/**
 * Builds a legal history from the records of another agent: turns alternate, and every call is followed by exactly one
 * response. Records may arrive in pieces, out of order or without their results.
 */

import type { Content, Part } from '../protocol/content.ts';
import { isRecord } from '../util/is-record.ts';

const UNKNOWN_RESULT = 'The result of this call is not known: the session was interrupted or imported without it.';
/** A longer result is cut: the whole history is sent with the next prompt. */
const LONGEST_RESULT = 100_000;

/** The tools that both programs have, and the names of their arguments. */
const TOOLS: Readonly<Record<string, { name: string; args?: Readonly<Record<string, string>> }>> = {
  Bash: { name: 'run_shell_command' },
  Read: { name: 'read_file', args: { offset: 'start_line' } },
  Write: { name: 'write_file' },
  Edit: { name: 'replace' },
  Grep: { name: 'grep_search', args: { path: 'dir_path', glob: 'include_pattern' } },
  Glob: { name: 'glob', args: { path: 'dir_path' } },
  LS: { name: 'list_directory', args: { path: 'dir_path' } },
  WebSearch: { name: 'google_web_search' },
  shell: { name: 'run_shell_command' },
  shell_command: { name: 'run_shell_command' },
  exec_command: { name: 'run_shell_command', args: { cmd: 'command' } },
};

export class ForeignHistory {
  private turns: { role: 'user' | 'model'; parts: Part[] }[] = [];
  private readonly results = new Map<string, { output: string } | { error: string }>();

  text(role: 'user' | 'model', text: string): void {
    const clean = text.toWellFormed();
    if (clean.trim() !== '') this.push(role, { text: clean });
  }

  part(role: 'user' | 'model', part: Part): void {
    this.push(role, part);
  }

  call(id: string, name: string, args: unknown): void {
    const known = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    const given = isRecord(args) ? args : args === undefined ? {} : { input: args };
    const renamed = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [known?.args?.[key] ?? key, toCommand(key, value)]),
    );
    this.push('model', { functionCall: { id, name: known?.name ?? toToolName(name), args: renamed } });
  }

  result(id: string, text: string, hasFailed = false): void {
    const clean = text.toWellFormed();
    const told = clean.length > LONGEST_RESULT ? `${clean.slice(0, LONGEST_RESULT)}\n[cut]` : clean;
    this.results.set(id, hasFailed ? { error: told } : { output: told });
  }

  /** What came before was replaced by a summary. */
  restart(summary: string): void {
    this.turns = [];
    this.text('user', summary);
  }

  toContents(): Content[] {
    const contents: Content[] = [];
    for (const { role, parts } of this.turns) {
      if (contents.length === 0 && role === 'model') continue;
      append(contents, role, parts);
      const calls = role === 'model' ? parts.flatMap(({ functionCall }) => functionCall ?? []) : [];
      if (calls.length > 0)
        append(
          contents,
          'user',
          calls.map((call) => this.answer(call)),
        );
    }
    return contents;
  }

  private answer({ id = '', name = '' }: NonNullable<Part['functionCall']>): Part {
    const response = this.results.get(id) ?? { error: UNKNOWN_RESULT, status: 'unknown' };
    return { functionResponse: { id, name, response } };
  }

  /** Text of a model after its call belongs to a turn of its own, behind the result. */
  private push(role: 'user' | 'model', part: Part): void {
    const last = this.turns.at(-1);
    const isAfterCall = !part.functionCall && last?.parts.some(({ functionCall }) => functionCall) === true;
    if (last?.role === role && !isAfterCall) last.parts.push(part);
    else this.turns.push({ role, parts: [part] });
  }
}

function append(contents: Content[], role: 'user' | 'model', parts: readonly Part[]): void {
  const last = contents.at(-1);
  if (last?.role === role) last.parts = [...(last.parts ?? []), ...parts];
  else contents.push({ role, parts: [...parts] });
}

/** codex stores a command as the words of a program. */
function toCommand(key: string, value: unknown): unknown {
  if (key !== 'command' || !Array.isArray(value)) return value;
  const words = value.map(String);
  return words[0]?.endsWith('sh') && /^-l?c$/.test(words[1] ?? '') ? (words[2] ?? '') : words.join(' ');
}

/** As every provider accepts it. */
function toToolName(name: string): string {
  const clean = name.replaceAll(/[^\w-]/g, '_').slice(0, 60);
  return /^[A-Za-z_]/.test(clean) ? clean : `tool_${clean}`;
}
