/**
 * Converts hooks of Claude Code's settings to ours. Translates events, tool names and units; reports what has no
 * counterpart with the reason. Pure.
 */

import type { HookEventName } from '@castor/core/program';
import { isRecord } from '@castor/core/program';

export interface TranslatedDefinition {
  matcher?: string;
  hooks: { type: 'command'; command: string; timeout?: number }[];
}

export interface Translation {
  hooks: Partial<Record<HookEventName, TranslatedDefinition[]>>;
  /** One line for each hook that was translated. */
  mapped: string[];
  /** One line for each part that was not translated, with the reason. */
  left: string[];
  /** What the user should check in the translated ones. */
  notes: string[];
}

const EVENTS: ReadonlyMap<string, HookEventName> = new Map(
  Object.entries({
    PreToolUse: 'BeforeTool',
    PostToolUse: 'AfterTool',
    UserPromptSubmit: 'BeforeAgent',
    Stop: 'AfterAgent',
    SessionStart: 'SessionStart',
    SessionEnd: 'SessionEnd',
    PreCompact: 'PreCompress',
    Notification: 'Notification',
  } as const),
);

const TOOLS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Bash: 'run_shell_command',
    Edit: 'replace',
    MultiEdit: 'replace',
    Write: 'write_file',
    Read: 'read_file',
    Grep: 'grep_search',
    Glob: 'glob',
    LS: 'list_directory',
    WebFetch: 'web_fetch',
    WebSearch: 'google_web_search',
    TodoWrite: 'write_todos',
    AskUserQuestion: 'ask_user',
    ExitPlanMode: 'exit_plan_mode',
  }),
);

/** The words a matcher of these events may be; each is a matcher of its own in Castor. */
const TRIGGERS: Readonly<Partial<Record<HookEventName, readonly string[]>>> = {
  SessionStart: ['startup', 'resume', 'clear'],
  SessionEnd: ['clear', 'logout', 'prompt_input_exit', 'other'],
  PreCompress: ['manual', 'auto'],
};

/** Variables that only Claude Code sets. */
const FOREIGN_VARIABLE = /\$\{?(CLAUDE_PLUGIN_ROOT|CLAUDE_ENV_FILE|CLAUDE_CODE_REMOTE)\b/;
const MENTIONS_TOOLS = new RegExp(String.raw`\b(${[...TOOLS.keys()].join('|')})\b`);

export function fromClaude(settings: unknown): Translation {
  const result: Translation = { hooks: {}, mapped: [], left: [], notes: [] };
  const hooks = isRecord(settings) ? settings['hooks'] : undefined;
  if (hooks === undefined) return result;
  if (!isRecord(hooks)) {
    result.left.push('"hooks" must be an object of events.');
    return result;
  }
  for (const [theirs, definitions] of Object.entries(hooks)) {
    const event = EVENTS.get(theirs);
    if (!event) result.left.push(`${theirs}: Castor has no such event.`);
    else if (!Array.isArray(definitions)) result.left.push(`${theirs} must be a list.`);
    else for (const definition of definitions as unknown[]) translate(theirs, event, definition, result);
  }
  return result;
}

function translate(theirs: string, event: HookEventName, definition: unknown, result: Translation): void {
  if (!isRecord(definition) || !Array.isArray(definition['hooks'])) {
    result.left.push(`${theirs}: an entry without a list "hooks".`);
    return;
  }
  const written = typeof definition['matcher'] === 'string' ? definition['matcher'] : '';
  const label = written === '' ? theirs : `${theirs} ${written}`;
  const matchers = translateMatcher(event, written, label, result);
  const hooks = definition['hooks'].flatMap((hook: unknown) => translateHook(hook, label, result));
  if (matchers.length === 0 || hooks.length === 0) return;
  const definitions = matchers.map((matcher) => ({ ...(matcher !== '' && { matcher }), hooks }));
  (result.hooks[event] ??= []).push(...definitions);
  const to = matchers.map((matcher) => (matcher === '' ? event : `${event} ${matcher}`)).join(' and ');
  for (const { command } of hooks) result.mapped.push(`${label} → ${to}: ${command}`);
}

/** The equivalent matchers; none when nothing here would ever match. */
function translateMatcher(event: HookEventName, written: string, label: string, result: Translation): string[] {
  if (written === '' || written === '*') return [''];
  const words = written.split('|').map((word) => word.trim());
  if (event === 'BeforeTool' || event === 'AfterTool') return translateTools(words, written, label, result);
  const triggers = TRIGGERS[event];
  if (!triggers) {
    result.notes.push(`${label}: ${event} has no matcher in Castor; the hook always runs.`);
    return [''];
  }
  const known = words.filter((word) => triggers.includes(word));
  const unknown = words.filter((word) => !triggers.includes(word));
  if (unknown.length > 0) result.left.push(`${label}: ${event} never happens for ${unknown.join(', ')}.`);
  return known;
}

function translateTools(words: readonly string[], written: string, label: string, result: Translation): string[] {
  if (!words.every((word) => /^\w+$/.test(word))) {
    const replaced = written
      .replaceAll(/mcp__(\w+?)__/g, 'mcp_$1_')
      .replaceAll(/\w+/g, (word) => TOOLS.get(word) ?? word);
    result.notes.push(`${label}: the matcher is a pattern; check that ${replaced} matches the same tools.`);
    return [replaced];
  }
  const names = words.flatMap((word) => TOOLS.get(word) ?? translateServerTool(word));
  const unknown = words.filter((word) => !TOOLS.has(word) && translateServerTool(word).length === 0);
  if (unknown.length > 0) result.left.push(`${label}: Castor has no tool like ${unknown.join(', ')}.`);
  const unique = [...new Set(names)];
  if (unique.length === 0) return [];
  return [unique.length === 1 ? `^${unique[0]}$` : `^(${unique.join('|')})$`];
}

function translateServerTool(word: string): string[] {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(word) ?? [];
  return server !== undefined && tool !== undefined ? [`mcp_${server}_${tool}`] : [];
}

function translateHook(hook: unknown, label: string, result: Translation): TranslatedDefinition['hooks'] {
  const { type, command, timeout } = isRecord(hook) ? hook : {};
  if (type !== 'command' || typeof command !== 'string' || command.trim() === '') {
    result.left.push(
      `${label}: Castor supports only hooks of type "command", not ${JSON.stringify(type) ?? 'nothing'}.`,
    );
    return [];
  }
  if (FOREIGN_VARIABLE.test(command))
    result.notes.push(`${label}: "${command}" uses a variable that Castor does not set.`);
  if (MENTIONS_TOOLS.test(command)) {
    result.notes.push(`${label}: "${command}" seems to compare tool_name; Castor uses other tool names.`);
  }
  const hasTimeout = typeof timeout === 'number' && timeout > 0;
  return [{ type: 'command', command, ...(hasTimeout && { timeout: timeout * 1000 }) }];
}
