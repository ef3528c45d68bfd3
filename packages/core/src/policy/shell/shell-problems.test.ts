/** The sentences that name why a line cannot be read: each is what a user sees in the question, and a model in a denial. */

import { expect, it } from 'vitest';
import { BUILTIN_RULES } from '../builtin-rules.ts';
import { PolicyEngine } from '../policy-engine.ts';

const engine = new PolicyEngine({ rules: BUILTIN_RULES, root: '/work/project', home: '/home/me' });

it.each([
  ['echo a\0b', 'The command contains a NUL character.'],
  ['echo a\x01b', 'The command contains control characters.'],
  ['echo a\rrm b', 'The command contains a carriage return inside a line.'],
  ['echo a\u202eb', 'The command contains invisible or direction-changing characters.'],
  ['echo "${x:-\'$(date)\'}"', 'Quotes or substitutions stand in ${…} between double quotes'],
  ['f() { f; }; f', 'The function f calls itself.'],
])('%j is asked about with the reason', async (command, sentence) => {
  const call = { toolName: 'run_shell_command', args: { command } };
  const { decision, problems = [], reason } = await engine.check(call, { mode: 'default', interactive: true });
  expect([decision, [reason, ...problems].join('\n')]).toEqual(['ask_user', expect.stringContaining(sentence)]);
});
