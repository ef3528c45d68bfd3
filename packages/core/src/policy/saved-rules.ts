/**
 * Saves the rules the user chose to keep: appends them to one file of the user's policies,
 * without duplicates and without changing existing content. An invalid TOML file is left
 * unchanged.
 */

import { join } from 'node:path';
import type { RuleTarget } from './always-rule.ts';
import type { ApprovalMode } from './approval-mode.ts';
import { modesFrom } from './approval-mode.ts';
import { readTextFile, replaceTextFile } from './policy-disk.ts';

const SAVED_PRIORITY = 100;

export function savedRulesPath(home: string): string {
  return join(home, '.gemini', 'policies', 'auto-saved.toml');
}

/** Returns how many rules were new. Throws when the file is invalid or cannot be written. */
export async function saveRules(path: string, targets: readonly RuleTarget[], mode: ApprovalMode): Promise<number> {
  const old = readTextFile(path) ?? '';
  const { parseRulesFile } = await import('./rules-file.ts');
  const { problems } = await parseRulesFile(old, path, 'user');
  const [problem] = problems;
  if (problem !== undefined)
    throw new Error(`${path} was not changed, because it is invalid in line ${problem.line ?? 1}: ${problem.message}`);
  const present = new Set(blocksOf(old));
  const added = [...new Set(targets.map((target) => ruleBlock(target, mode)))].filter((block) => !present.has(block));
  if (added.length === 0) return 0;
  const gap = old === '' ? '' : old.endsWith('\n') ? '\n' : '\n\n';
  replaceTextFile(path, `${old}${gap}${added.join('\n')}`);
  return added.length;
}

function ruleBlock(target: RuleTarget, mode: ApprovalMode): string {
  const lines = Object.entries(target).map(([key, value]) => `${key} = ${tomlString(value)}`);
  const modes = modesFrom(mode);
  const restriction = modes.length === 4 ? [] : [`modes = [${modes.map(tomlString).join(', ')}]`];
  return ['[[rule]]', ...lines, 'decision = "allow"', `priority = ${SAVED_PRIORITY}`, ...restriction, ''].join('\n');
}

/** A TOML basic string supports the escapes of JSON, and no raw control characters. */
function tomlString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function blocksOf(text: string): string[] {
  return text.split(/^(?=\[\[rule\]\]$)/m).map((block) => `${block.trimEnd()}\n`);
}
