import { GeminiEventType } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { readableCount } from '../../readable-numbers.ts';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { renderItem, renderUser } from './transcript-item.ts';

const options = { styles: createStyles(chooseTheme({}).theme, 'none'), width: 40 };

describe('a prompt in the scrollback', () => {
  it('stands there whole while it is of a size to be read', () => {
    const lines = Array.from({ length: 25 }, (_, index) => `line ${index}`);
    expect(renderUser(lines.join('\n'), options)).toEqual([
      `❯ ${lines[0]}`,
      ...lines.slice(1).map((line) => `  ${line}`),
    ]);
  });

  it.each([
    ['lines', Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n'), '❯ line 0', '  line 29'],
    ['one line', 'x'.repeat(1_000_000), `❯ ${'x'.repeat(38)}`, undefined],
    ['pairs that are cut', '😀'.repeat(5_000), `❯ ${'😀'.repeat(19)}`, undefined],
  ])('is shown by its beginning and its end when it is longer: %s', (_name, text, first, last) => {
    const rows = renderUser(text, options);
    expect([rows.length, rows[20]]).toEqual([26, `  … ${readableCount(text.length)} characters in all`]);
    expect(rows[0]).toBe(first);
    if (last !== undefined) expect(rows.at(-1)).toBe(last);
    expect(rows.every((row) => row.isWellFormed())).toBe(true);
  });
});

describe('words that begin with a slash', () => {
  const colored = { styles: createStyles(chooseTheme({}).theme, 'truecolor'), width: 40 };
  const hasBand = (text: string) => renderUser(text, colored)[0]!.includes('\x1b[48;2;');

  it('are a turn where they begin with a path, and none where they name a command', () => {
    expect(['/etc/hosts is wrong', '/model', '/git:commit now'].map(hasBand)).toEqual([true, false, false]);
  });
});

describe('a note', () => {
  const show = { thinking: false, citations: false, model: false, lineNumbers: true, isCompact: true };

  it.each([
    [GeminiEventType.AgentExecutionBlocked, 'Agent execution blocked: no secrets', 'A hook refused this: no secrets'],
    [GeminiEventType.AgentExecutionStopped, 'Agent execution stopped: enough', 'A hook stopped this: enough'],
    ['notice', 'Agent execution stopped: enough', 'Agent execution stopped: enough'],
  ] as const)('about %s says who it was', (about, text, told) => {
    expect(renderItem({ id: 1, type: 'warning', text, about }, { ...options, width: 80, show })).toEqual([`! ${told}`]);
  });

  it('names a file of the home folder with a tilde', () => {
    const text = '/home/me/.gemini/settings.json: hooks.Stop was skipped.';
    const item = { id: 1, type: 'warning', text, about: 'notice' } as const;
    expect(renderItem(item, { ...options, width: 80, show, home: '/home/me' })).toEqual([
      '! ~/.gemini/settings.json: hooks.Stop was skipped.',
    ]);
  });

  it('about a request that failed names the model, the status and what the service said', () => {
    const error = { message: 'This model cannot call tools.', status: 400, reason: 'invalid_request' } as const;
    const item = {
      id: 1,
      type: 'error',
      text: 'x',
      about: GeminiEventType.Error,
      error,
      model: 'gemini-3-pro',
    } as const;
    expect(renderItem(item, { ...options, width: 80, show })).toEqual([
      '✗ gemini-3-pro refused the request (400)',
      '  This model cannot call tools.',
    ]);
  });
});
