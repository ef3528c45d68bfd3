/** Reads what Claude Code has for the user or a project, and maps it to our files. */

import { join } from 'node:path';
import { isRecord } from '@castor/core/program';
import { fromClaude } from '../hooks-from-claude.ts';
import { toImportedRule, toRuleFile } from './claude-rules.ts';
import type { ImportedRule } from './claude-rules.ts';
import { importAgents, importCommands, importSkills } from './import-commands.ts';
import { toServerStep } from './import-servers.ts';
import { none } from './import-step.ts';
import type { ImportPlace, ImportStep } from './import-step.ts';
import { readJson, readText } from './read-files.ts';

const MODES: Readonly<Record<string, string>> = { acceptEdits: 'auto_edit', plan: 'plan', default: 'default' };
const HANDLED: ReadonlySet<string> = new Set([
  ...['$schema', 'cleanupPeriodDays', 'env', 'hooks', 'mcpServers', 'model', 'permissions', 'sandbox'],
]);

export async function readClaude(place: ImportPlace): Promise<ImportStep[]> {
  const { scope, home, cwd } = place;
  const folder = join(scope === 'user' ? home : cwd, '.claude');
  const files = scope === 'user' ? ['settings.json'] : ['settings.json', 'settings.local.json'];
  return [
    ...files.flatMap((name) => importSettings(join(folder, name), scope)),
    ...importServers(place),
    ...importContext(place, folder),
    ...(await importCommands(join(folder, 'commands'))),
    ...(await importSkills(join(folder, 'skills'))),
    ...(await importAgents(join(folder, 'agents'))),
  ];
}

function importSettings(path: string, scope: ImportPlace['scope']): ImportStep[] {
  const settings = readJson(path);
  if (!settings) return [];
  const { hooks, mapped, left, notes } = fromClaude(settings);
  const events = Object.entries(hooks);
  return [
    ...events.map(([event, definitions]): ImportStep => ({
      kind: 'items',
      what: `hooks of ${event}`,
      key: ['hooks', event],
      items: definitions ?? [],
      notes: events.length === 1 || event === events[0]?.[0] ? [...mapped, ...notes] : [],
    })),
    ...left.map((line) => none('hook', line)),
    ...importPermissions(settings['permissions'], scope),
    ...importModel(settings['model']),
    ...importSandbox(settings['sandbox'], scope),
    ...importRetention(settings['cleanupPeriodDays'], scope),
    ...Object.keys(isRecord(settings['env']) ? settings['env'] : {}).map((name) =>
      none(`variable ${name}`, 'values of variables are not copied. Set it in your shell or in ~/.gemini/.env.'),
    ),
    ...Object.keys(settings)
      .filter((key) => !HANDLED.has(key))
      .map((key) => none(`setting ${key}`, key === 'statusLine' ? STATUS_LINE : 'Castor has no counterpart.')),
  ];
}

const STATUS_LINE = 'castor.statusLine takes a command too, and tells it other fields: docs/keys.md.';

function importSandbox(sandbox: unknown, scope: ImportPlace['scope']): ImportStep[] {
  if (!isRecord(sandbox)) return [];
  const { enabled, ...others } = sandbox;
  const left = Object.keys(others).map((key) => none(`sandbox ${key}`, 'see docs/sandbox.md for what can be allowed.'));
  if (enabled !== true) return left;
  if (scope === 'project')
    return [{ kind: 'setting', what: 'sandbox', key: ['security', 'toolSandboxing'], value: true }, ...left];
  return [{ kind: 'setting', what: 'sandbox', key: ['tools', 'sandbox'], value: true }, ...left];
}

function importRetention(days: unknown, scope: ImportPlace['scope']): ImportStep[] {
  if (typeof days !== 'number') return [];
  const what = `cleanupPeriodDays ${days}`;
  if (scope === 'project' || days < 1)
    return [none(what, 'only your own settings can set how long sessions are kept.')];
  return [{ kind: 'setting', what, key: ['general', 'sessionRetention', 'maxAge'], value: `${Math.round(days)}d` }];
}

