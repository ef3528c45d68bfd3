import type { ToolCallView } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { renderToolCall } from './tool-call.ts';

const options = { styles: createStyles(chooseTheme({}).theme, 'none'), width: 30, maxRows: 12 };
const call: ToolCallView = {
  callId: '1',
  name: 'run_shell_command',
  display: { name: 'Shell', description: 'ls' },
  status: 'success',
  result: '',
  output: '',
  omittedOutput: 0,
};

describe('a command that failed', () => {
  it('is marked as failed and says how, whatever the width', () => {
    const display = { name: 'Shell', description: 'ls /a/rather/long/path/that/is/missing' };
    const failed = { ...call, display, failure: 'exit 2' };
    expect(renderToolCall(failed, options)).toEqual(['✗ Shell ls /a/rather/l… exit 2']);
  });

  it('has its mark and its ending in the colour of errors', () => {
    const styles = createStyles(chooseTheme({}).theme, 'truecolor');
    const [head] = renderToolCall({ ...call, failure: 'exit 2' }, { ...options, styles });
    expect(head).toContain(styles.error('✗'));
    expect(head).toContain(styles.error(' exit 2'));
  });
});

describe('the result of a call', () => {
  it('is read to its end where it is a message', () => {
    const result = 'It was not run, because of something in the command.';
    expect(renderToolCall({ ...call, result }, options)).toEqual([
      '✓ Shell ls',
      '  └ It was not run, because of',
      '    something in the command.',
    ]);
  });

  it.each([
    ['goes on for long', 'x'.repeat(100_000), ['x'.repeat(26), 'x'.repeat(26), 'x'.repeat(26), `${'x'.repeat(25)}…`]],
    ['is a listing', `a\nb\n${'x'.repeat(100)}`, ['a', 'b', `${'x'.repeat(25)}…`]],
  ])('is cut where it %s', (_name, result, rows) => {
    const shown = renderToolCall({ ...call, result }, options);
    expect(shown.slice(1)).toEqual(rows.map((row, index) => `${index === 0 ? '  └ ' : '    '}${row}`));
  });
});

describe('the part of a result that matters', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');
  const shown = (given: Partial<ToolCallView>) =>
    renderToolCall({ ...call, ...given }, { ...options, moreKey: 'ctrl+o' });

  it('is the end of a command that worked', () => {
    expect(shown({ result: lines(9) })).toEqual([
      '✓ Shell ls',
      '  └ … 5 lines · ctrl+o',
      '    line 5',
      '    line 6',
      '    line 7',
      '    line 8',
    ]);
  });

  it('is the beginning and more of the end of one that failed', () => {
    const rows = shown({ result: lines(20), failure: 'exit 1' });
    expect(rows.slice(0, 4)).toEqual(['✗ Shell ls exit 1', '  └ line 0', '    line 1', '    … 10 lines · ctrl+o']);
    expect(rows).toHaveLength(1 + 2 + 1 + 8);
  });

  it('is the end of what a command prints, below a count of the lines above', () => {
    const { result: _result, ...running } = { ...call, status: 'executing' as const };
    const printed = (output: string, omittedOutput = 0) =>
      renderToolCall({ ...running, output, omittedOutput }, { ...options, maxRows: 3 }).slice(1);
    expect(printed(`${lines(3)}\n`)).toEqual(['  └ line 0', '    line 1', '    line 2']);
    expect(printed(`${lines(50_000)}\n`)).toEqual(['  └ … 49998 lines', '    line 49998', '    line 49999']);
    expect(printed(lines(9), 7)).toEqual(['  └ … over 7 lines', '    line 7', '    line 8']);
  });

  it('is without the rows of a spinner at its ends', () => {
    expect(shown({ result: '⠙\n\none\ntwo\nthree\n⠙\n' }).slice(1)).toEqual(['  └ one', '    two', '    three']);
  });

  it('names the file of a failed call as its head does, and no other path', () => {
    const message = 'File not found: /home/me/shop/src/none.ts. /home/me/shop/src/none.tsx and /etc/hosts exist.';
    const read = {
      name: 'read_file',
      display: { name: 'ReadFile', description: 'src/none.ts' },
      kind: 'read' as const,
    };
    const rows = renderToolCall(
      { ...call, ...read, status: 'error', error: { message }, result: message },
      { ...options, width: 100 },
    );
    expect(rows).toEqual([
      '✗ Read src/none.ts',
      '  └ File not found: src/none.ts. /home/me/shop/src/none.tsx and /etc/hosts exist.',
    ]);
  });

  it('of a failed edit tells the user what happened, and not how the model calls again', () => {
    const message =
      'Failed to edit: 0 occurrences of old_string found in /home/me/shop/src/cart.ts. Nothing was written. Read the file with read_file and copy old_string from it exactly.';
    const edit = { name: 'replace', display: { name: 'Edit', description: 'Edit src/cart.ts' }, kind: 'edit' as const };
    const failed = { ...call, ...edit, status: 'error', error: { message }, result: message } as const;
    expect(renderToolCall(failed, { ...options, width: 100 })).toEqual([
      '✗ Edit src/cart.ts',
      '  └ The text to replace is not in the file.',
    ]);
    expect(renderToolCall(failed, { ...options, width: 100, isWhole: true }).join(' ')).toContain('with read_file');
  });

  it('is one row for a call the user refused, with the reason', () => {
    const result = '[Operation Cancelled] User denied execution. The user said: not to main';
    expect(renderToolCall({ ...call, status: 'cancelled', result }, { ...options, width: 60 })).toEqual([
      '- Shell ls refused by you: "not to main"',
    ]);
  });

  it('is one row for a call a policy forbids, with the rule', () => {
    const error = { message: 'Denied by rule deletes.toml:12', type: 'policy_violation' as const };
    expect(
      renderToolCall({ ...call, status: 'error', error, result: error.message }, { ...options, width: 60 }),
    ).toEqual(['! Shell ls not run: Denied by rule deletes.toml:12']);
  });

  it.each([
    ['Tool execution denied by policy. run_shell_command: deletes.toml:12.', 'not run: policy: deletes.toml:12.'],
    ['Tool execution denied by policy.', 'not run: policy'],
    ['Tool execution blocked: no secrets', 'not run: hook: no secrets'],
    ['Tool result blocked: it holds a key', 'result withheld: hook: it holds a key'],
  ])('names who keeps a call from running: %s', (message, told) => {
    const error = { message, type: 'policy_violation' as const };
    const shown = renderToolCall({ ...call, status: 'error', error, result: message }, { ...options, width: 60 });
    expect(shown).toEqual([`! Shell ls ${told}`]);
  });
});
