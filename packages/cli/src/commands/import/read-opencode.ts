/** Reads what opencode has for the user or a project, and maps it to our files. */

import { join } from 'node:path';
import { isRecord } from '@castor/core/program';
import { importAgents, importCommands, importSkills, toAgentStep, toCommandStep } from './import-commands.ts';
import { toServerStep } from './import-servers.ts';
import { none } from './import-step.ts';
import type { ImportPlace, ImportStep } from './import-step.ts';
import { importProjectContext } from './read-codex.ts';
import { readJson, readText } from './read-files.ts';

const HANDLED: ReadonlySet<string> = new Set([
  ...['$schema', 'agent', 'command', 'instructions', 'mcp', 'model', 'small_model', 'permission', 'tools'],
]);

export async function readOpencode({ scope, home, cwd }: ImportPlace): Promise<ImportStep[]> {
  const folder = scope === 'user' ? join(home, '.config', 'opencode') : join(cwd, '.opencode');
  const base = scope === 'user' ? folder : cwd;
  const files = [...new Set([base, folder])].flatMap((place) =>
    ['opencode.json', 'opencode.jsonc'].map((name) => join(place, name)),
  );
  const own = scope === 'user' ? readText(join(folder, 'AGENTS.md')) : undefined;
  const inFolders = async (read: (path: string) => Promise<ImportStep[]>, names: readonly string[]) =>
    (await Promise.all(names.map((name) => read(join(folder, name))))).flat();
  return [
    ...files.flatMap((path) => importSettings(path, scope)),
    ...(own === undefined
      ? []
      : [{ kind: 'file', what: 'context file AGENTS.md', path: 'GEMINI.md', text: own } as const]),
    ...(scope === 'project' ? importProjectContext(cwd) : []),
    ...(await inFolders((path) => importCommands(path), ['command', 'commands'])),
    ...(await inFolders(importAgents, ['agent', 'agents'])),
    ...(await inFolders(importSkills, ['skill', 'skills'])),
  ];
}

function importSettings(path: string, scope: ImportPlace['scope']): ImportStep[] {
  const settings = readJson(path);
  if (!settings) return [];
  const { mcp, model, small_model: small, permission } = settings;
  return [
    ...toModel('model', model),
    ...toModel('smallModel', small),
    ...Object.entries(isRecord(mcp) ? mcp : {}).map(([name, entry]) => toServer(name, isRecord(entry) ? entry : {})),
    ...importPermissions(permission, scope),
    ...importInline(settings),
    ...Object.keys(settings)
      .filter((key) => !HANDLED.has(key))
      .map((key) => none(`setting ${key}`, 'Castor has no counterpart.')),
  ];
}

/** Agents, commands and tools in the file itself. */
function importInline({ agent, command, tools, instructions }: Readonly<Record<string, unknown>>): ImportStep[] {
  const commands = recordsOf(command).map(([name, { template, ...values }]) => {
    if (!/^[\w-]+(?:\/[\w-]+)*$/.test(name) || typeof template !== 'string')
      return none(`command ${name}`, 'its name or template is invalid.');
    return toCommandStep(name, { values, body: template });
  });
  const agents = recordsOf(agent).map(([name, { prompt, ...values }]) => {
    if (typeof prompt !== 'string' || prompt.startsWith('{file:'))
      return none(`agent ${name}`, 'its prompt is not in this file.');
    return toAgentStep(name, { values, body: prompt });
  });
  const denials = Object.entries(isRecord(tools) ? tools : {}).map(([name, isOn]) => {
    const what = `tool ${name}: ${String(isOn)}`;
    if (isOn !== false) return none(what, 'Castor offers it without a setting.');
    const denied = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    return denied ? toDenial(what, denied) : none(what, NOT_IN_FORCE);
  });
  const files = (Array.isArray(instructions) ? instructions : []).map((file) =>
    none(`instructions ${String(file)}`, 'to read it, name it in GEMINI.md: a line @./path.'),
  );
  return [...commands, ...agents, ...denials, ...files];
}

function recordsOf(value: unknown): [string, Record<string, unknown>][] {
  return Object.entries(isRecord(value) ? value : {}).map(([name, entry]) => [name, isRecord(entry) ? entry : {}]);
}

function toModel(key: string, model: unknown): ImportStep[] {
  return typeof model === 'string'
    ? [{ kind: 'setting', what: `${key} ${model}`, key: ['castor', key], value: model }]
    : [];
}

function toServer(name: string, entry: Readonly<Record<string, unknown>>): ImportStep {
  const { command, environment, url, headers, enabled, timeout } = entry;
  const [program, ...args] = Array.isArray(command) ? command.map(String) : [];
  return toServerStep({
    name,
    command: program,
    args,
    env: toReferences(environment),
    url: typeof url === 'string' ? url : undefined,
    headers: toReferences(headers),
    timeoutMs: typeof timeout === 'number' ? timeout : undefined,
    isDisabled: enabled === false,
  });
}

/** opencode writes a variable as `{env:NAME}`. */
function toReferences(values: unknown): unknown {
  if (!isRecord(values)) return undefined;
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, String(value).replaceAll(/\{env:(\w+)\}/g, '${$1}')]),
  );
}

const NOT_IN_FORCE = 'this denial is NOT in force in Castor. Write a deny rule to ~/.gemini/policies (docs/policy.md).';
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  bash: ['run_shell_command'],
  edit: ['replace', 'apply_patch', 'write_file'],
  write: ['write_file'],
  read: ['read_file'],
  webfetch: ['web_fetch'],
  websearch: ['google_web_search'],
  glob: ['glob'],
  grep: ['grep_search'],
  list: ['list_directory'],
};

function toDenial(what: string, items: readonly string[]): ImportStep {
  return { kind: 'items', what, key: ['tools', 'exclude'], items };
}

function importPermissions(permission: unknown, scope: ImportPlace['scope']): ImportStep[] {
  if (!isRecord(permission)) return [];
  const { bash, ...others } = permission;
  const rules = Object.entries(isRecord(bash) ? bash : {}).map(([pattern, decision]): ImportStep => {
    const what = `permission bash ${pattern}: ${String(decision)}`;
    const command = pattern.replace(/\s*\*$/, '');
    if (pattern === '*' && decision === 'deny') return toDenial(what, ['run_shell_command']);
    if (decision === 'deny' && /[*?]/.test(command)) return none(what, NOT_IN_FORCE);
    if (command === '' || /[*?]/.test(command) || decision === 'ask') {
      return none(what, 'Castor asks by default. Write a rule to ~/.gemini/policies (docs/policy.md).');
    }
    if (decision === 'allow' && scope === 'project') return none(what, 'a project cannot allow tools.');
    const key = ['tools', decision === 'deny' ? 'exclude' : 'allowed'];
    return { kind: 'items', what, key, items: [`run_shell_command(${command})`] };
  });
  return [
    ...rules,
    ...Object.entries(typeof bash === 'string' ? { bash, ...others } : others).map(([name, decision]) => {
      const what = `permission ${name}`;
      if (decision !== 'deny')
        return none(what, 'Castor asks by default. Write a rule to ~/.gemini/policies (docs/policy.md).');
      const tools = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
      return tools ? toDenial(`${what}: deny`, tools) : none(what, NOT_IN_FORCE);
    }),
  ];
}
