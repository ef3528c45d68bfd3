/**
 * Converts MCP servers of other agents. A value that looks like a secret is never copied: the entry names a variable
 * instead, and the report says which. Pure.
 */

import { isRecord } from '@castor/core/program';
import type { ImportStep } from './import-step.ts';
import { none } from './import-step.ts';

const SECRET_NAME = /key|token|secret|passw|credential|auth|cookie|private|signature/i;
const SECRET_VALUE =
  /\b(?:AIza[\w-]{20,}|sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|ya29\.[\w-]{10,}|glpat-[\w-]{16,}|AKIA[A-Z0-9]{16}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/;
const SECRET_FLAG = /^--?(?:api-?key|token|access-?token|secret|password|auth)(?:=(.*))?$/i;
const REFERENCE = /^(?:Bearer |Basic )?\$(?:\w+|\{\w+(?::-[^}]*)?\})$/i;

/** What every agent says of a server, in its own words. */
export interface ForeignServer {
  readonly name: string;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: unknown;
  readonly cwd?: unknown;
  readonly url?: string | undefined;
  readonly isSse?: boolean;
  readonly headers?: unknown;
  readonly timeoutMs?: number | undefined;
  readonly isDisabled?: boolean;
  readonly includeTools?: unknown;
  readonly excludeTools?: unknown;
}

export function toServerStep(server: ForeignServer): ImportStep {
  const what = `MCP server ${server.name}`;
  if (server.isDisabled) return none(what, 'it is disabled there.');
  if (server.command === undefined && server.url === undefined)
    return none(what, 'it has neither a command nor an address.');
  if (server.url !== undefined && hasSecret(server.url)) {
    return none(what, 'its address contains a secret. Add it with a header that names a variable.');
  }
  const secrets = new Secrets(server.name);
  const { command, url, isSse = false, timeoutMs, cwd } = server;
  const env = secrets.replaceAll(server.env, (name) => name);
  const headers = secrets.replaceAll(server.headers);
  const value = {
    ...(command !== undefined && { command, args: secrets.replaceArguments(server.args ?? []) }),
    ...(url !== undefined && (isSse ? { url, type: 'sse' } : { httpUrl: url })),
    ...(env && { env }),
    ...(headers && { headers }),
    ...(typeof cwd === 'string' && { cwd }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(Array.isArray(server.includeTools) && { includeTools: server.includeTools.map(String) }),
    ...(Array.isArray(server.excludeTools) && { excludeTools: server.excludeTools.map(String) }),
  };
  const notes = secrets.names.map((name) => `set the variable ${name}: its value was not copied.`);
  return { kind: 'setting', what, key: ['mcpServers', server.name], value, notes };
}

class Secrets {
  readonly names: string[] = [];
  private readonly prefix: string;

  constructor(server: string) {
    this.prefix = server.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  }

  replaceAll(values: unknown, toName?: (key: string) => string): Record<string, string> | undefined {
    if (!isRecord(values) || Object.keys(values).length === 0) return undefined;
    return Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        const text = String(value);
        if (REFERENCE.test(text) || !(SECRET_NAME.test(key) || SECRET_VALUE.test(text))) return [key, text];
        const [, scheme = ''] = /^(Bearer |Basic )/i.exec(text) ?? [];
        return [key, `${scheme}${this.refer(toName?.(key) ?? key)}`];
      }),
    );
  }

  replaceArguments(given: readonly string[]): string[] {
    return given.map((argument, index) => {
      const inline = SECRET_FLAG.exec(argument)?.[1];
      const flag = argument.split('=', 1)[0] ?? '';
      if (inline !== undefined && !REFERENCE.test(inline)) return `${flag}=${this.refer(flag)}`;
      const before = given[index - 1];
      const follows = before !== undefined && SECRET_FLAG.test(before) && !before.includes('=');
      const isSecret = (follows && !argument.startsWith('-')) || SECRET_VALUE.test(argument);
      return isSecret && !REFERENCE.test(argument) ? this.refer(follows ? before : 'SECRET') : argument;
    });
  }

  private refer(key: string): string {
    const plain = key
      .replaceAll(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+/, '')
      .toUpperCase();
    const name = /^[A-Z]\w*_\w+$/.test(key) ? key : `${this.prefix}_${plain}`;
    if (!this.names.includes(name)) this.names.push(name);
    return `\${${name}}`;
  }
}

function hasSecret(url: string): boolean {
  if (SECRET_VALUE.test(url)) return true;
  try {
    const { username, password, searchParams } = new URL(url);
    return username !== '' || password !== '' || [...searchParams.keys()].some((key) => SECRET_NAME.test(key));
  } catch {
    // Not an address, or one with a variable.
    return false;
  }
}
