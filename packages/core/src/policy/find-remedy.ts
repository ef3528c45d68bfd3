/**
 * Finds what would let a denied command line run: the entries of `tools.allowed` that the user has to add, none wider
 * than the part that was denied, or the approval mode yolo. Each answer was tried on the rules as they are. What the
 * user or an administrator denied has no remedy.
 */

import type { CommandRemedy } from '../protocol/user-hints.ts';
import type { ApprovalMode } from './approval-mode.ts';
import type { PolicyEngine, PolicyVerdict } from './policy-engine.ts';
import { SHELL_TOOL } from './rule-matching.ts';
import type { PolicyCall } from './rule.ts';
import { isNarrowed } from './rule.ts';
import { rulesFromSettings, UNLISTED_COMMAND } from './settings-rules.ts';
import { quote } from './shell/command-matching.ts';
import { loadShellParser, parseShellLine } from './shell/shell-command.ts';

const MAX_ENTRIES = 6;
/** A longer one would not be read. */
const MAX_LENGTH = 200;

export async function findRemedy(
  call: PolicyCall,
  denied: PolicyVerdict,
  { engine, mode }: { engine: PolicyEngine; mode: ApprovalMode },
): Promise<CommandRemedy | undefined> {
  if (mode === 'plan' || isIntended(denied)) return undefined;
  const entries: string[] = [];
  let verdict = denied;
  while (verdict.decision !== 'allow') {
    const entry = isIntended(verdict) ? undefined : await entryFor(verdict.part ?? String(call.args['command']));
    if (entry === undefined || entries.includes(entry) || entries.length === MAX_ENTRIES) break;
    entries.push(entry);
    const widened = engine.at({ root: engine.root });
    for (const rule of rulesFromSettings({ allowed: entries })) widened.addRule(rule);
    verdict = await widened.check(call, { mode, interactive: false });
  }
  const { decision } = await engine.check(call, { mode: 'yolo', interactive: false });
  return { entries: verdict.decision === 'allow' ? entries : [], isAllowedByYolo: decision === 'allow' };
}

/** Whether a rule denies this command on purpose, or the check of what the line destroys does. */
function isIntended({ decision, unanswerable, rule, reason }: PolicyVerdict): boolean {
  if (decision !== 'deny' || unanswerable === true) return false;
  if (rule === undefined || !reason.startsWith('denied by ')) return true;
  return isNarrowed(rule) || (rule.kind !== 'builtin' && !rule.source.name.endsWith(UNLISTED_COMMAND));
}

/** The words that the command certainly begins with. */
async function entryFor(part: string): Promise<string | undefined> {
  await loadShellParser();
  const { commands, problems } = parseShellLine(part);
  const words = commands[0]?.words ?? [];
  const end = words.findIndex(({ kind }) => kind !== 'literal');
  const prefix = (end < 0 ? words : words.slice(0, end)).map(({ value }) => quote(value)).join(' ');
  if (problems.length > 0 || prefix === '' || prefix.length > MAX_LENGTH || /[\n\\]/.test(prefix)) return undefined;
  return `${SHELL_TOOL}(${prefix})`;
}
