/**
 * Formats the verdict on a command for the user: the commands found in the line, which
 * rule of which file decided each, and the decision. At most 80 columns; every character
 * of the command stays visible.
 */

import { toCliName } from './approval-mode.ts';
import type { PolicyVerdict } from './policy-engine.ts';
import type { PolicyContext, PolicyDecision, PolicyRule } from './rule.ts';

const WIDTH = 80;
const DECISION_WORDS: Readonly<Record<PolicyDecision, string>> = { allow: 'allow', ask_user: 'ask', deny: 'deny' };

export function explainVerdict(command: string, verdict: PolicyVerdict, context: PolicyContext): string {
  const lines: string[] = [];
  const who = context.interactive ? 'a user to ask' : 'no user to ask';
  lines.push(...wrap(`Command   ${visible(command)}`, 10), `Mode      ${toCliName(context.mode)}, ${who}`, '');
  const commands = verdict.commands ?? [];
  lines.push(`Parse     ${commands.length} ${commands.length === 1 ? 'command' : 'commands'}`);
  commands.forEach(({ command: text, within, decision, reason, rule }, index) => {
    lines.push(...wrap(`  ${String(index + 1).padStart(2)}.  ${visible(text)}`, 6));
    if (within.length > 0) lines.push(...wrap(`      inside ${within.map(visible).join(' > ')}`, 13));
    lines.push(...wrap(`      ${DECISION_WORDS[decision]}: ${visible(reason)}`, 8));
    if (rule !== undefined) lines.push(...wrap(`      rule: ${describeRule(rule)}`, 12));
  });
  for (const problem of verdict.problems ?? []) lines.push(...wrap(`  !   ${visible(problem)}`, 6));
  const { part } = verdict;
  lines.push('', ...wrap(`Decision  ${verdict.decision}`, 10), ...wrap(`Because   ${visible(verdict.reason)}`, 10));
  if (part !== undefined) lines.push(...wrap(`Part      ${visible(part)}`, 10));
  if (verdict.rule !== undefined) lines.push(...wrap(`Rule      ${describeRule(verdict.rule)}`, 10));
  if (verdict.decision === 'deny' && verdict.denyMessage !== undefined)
    lines.push(...wrap(`Message   ${visible(verdict.denyMessage)}`, 10));
  return `${lines.join('\n')}\n`;
}

export function describeRule(rule: PolicyRule): string {
  const pattern =
    rule.commandPrefix === undefined
      ? (rule.commandRegex ?? rule.argsPattern)?.source.replace(/^\^\(\?:(.*)\)$/s, '$1')
      : rule.commandPrefix;
  const about = pattern === undefined ? rule.toolName : `${rule.toolName} "${visible(pattern)}"`;
  const { name, line } = rule.source;
  return `${about} -> ${rule.decision}, priority ${rule.priority.toFixed(3)}, ${name}${line === undefined ? '' : `:${line}`}`;
}

/** Escapes control, direction-changing and invisible characters; replaces long runs of spaces with a count. */
function visible(text: string): string {
  return text
    .replaceAll(/ {9,}/g, (spaces) => `<${spaces.length} spaces>`)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, (character) =>
      character === '\n' ? '\\n' : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    );
}

function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > WIDTH) {
    const space = rest.lastIndexOf(' ', WIDTH);
    const cut = space > indent ? space : WIDTH;
    lines.push(rest.slice(0, cut).trimEnd());
    rest = `${' '.repeat(indent)}${rest.slice(cut).trimStart()}`;
  }
  return [...lines, rest];
}
