import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { MarkError, useMarks } from './mark-command.ts';
import type { MarkedValue } from './secret-vault.ts';

const VALUE = `it's "$HOME" \\ $(id) \`x\``;
const values: Record<string, MarkedValue> = {
  'github-1': { name: 'github-1', kind: 'github', value: VALUE, isUsable: true },
  'castor-key-1': { name: 'castor-key-1', kind: 'castor-key', value: 'own', isUsable: false },
};
const M = '‹secret:github-1›';

function run(command: string): string {
  const used = useMarks(command, (name) => values[name]);
  expect(used.command).not.toContain(VALUE);
  const env = { PATH: process.env['PATH'], ...used.variables };
  return execFileSync('bash', ['--norc', '-c', used.command], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

describe('a command that uses a mark', () => {
  it.each([
    ['bare', `printf %s ${M}`, VALUE],
    ['inside a word', `printf %s a${M}b`, `a${VALUE}b`],
    ['in double quotes', `printf %s "a ${M} b"`, `a ${VALUE} b`],
    ['in single quotes', `printf %s '{"token":"${M}"}'`, `{"token":"${VALUE}"}`],
    ['in dollar quotes', `printf %s $'a\\t${M}\\'b'`, `a\t${VALUE}'b`],
    ['after an escaped quote', `printf %s \\"${M}\\"`, `"${VALUE}"`],
    ['after a comment with a quote', `# it's\nprintf %s '${M}'`, VALUE],
    ['in a substitution', `printf %s "$(printf %s "${M}")"`, VALUE],
    ['in a here-document', `cat <<EOF\n'${M}'\nEOF\nprintf %s '${M}'`, `'${VALUE}'\n${VALUE}`],
    ['in nested substitutions', `printf %s "a $(printf %s '${M}' "$(printf %s "${M}")") b"`, `a ${VALUE}${VALUE} b`],
    ['in a subshell', `(printf %s "$( (printf %s x) )"; printf %s ${M})`, `x${VALUE}`],
    ['in an assignment', `TOKEN=${M}; printf %s "$TOKEN"`, VALUE],
    ['twice', `printf '%s %s' ${M} '${M}'`, `${VALUE} ${VALUE}`],
  ])('gets the value through its environment: %s', (_where, command, expected) => {
    expect(run(command)).toBe(expected);
  });

  it('is left alone without a mark', () => {
    const command = `echo 'a' "b" <<EOF`;
    expect(useMarks(command, () => undefined)).toEqual({ command, variables: {} });
  });

  it.each([
    ['an unknown mark', 'echo ‹secret:github-7›', 'no longer has'],
    ['a credential of the program', 'echo ‹secret:castor-key-1›', 'credential that commands and files do not get'],
    ['a place where nothing is expanded', `cat <<'EOF'\n${M}\nEOF`, 'here-document with a quoted word'],
  ])('is rejected for %s', (_what, command, message) => {
    const use = () => useMarks(command, (name) => values[name]);
    expect(use).toThrow(MarkError);
    expect(use).toThrow(message);
  });
});
