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
      '  It was not run, because of',
      '  something in the command.',
    ]);
  });

  it.each([
    ['goes on for long', 'x'.repeat(100_000), ['x'.repeat(28), 'x'.repeat(28), 'x'.repeat(28), `${'x'.repeat(27)}…`]],
    ['is a listing', `a\nb\n${'x'.repeat(100)}`, ['a', 'b', `${'x'.repeat(27)}…`]],
  ])('is cut where it %s', (_name, result, rows) => {
    const shown = renderToolCall({ ...call, result }, options);
    expect(shown.slice(1)).toEqual(rows.map((row) => `  ${row}`));
  });
});
