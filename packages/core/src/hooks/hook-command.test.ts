import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toHookCommand } from './hook-command.ts';

describe('toHookCommand', () => {
  it.each([
    ['$GEMINI_PROJECT_DIR/a.sh x', '"$GEMINI_PROJECT_DIR"/a.sh x'],
    ['"$GEMINI_PROJECT_DIR/a b.sh"', '"$GEMINI_PROJECT_DIR/a b.sh"'],
    ["'$GEMINI_CWD/a.sh'", `''"$GEMINI_CWD"'/a.sh'`],
    ['${GEMINI_PROJECT_DIR}/a.sh', '${GEMINI_PROJECT_DIR}/a.sh'],
    ['$GEMINI_CWDX $HOME', '$GEMINI_CWDX $HOME'],
    [String.raw`echo \$GEMINI_CWD`, String.raw`echo \$GEMINI_CWD`],
    ["echo a # don't $GEMINI_CWD\necho $GEMINI_CWD", `echo a # don't $GEMINI_CWD\necho "$GEMINI_CWD"`],
    ["cat <<EOF\nit's $GEMINI_CWD\nEOF", "cat <<EOF\nit's $GEMINI_CWD\nEOF"],
  ])('makes of %j %j', (command, expected) => {
    expect(toHookCommand(command, 'linux')).toBe(expected);
  });

  it('asks PowerShell for the variable of the environment', () => {
    expect(toHookCommand('& $CLAUDE_PROJECT_DIR/a.ps1', 'win32')).toBe('& $env:CLAUDE_PROJECT_DIR/a.ps1');
  });

  it.each(['$GEMINI_PROJECT_DIR', '"$GEMINI_PROJECT_DIR"', "'$GEMINI_PROJECT_DIR'", 'x$GEMINI_PROJECT_DIR'])(
    'lets no name of a folder become a command: %s',
    (word) => {
      const root = mkdtempSync(join(tmpdir(), 'castor-hook-'));
      const folder = join(root, `a; touch PWNED; $(touch PWNED) \`touch PWNED\` 'b' "c"`);
      mkdirSync(folder);
      const said = execFileSync('bash', ['-c', toHookCommand(`printf %s ${word}`, 'linux')], {
        cwd: folder,
        env: { PATH: process.env['PATH'], SHLVL: '1', GEMINI_PROJECT_DIR: folder },
        encoding: 'utf8',
      });
      const left = readdirSync(folder);
      rmSync(root, { recursive: true });
      expect([said, left]).toEqual([`${word.startsWith('x') ? 'x' : ''}${folder}`, []]);
    },
  );
});
