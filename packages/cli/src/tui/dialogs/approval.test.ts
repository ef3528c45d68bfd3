import type { ToolConfirmationOutcome } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { createStyles } from '../theme/styles.ts';
import { chooseTheme } from '../theme/theme.ts';
import { answersFor, describeAction } from './approval.ts';
import type { ActionDetails } from './approval.ts';
import { SelectDialog } from './select-dialog.ts';

const STYLES = createStyles(chooseTheme({}).theme, 'none');
const EDIT: ActionDetails = {
  type: 'edit',
  title: 'Edit',
  fileName: 'a',
  filePath: '/a',
  fileDiff: '--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n',
  originalContent: 'x',
  newContent: 'y',
};
const EXEC: ActionDetails = { type: 'exec', title: 'Run', command: 'ls', rootCommand: 'ls', rootCommands: ['ls'] };
const MCP: ActionDetails = { type: 'mcp', title: 'Call', serverName: 's', toolName: 't', toolDisplayName: 'T' };
const INFO: ActionDetails = { type: 'info', title: 'Fetch', prompt: 'p', urls: ['https://a.example'] };
const SANDBOX: ActionDetails = { type: 'sandbox_expansion', title: 'More', command: 'ls', permissions: {} };

const SESSION: ToolConfirmationOutcome = 'proceed_always';
const SAVED: ToolConfirmationOutcome = 'proceed_always_and_save';

describe('the answers before a call', () => {
  it.each([
    ['an edit', EDIT, ['proceed_once', SESSION, SAVED, 'modify_with_editor', 'cancel']],
    ['a command', EXEC, ['proceed_once', SESSION, SAVED, 'cancel']],
    ['a tool of a server', MCP, ['proceed_once', 'proceed_always_tool', 'proceed_always_server', SAVED, 'cancel']],
    ['a page', INFO, ['proceed_once', SESSION, SAVED, 'cancel']],
    ['more rights', SANDBOX, ['proceed_once', 'cancel']],
  ] as const)('of %s are all there are, and only once and no where nothing may last', (_name, details, outcomes) => {
    const all = { allowsAlways: true, allowsPermanent: true, hasEditor: true };
    const valuesFor = (options: typeof all) => answersFor(details, options).map(({ value }) => value);
    expect(valuesFor(all)).toEqual(outcomes);
    expect(valuesFor({ ...all, allowsPermanent: false })).toEqual(outcomes.filter((outcome) => outcome !== SAVED));
    expect(valuesFor({ ...all, allowsAlways: false })).toEqual(
      outcomes.filter((outcome) => !outcome.startsWith('proceed_always')),
    );
    expect(valuesFor({ ...all, hasEditor: false })).toEqual(outcomes.filter((each) => each !== 'modify_with_editor'));
  });
});

describe('the lasting answers to a command', () => {
  const all = { allowsAlways: true, allowsPermanent: true, hasEditor: true };

  it('are plain rows, which are never cut', () => {
    expect(answersFor({ ...EXEC, alwaysCovers: ['npm test *', 'touch *'] }, all)).toEqual([
      { label: 'Allow once', value: 'proceed_once' },
      { label: 'Allow for this session', value: SESSION },
      { label: 'Allow this command for all future sessions', value: SAVED },
      { label: 'No, suggest changes (esc)', value: 'cancel' },
    ]);
  });

  it('to an edit say that they accept all edits', () => {
    const labels = answersFor(EDIT, all).map(({ label }) => label);
    expect(labels[1]).toBe('Allow for this session (accepts all edits)');
  });

  it('are not offered where they would change nothing', () => {
    const values = answersFor({ ...EXEC, alwaysCovers: [] }, all).map(({ value }) => value);
    expect(values).toEqual(['proceed_once', 'cancel']);
  });
});

describe('the dialog before a call', () => {
  const all = { allowsAlways: true, allowsPermanent: true, hasEditor: true };
  const open = (details: ActionDetails) =>
    new SelectDialog(
      {
        title: 'Action Required: Confirm Edit',
        body: () => ['(shown in full above)'],
        options: answersFor(details, all),
      },
      () => {},
    );

  it('shows its title and every answer in a low window before it shows anything else', () => {
    expect(open(EXEC).view({ styles: STYLES, width: 23, maxRows: 6 }).rows).toEqual([
      '? Action Required: Con…',
      '  (shown in full above)',
      '● 1. Allow once',
      '  2. Allow for this se…',
      '  3. Allow this comman…',
      '  4. No, suggest chang…',
    ]);
  });

  it('says how many answers are out of sight where not all have room', () => {
    expect(open(EDIT).view({ styles: STYLES, width: 23, maxRows: 4 }).rows).toEqual([
      '? Action Required: Con…',
      '● 1. Allow once',
      '  2. Allow for this se…',
      '  … 0 above, 3 below',
    ]);
  });
});

describe('what a call would do', () => {
  it.each([
    ['spaces that push the rest away', `ls${' '.repeat(5000)}; rm x`, 'ls⟨5000 spaces⟩; rm x'],
    ['a carriage return', 'ls\rrm x', String.raw`ls\rrm x`],
    ['hidden text', 'a\x1b[8mb', String.raw`a\e[8mb`],
    ['turned direction', 'a\u202eb', String.raw`a\u{202e}b`],
    ['text nobody sees', 'a\u200bb\u{e0041}', String.raw`a\u{200b}b\u{e0041}`],
  ])('is shown with %s spelled out', (_name, command, shown) => {
    expect(describeAction({ ...EXEC, command }, STYLES, 60).join('')).toBe(`$ ${shown}`);
  });

  it('is shown to its last character, however long it is', () => {
    const command = `echo ${Array.from({ length: 2000 }, (_, index) => `w${index}`).join(' ')} && rm x`;
    const rows = describeAction({ ...EXEC, command }, STYLES, 60);
    expect(rows.map((row) => row.trim().replace(/^\$ /, '')).join(' ')).toBe(command);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(60);
  });
});

describe('a call to a server', () => {
  it('is shown with the whole arguments and with what changed', () => {
    const changed = 'The schema of this tool changed since you allowed it.';
    const rows = describeAction({ ...MCP, args: { path: 'a\u001B[8mb', deep: { n: 1 } }, changed }, STYLES, 80);
    expect(rows).toEqual([
      'server s',
      'tool   t',
      changed,
      'arguments',
      '{',
      String.raw`  "path": "a\u001b[8mb",`,
      '  "deep": {',
      '    "n": 1',
      '  }',
      '}',
    ]);
  });
});
