/**
 * Decides in which folders an extension is enabled: `extension-enablement.json`, shared with Gemini CLI. The last rule
 * that matches a folder decides: `/a/*` it and all below, `/a/` it alone, `!` disables. Default: enabled.
 */

import { readSourceFile } from '../config/source-file.ts';
import { isInside } from '../util/is-inside.ts';
import { isRecord } from '../util/is-record.ts';
import { replaceFile } from '../util/replace-file.ts';
import { enablementFile, extensionsDirectory } from './extension-paths.ts';
import { makeDirectory } from '../util/make-directory.ts';

export type EnablementScope = 'user' | 'workspace';
export type Enablement = Readonly<Record<string, readonly string[]>>;

export interface EnablementPlace {
  readonly home: string;
  readonly cwd: string;
}

/** The rules of each extension. Throws a SettingsError for an unreadable file: its restrictions would be lost. */
export function readEnablement(home: string): Enablement {
  const entries = Object.entries(readSourceFile(enablementFile(home)) ?? {});
  return Object.fromEntries(
    entries.map(([name, entry]) => {
      const rules = isRecord(entry) && Array.isArray(entry['overrides']) ? entry['overrides'] : [];
      return [name, rules.filter((rule) => typeof rule === 'string')];
    }),
  );
}

export function isEnabled(rules: readonly string[] = [], folder: string): boolean {
  const place = withSlashes(folder);
  const last = rules.findLast((rule) => matches(rule.replace(/^!/, ''), place));
  return last === undefined || !last.startsWith('!');
}

export function enable(name: string, scope: EnablementScope, place: EnablementPlace): void {
  addRule(name, ruleOf(scope, place), place.home);
}

export function disable(name: string, scope: EnablementScope, place: EnablementPlace): void {
  addRule(name, `!${ruleOf(scope, place)}`, place.home);
}

export function forgetEnablement(name: string, home: string): void {
  const { [name]: rules, ...rest } = readEnablement(home);
  if (rules !== undefined) write(home, rest);
}

/** Gives the rules of an extension to its new name. */
export function renameEnablement(from: string, to: string, home: string): void {
  const { [from]: rules, ...rest } = readEnablement(home);
  if (rules !== undefined && from !== to) write(home, { ...rest, [to]: rules });
}

/** The user's rule names the home folder, as Gemini CLI writes it; from a folder outside of it the rule names all. */
function ruleOf(scope: EnablementScope, { home, cwd }: EnablementPlace): string {
  if (scope === 'workspace') return `${withSlashes(cwd)}*`;
  return isInside(cwd, home) ? `${withSlashes(home)}*` : '/*';
}

/** A rule replaces those of the same folder and of folders below it. */
function addRule(name: string, rule: string, home: string): void {
  const all = readEnablement(home);
  const base = baseOf(rule);
  const kept = (all[name] ?? []).filter((other) => !baseOf(other).startsWith(base));
  write(home, { ...all, [name]: [...kept, rule] });
}

function baseOf(rule: string): string {
  return withSlashes(rule.replace(/^!/, '').replace(/\*$/, ''));
}

function write(home: string, enablement: Enablement): void {
  makeDirectory(extensionsDirectory(home));
  const entries = Object.entries(enablement).map(([name, overrides]) => [name, { overrides }]);
  replaceFile(enablementFile(home), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

function matches(rule: string, place: string): boolean {
  const base = withSlashes(rule.replace(/\*$/, ''));
  return rule.endsWith('*') ? place.startsWith(base) : place === base;
}

function withSlashes(path: string): string {
  return `/${path.replaceAll('\\', '/')}/`.replace(/\/{2,}/g, '/');
}
