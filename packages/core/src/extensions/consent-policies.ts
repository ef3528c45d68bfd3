/**
 * What the policies of an extension restrict, for the page a user consents to. A rule that the loader of policies rejects
 * is shown with the reason, never as one that is in force.
 */

import { basename, join } from 'node:path';
import { parseTomlText } from '../config/toml-text.ts';
import { parseRulesFile } from '../policy/rules-file.ts';
import type { PolicyProblem } from '../policy/rules-file.ts';
import { isRecord } from '../util/is-record.ts';
import { countOf } from '../util/short-text.ts';
import { describeEach, findFiles, readText } from './consent-files.ts';
import { words } from '../util/consent-words.ts';

type Fields = Readonly<Record<string, unknown>>;

export async function describePolicies(directory: string): Promise<string[]> {
  return describeEach(findFiles(join(directory, 'policies'), /\.toml$/i, 0), async (file) => {
    const text = readText(file);
    const { rule: entries } = await parseTomlText(file, text);
    const { rules, checkers, problems } = await parseRulesFile(text, file, 'extension');
    const lines = tableLines(text);
    const told = new Set<PolicyProblem>();
    const described = (Array.isArray(entries) ? entries.filter(isRecord) : []).map((entry, index) => {
      const from = lines[index] ?? 0;
      const isInForce = rules.some(({ source }) => source.line === from);
      if (isInForce && from > 0) return describeRule(entry);
      const problem = problems.find(({ line = 0 }) => line >= from && line < (lines[index + 1] ?? Infinity));
      // Rules in one list have no lines of their own: a problem of one is told for all.
      if (isInForce && !problem) return describeRule(entry);
      if (problem) told.add(problem);
      return `${describeRule(entry)}${notInForce(entry, problem)}`;
    });
    const others = problems.filter((problem) => !told.has(problem)).map((each) => `without effect: ${reasonOf(each)}`);
    const checks = checkers.length > 0 ? [countOf(checkers.length, 'safety checker')] : [];
    return [basename(file), ...[...described, ...checks, ...others].map((line) => `  ${line}`)];
  });
}

/** Where each rule begins, from 1. */
function tableLines(text: string): number[] {
  return text.split('\n').flatMap((line, index) => (/^\s*\[\[\s*"?rule"?\s*\]\]/.test(line) ? [index + 1] : []));
}

function describeRule({ decision, toolName = '*', ...conditions }: Fields): string {
  const { priority: _order, denyMessage: _words, ...narrowed } = conditions;
  const where = Object.entries(narrowed).map(([key, value]) => `${key} ${words(value)}`);
  const tool = Array.isArray(toolName) ? toolName.join(', ') : words(toolName);
  const what = decision === 'ask_user' ? 'ask about' : words(decision);
  return `${what} ${tool}${where.length === 0 ? '' : ` where ${where.join(', ')}`}`;
}

function notInForce({ decision }: Fields, problem: PolicyProblem | undefined): string {
  if (decision === 'allow') return ' (ignored: an extension cannot allow)';
  return ` (not in force${problem ? `: ${reasonOf(problem)}` : ''})`;
}

function reasonOf({ line, message }: PolicyProblem): string {
  return line === undefined ? message : `line ${line}: ${message}`;
}
