/** Ordinary lines of an agent stay allowed in yolo mode, with a user and without one. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUILTIN_CHECKERS, BUILTIN_RULES } from '../builtin-rules.ts';
import { PolicyEngine } from '../policy-engine.ts';

const LINES = JSON.parse(readFileSync(join(import.meta.dirname, 'shell-ordinary.json'), 'utf8')) as string[];
const home = '/home/castor-nobody';
const engine = new PolicyEngine({
  rules: BUILTIN_RULES,
  checkers: BUILTIN_CHECKERS,
  root: `${home}/project`,
  home,
});

describe('an ordinary line in yolo mode', () => {
  it('has at least 120 rows', () => {
    expect(LINES.length).toBeGreaterThanOrEqual(120);
  });

  it.each(LINES)('is allowed: %s', async (command) => {
    for (const interactive of [true, false]) {
      const call = { toolName: 'run_shell_command', args: { command } };
      const { decision, reason } = await engine.check(call, { mode: 'yolo', interactive });
      expect({ decision, reason }).toMatchObject({ decision: 'allow' });
    }
  });
});
