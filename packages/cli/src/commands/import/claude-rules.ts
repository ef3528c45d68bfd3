/** Maps permissions of Claude Code that no setting can hold to rules of a policy file. Pure. */

import type { ImportStep } from './import-step.ts';

export const RULE_FILE = 'policies/imported-from-claude.toml';

export interface ImportedRule {
  /** As Claude Code writes it. */
  readonly permission: string;
  readonly decision: 'allow' | 'ask_user' | 'deny';
  /** Fields of the rule. */
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

/** Above `tools.allowed` and below `tools.exclude`, as Claude Code ranks them. */
const PRIORITIES: Readonly<Record<ImportedRule['decision'], number>> = { allow: 250, ask_user: 350, deny: 500 };

/** Undefined for a permission that no rule describes. */
export function toImportedRule(
  permission: string,
  decision: ImportedRule['decision'],
  tools: Readonly<Record<string, readonly string[]>>,
): ImportedRule | undefined {
  const fields = fieldsOf(permission, decision, tools);
  return fields && { permission, decision, fields };
}

function fieldsOf(
  permission: string,
  decision: ImportedRule['decision'],
  tools: Readonly<Record<string, readonly string[]>>,
): ImportedRule['fields'] | undefined {
  const [, server, tool = '*'] = /^mcp__([\w-]+?)(?:__([\w-]+|\*))?$/.exec(permission) ?? [];
  if (server !== undefined) return { mcpName: server, toolName: tool };
  // What was allowed narrowly there is not allowed broadly here.
  if (decision === 'allow') return undefined;
  if (Object.hasOwn(tools, permission)) return { toolName: tools[permission] ?? [] };
  const [, command] = /^Bash\((.*?)(?::\*|\s\*)?\)$/.exec(permission) ?? [];
  if (command !== undefined && /^[^*?[\]]+$/.test(command))
    return { toolName: 'run_shell_command', commandPrefix: command };
  const [, name = '', here, path = '', below] = /^(\w+)\((\.\/)?([\w.-][\w./-]*?)(\/\*\*)?\)$/.exec(permission) ?? [];
  const writers = tools[name];
  if (writers === undefined || name === 'Bash' || name.startsWith('Web') || path === '') return undefined;
  const start = here === undefined ? '(?:[^"]*/)?' : '';
  const end = below === undefined ? '["/]' : '/';
  return { toolName: writers, argsPattern: `"file_path":"${start}${path.replaceAll(/[.+-]/g, String.raw`\$&`)}${end}` };
}

/** One file of all rules; no step without any. */
export function toRuleFile(rules: readonly ImportedRule[]): ImportStep[] {
  if (rules.length === 0) return [];
  const text = rules.map(({ permission, decision, fields }) =>
    [
      '[[rule]]',
      `# ${permission}`,
      ...Object.entries(fields).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
      `decision = "${decision}"`,
      `priority = ${PRIORITIES[decision]}`,
      '',
    ].join('\n'),
  );
  const notes = rules.map(({ permission, decision }) => `permission ${permission}: ${WORDS[decision]}`);
  return [{ kind: 'file', what: 'permissions as rules', path: RULE_FILE, text: text.join('\n'), notes }];
}

const WORDS: Readonly<Record<ImportedRule['decision'], string>> = {
  allow: 'runs without a question',
  ask_user: 'asks, in every mode',
  deny: 'denied for the tools that name a file; other commands are judged by their own rules',
};
