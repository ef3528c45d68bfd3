/** Words of the page a user consents to: servers with their commands, and values on one line. Nothing is hidden by its length. Pure. */

import { isRecord } from './is-record.ts';
import { toOneLine } from './short-text.ts';

/** More than any honest command line; the page says how much it leaves out. */
const MOST_CHARACTERS = 20_000;

/** Of a manifest or of an agent's file. */
export function describeServers(servers: unknown): string[] {
  if (!isRecord(servers)) return [];
  return Object.entries(servers).map(([name, entry]) => {
    if (!isRecord(entry)) return `${name}: an invalid entry`;
    const { httpUrl, http_url: written, url, command, args, env, headers, cwd } = entry;
    const address = httpUrl ?? written ?? url;
    if (address !== undefined) return `${name} (remote): ${words(address)}${nameValues('headers', headers)}`;
    const list: unknown[] = Array.isArray(args) ? args : [];
    const line = [command, ...list].map((word) => quoted(words(word))).join(' ');
    return `${name} (local): ${line}${cwd === undefined ? '' : ` in ${words(cwd)}`}${nameValues('env', env)}`;
  });
}

export function nameValues(key: string, values: unknown): string {
  const list = isRecord(values) ? Object.entries(values).map(([name, value]) => `${name}=${words(value)}`) : [];
  return list.length === 0 ? '' : `; ${key} ${list.join(' ')}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word);
}

export function words(value: unknown): string {
  const text = toOneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  const rest = text.length - MOST_CHARACTERS;
  return rest > 0 ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()}… (${rest} more characters)` : text;
}
