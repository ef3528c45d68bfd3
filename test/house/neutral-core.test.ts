import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BudgetError, SessionError } from '@castor/core';
import { FLAGS } from '../../packages/cli/src/args/flags.ts';
import { describeWithHint } from '../../packages/cli/src/start/describe-with-hint.ts';
import { RESEND_HINT, USER_HINTS } from '../../packages/cli/src/start/user-hints.ts';

const CORE = join(import.meta.dirname, '..', '..', 'packages', 'core', 'src');
const SUBCOMMAND = /\bcastor (config|doctor|hooks|policy|sessions)\b/;

/** The lines of core's code, without comments and without the tables of other programs' flags. */
function* codeLines(): Generator<string> {
  for (const file of globSync('**/*.ts', { cwd: CORE })) {
    if (/^policy.shell.|\.(test|fixture|endurance)\.ts$/.test(file)) continue;
    for (const [index, line] of readFileSync(join(CORE, file), 'utf8').split('\n').entries()) {
      if (!/^\s*(\*|\/\*\*|\/\/)/.test(line)) yield `${file}:${index + 1}: ${line.trim()}`;
    }
  }
}

describe('a sentence of core', () => {
  it('names neither a flag nor a subcommand of the cli: a library user has none', () => {
    const flag = new RegExp(`--(?:${Object.keys(FLAGS).join('|')})(?![\\w-])`);
    const isOurs = (line: string) => SUBCOMMAND.test(line) || flag.test(line);
    expect([...codeLines()].filter(isOurs)).toEqual([]);
  });
});

describe('a sentence of the cli', () => {
  it('adds the flag or the subcommand that helps', () => {
    const wanted = 'abc';
    expect(
      [
        new BudgetError('unknown_price', 'No price.'),
        new SessionError('exists', 'It exists.', { wanted }),
        new SessionError('locked', 'It is in use.', { wanted }),
        new SessionError('not_found', 'Unknown.', { wanted }),
        new SessionError('invalid', 'Invalid.', { wanted }),
        new SessionError('not_found', 'Unknown.', { wanted: 'claude:9' }),
      ].map(describeWithHint),
    ).toEqual([
      'No price. The flags: --max-cost, --model, --max-tokens.',
      'It exists. Use --resume abc to resume it.',
      'It is in use. Or add --fork to resume a copy.',
      'Unknown. --list-sessions lists the sessions of this project.',
      'Invalid. --list-sessions lists the sessions of this project.',
      'Unknown. castor sessions list --from claude lists them.',
    ]);
    expect(RESEND_HINT).toContain('--continue');
    expect(USER_HINTS.trustFolder).toContain('--skip-trust');
    expect(USER_HINTS.trustHooks).toContain('castor hooks trust');
    expect(USER_HINTS.allowTool('write_file', 'default')).toContain(
      '--approval-mode auto_edit, --allowed-tools write_file',
    );
    expect(USER_HINTS.allowTool('read_file', 'plan')).not.toContain('--approval-mode');
  });

  it('stays as it is where no flag helps', () => {
    expect(describeWithHint(new SessionError('not_found', 'No previous sessions.'))).toBe('No previous sessions.');
    expect(describeWithHint(new BudgetError('invalid_limit', 'Invalid.'))).toBe('Invalid.');
  });
});