function importModel(model: unknown): ImportStep[] {
  if (typeof model !== 'string') return [];
  if (!model.startsWith('claude-')) return [none(`model ${model}`, 'it is a short name. Choose one with /model.')];
  return [{ kind: 'setting', what: `model ${model}`, key: ['castor', 'model'], value: `anthropic/${model}` }];
}

/** A project cannot allow itself anything. */
function importPermissions(permissions: unknown, scope: ImportPlace['scope']): ImportStep[] {
  if (!isRecord(permissions)) return [];
  const { allow, deny, ask, defaultMode, ...others } = permissions;
  const toList = (value: unknown) => (Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []);
  const rules: ImportedRule[] = [];
  /** A project's policies are disabled, so its permissions become none. */
  const asRule = (step: ImportStep, rule: string, decision: ImportedRule['decision']): ImportStep[] => {
    const found = step.kind === 'none' && scope === 'user' ? toImportedRule(rule, decision, TOOLS) : undefined;
    if (found) rules.push(found);
    return found ? [] : [step];
  };
  const steps = [
    ...toList(allow).flatMap((rule) =>
      asRule(
        scope === 'project'
          ? none(
              `permission ${rule}`,
              'a project cannot allow tools. Import it with --user, or add a rule to ~/.gemini/policies.',
            )
          : toRule(rule, ['tools', 'allowed']),
        rule,
        'allow',
      ),
    ),
    ...toList(deny).flatMap((rule) => asRule(toDenial(rule), rule, 'deny')),
    ...toList(ask).flatMap((rule) =>
      asRule(
        none(`permission ${rule}`, 'Castor asks by default. Add a rule to ~/.gemini/policies to be sure.'),
        rule,
        'ask_user',
      ),
    ),
    ...toRuleFile(rules),
    ...Object.entries(others).flatMap(([key, value]) => importOther(key, value, scope)),
  ];
  if (typeof defaultMode !== 'string') return steps;
  const value = MODES[defaultMode];
  const mode: ImportStep =
    value === undefined
      ? none(`mode ${defaultMode}`, 'a mode without approvals is not imported.')
      : { kind: 'setting', what: `mode ${defaultMode}`, key: ['general', 'defaultApprovalMode'], value };
  return [...steps, mode];
}

function importOther(key: string, value: unknown, scope: ImportPlace['scope']): ImportStep[] {
  if (key === 'disableBypassPermissionsMode' && value === 'disable')
    return [{ kind: 'setting', what: `permission ${key}`, key: ['security', 'disableYoloMode'], value: true }];
  if (key !== 'additionalDirectories' || !Array.isArray(value))
    return [none(`permission ${key}`, 'Castor has no counterpart.')];
  return value.map(String).map((folder) => {
    const what = `folder ${folder}`;
    if (scope === 'project') return none(what, 'a project cannot open other folders. Use /directory add.');
    if (!/^[~/]/.test(folder)) return none(what, 'it depends on the folder of the start. Use /directory add.');
    return { kind: 'items', what, key: ['context', 'includeDirectories'], items: [folder] };
  });
}

/** The tools of Claude Code here; a way to change files is denied with all its forms. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  Bash: ['run_shell_command'],
  Read: ['read_file'],
  Write: ['write_file'],
  Edit: ['replace', 'apply_patch'],
  MultiEdit: ['replace', 'apply_patch'],
  Glob: ['glob'],
  Grep: ['grep_search'],
  LS: ['list_directory'],
  WebFetch: ['web_fetch'],
  WebSearch: ['google_web_search'],
};

/** What was denied there must not be allowed here unnoticed. */
function toDenial(rule: string): ImportStep {
  const what = `permission ${rule} (denied)`;
  const [, server] = /^mcp__([\w-]+?)(?:__\*)?$/.exec(rule) ?? [];
  if (server !== undefined && !server.includes('__'))
    return { kind: 'items', what, key: ['mcp', 'excluded'], items: [server] };
  const step = toRule(rule, ['tools', 'exclude']);
  return step.kind === 'none'
    ? none(what, 'this denial is NOT in force in Castor. Write a deny rule to ~/.gemini/policies (docs/policy.md).')
    : { ...step, what };
}

