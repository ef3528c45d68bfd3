/** Reads what codex has for the user or a project, and maps it to our files. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parseTomlText } from '@castor/core/program';
import { importCommands, importSkills } from './import-commands.ts';
import { toServerStep } from './import-servers.ts';
import { none } from './import-step.ts';
import type { ImportPlace, ImportStep } from './import-step.ts';
import { readText } from './read-files.ts';

const HANDLED: ReadonlySet<string> = new Set(['mcp_servers', 'model', 'approval_policy', 'sandbox_mode']);

export async function readCodex({ scope, home, cwd }: ImportPlace): Promise<ImportStep[]> {
  const folder = join(scope === 'user' ? home : cwd, '.codex');
  return [
    ...(await importSettings(join(folder, 'config.toml'))),
    ...(scope === 'user' ? importContext(folder) : importProjectContext(cwd)),
    ...(await importCommands(join(folder, 'prompts'), 'prompts')),
    ...(await importSkills(join(folder, 'skills'))),
  ];
}

async function importSettings(path: string): Promise<ImportStep[]> {
  const text = readText(path);
  if (text === undefined) return [];
  const settings = await parseTomlText(path, text);
  const { model, approval_policy: approval, mcp_servers: servers, sandbox_mode: sandbox } = settings;
  return [
    ...(typeof model === 'string'
      ? [{ kind: 'setting', what: `model ${model}`, key: ['castor', 'model'], value: `openai/${model}` } as const]
      : []),
    ...(typeof approval === 'string'
      ? [
          none(
            `approval_policy ${approval}`,
            'Castor asks before every change; rules in ~/.gemini/policies allow more.',
          ),
        ]
      : []),
    ...importSandbox(sandbox),
    ...Object.entries(isRecord(servers) ? servers : {}).map(([name, entry]) =>
      toServer(name, isRecord(entry) ? entry : {}),
    ),
    ...Object.keys(settings)
      .filter((key) => !HANDLED.has(key))
      .map((key) => none(`setting ${key}`, 'Castor has no counterpart.')),
  ];
}

function importSandbox(mode: unknown): ImportStep[] {
  if (typeof mode !== 'string') return [];
  const what = `sandbox_mode ${mode}`;
  if (mode !== 'workspace-write') return [none(what, 'Castor has no such sandbox: docs/sandbox.md.')];
  return [{ kind: 'setting', what, key: ['tools', 'sandbox'], value: true }];
}

function toServer(name: string, entry: Readonly<Record<string, unknown>>): ImportStep {
  const { command, args, env, cwd, url, http_headers: headers, bearer_token_env_var: token, enabled } = entry;
  const bearer = typeof token === 'string' ? { Authorization: `Bearer \${${token}}` } : {};
  const timeout = entry['tool_timeout_sec'];
  return toServerStep({
    name,
    command: typeof command === 'string' ? command : undefined,
    args: Array.isArray(args) ? args.map(String) : undefined,
    env,
    cwd,
    url: typeof url === 'string' ? url : undefined,
    headers: { ...(isRecord(headers) ? headers : {}), ...bearer },
    timeoutMs: typeof timeout === 'number' ? timeout * 1000 : undefined,
    isDisabled: enabled === false,
    includeTools: entry['enabled_tools'],
    excludeTools: entry['disabled_tools'],
  });
}

function importContext(folder: string): ImportStep[] {
  const text = readText(join(folder, 'AGENTS.md'));
  return text === undefined ? [] : [{ kind: 'file', what: 'context file AGENTS.md', path: 'GEMINI.md', text }];
}

export function importProjectContext(cwd: string): ImportStep[] {
  if (!existsSync(join(cwd, 'AGENTS.md'))) return [];
  return [none('context file AGENTS.md', 'Castor reads it as it is.')];
}