/** `Bash(git add:*)` is `run_shell_command(git add)`. */
function toRule(rule: string, key: readonly string[]): ImportStep {
  const what = `permission ${rule}`;
  const [, command] = /^Bash\((.*?)(?::\*|\s\*)?\)$/.exec(rule) ?? [];
  const server = /^mcp__(\w+?)__(\w+)$/.exec(rule);
  const item =
    command !== undefined && command !== '' && !/[*?[\]]/.test(command)
      ? `run_shell_command(${command})`
      : server
        ? `mcp_${server[1]}_${server[2]}`
        : undefined;
  const tools = Object.hasOwn(TOOLS, rule) ? TOOLS[rule] : undefined;
  if (tools) return { kind: 'items', what, key, items: tools };
  if (item === undefined)
    return none(what, 'Castor has no such rule. Write one to ~/.gemini/policies (docs/policy.md).');
  return { kind: 'items', what, key, items: [item] };
}

function importServers({ scope, home, cwd }: ImportPlace): ImportStep[] {
  const own = readJson(join(home, '.claude.json')) ?? {};
  const projects = isRecord(own['projects']) ? own['projects'] : {};
  const here = isRecord(projects[cwd]) ? projects[cwd] : {};
  const lists =
    scope === 'user' ? [own['mcpServers']] : [here['mcpServers'], readJson(join(cwd, '.mcp.json'))?.['mcpServers']];
  const { disabledMcpjsonServers: off, allowedTools: allowed } = here;
  const isOff = (name: string) => scope === 'project' && Array.isArray(off) && off.includes(name);
  const grants = scope === 'project' && Array.isArray(allowed) ? allowed.map(String) : [];
  const reason = 'a project cannot allow tools. Add a rule to ~/.gemini/policies.';
  const steps = lists.flatMap((servers) =>
    Object.entries(isRecord(servers) ? servers : {}).map(([name, entry]) => {
      const { type, command, args, env, url, headers } = isRecord(entry) ? entry : {};
      return toServerStep({
        name,
        command: typeof command === 'string' ? command : undefined,
        args: Array.isArray(args) ? args.map(String) : undefined,
        env,
        url: typeof url === 'string' ? url : undefined,
        isSse: type === 'sse',
        headers,
        isDisabled: isOff(name),
      });
    }),
  );
  return [...steps, ...grants.map((rule) => none(`permission ${rule}`, reason))];
}

const LOCAL =
  'GEMINI.md is shared with the project, and this file is yours. To read it: a line @./CLAUDE.local.md there.';

function importContext({ scope, cwd }: ImportPlace, folder: string): ImportStep[] {
  if (scope === 'project') {
    const own =
      readText(join(cwd, 'CLAUDE.local.md')) === undefined ? [] : [none('context file CLAUDE.local.md', LOCAL)];
    const file = [join(cwd, 'CLAUDE.md'), join(folder, 'CLAUDE.md')].find((path) => readText(path) !== undefined);
    if (file === undefined) return own;
    const text = `@./${file.slice(cwd.length + 1)}\n`;
    return [{ kind: 'file', what: 'context file CLAUDE.md', path: 'GEMINI.md', text, isBeside: true }, ...own];
  }
  const text = readText(join(folder, 'CLAUDE.md'));
  return text === undefined ? [] : [{ kind: 'file', what: 'context file CLAUDE.md', path: 'GEMINI.md', text }];
}
