/**
 * Golden pictures of every component: text and style as an emulator shows them, in the looks a terminal may have. A
 * lost colour fails a test. `UPDATE_GOLDEN=1 npm test -- packages/cli/src/tui/pictures.test.ts` writes them.
 */

import type { ToolCallView } from '@castor/core';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../slash/command.ts';
import { byGroup } from '../slash/command-groups.ts';
import { context } from '../slash/context.ts';
import { BUILTIN_COMMANDS } from '../slash/index.ts';
import { createCommandCompletion } from './completion/command-completion.ts';
import { composerRows } from './components/composer-rows.ts';
import { planRows } from './components/plan-rows.ts';
import { queueRows } from './components/queue-rows.ts';
import { renderStatus } from './components/status-row.ts';
import { renderBanner } from './conversation/banner.ts';
import { renderFailure } from './conversation/failure-rows.ts';
import { renderOutcome, renderPage } from './conversation/outcome-rows.ts';
import { renderReads } from './conversation/read-group.ts';
import { renderToolCall } from './conversation/tool-call.ts';
import { renderItem, renderNote, renderUser } from './conversation/transcript-item.ts';
import { renderTurnNotes } from './conversation/turn-notes.ts';
import type { ComposerSnapshot } from './input/composer-contract.ts';
import { createComposerController } from './input/composer-controller.ts';
import { pictureOf } from './pictures.fixture.ts';
import { FILES } from './pictures-of-files.fixture.ts';
import { PICKERS } from './pictures-of-pickers.fixture.ts';
import { FILE_DIFF, QUESTIONS } from './pictures-of-questions.fixture.ts';
import type { DrawComponent } from './pictures-of-questions.fixture.ts';
import { SESSION } from './pictures-of-sessions.fixture.ts';
import { WORK } from './pictures-of-work.fixture.ts';
import { grammars } from './render/grammars.ts';
import { createHighlighter } from './render/highlight.ts';
import { renderMarkdown } from './render/markdown-stream.ts';
import { rowWidth } from './text/row-width.ts';
import { createStyles } from './theme/styles.ts';
import type { Styles } from './theme/styles.ts';
import { chooseTheme } from './theme/theme.ts';

const FOLDER = fileURLToPath(new URL('../../../../test/golden/pictures/', import.meta.url));

const [DARK, LIGHT] = [chooseTheme({ background: 'dark' }).theme, chooseTheme({ background: 'light' }).theme];
const LOOKS: readonly [name: string, styles: Styles, columns: number][] = [
  ['dark, 24 bits', createStyles(DARK, 'truecolor'), 80],
  ['light, 24 bits', createStyles(LIGHT, 'truecolor'), 80],
  ['dark, 256 colours', createStyles(DARK, 'ansi256'), 80],
  ['light, 256 colours', createStyles(LIGHT, 'ansi256'), 80],
  ['dark, 16 colours', createStyles(DARK, 'ansi16'), 80],
  ['light, 16 colours', createStyles(LIGHT, 'ansi16'), 80],
  ['NO_COLOR', createStyles(DARK, 'none', { hasWeight: true }), 80],
  ['a screen reader', createStyles(DARK, 'none', { isSpoken: true }), 80],
  ['40 columns', createStyles(DARK, 'truecolor'), 40],
  ['20 columns', createStyles(DARK, 'truecolor'), 20],
];

const ANSWER = `# Why the total goes negative

\`totalOf()\` subtracts the **discount** after it has summed the lines. See [the ticket](https://example.com/t/4711).

## What to change
### The smallest fix
#### Edge cases

1. Clamp in src/cart.ts
   - POST /checkout answers 400
- [x] reproduce it
- [ ] fix it

\`\`\`ts
export function totalOf(lines: Line[], discount = 0): number {
  return 12.5; // a comment
}
\`\`\`

| File | Change | Risk |
|---|---|---:|
| src/cart.ts | clamp at zero | low |
| src/api/checkout.ts | refuse the voucher | medium |

\`\`\`diff
--- a/src/cart.ts
@@ -14 +14 @@
-  return total;
+  return Math.max(0, total);
\`\`\`

> The rounding in \`money.ts\` is right and stays as it is, whatever the voucher says about it.
`;

function call(change: Partial<ToolCallView>): ToolCallView {
  return {
    callId: 'c',
    name: 'run_shell_command',
    display: { name: 'Shell', description: 'npm test' },
    status: 'success',
    output: '',
    omittedOutput: 0,
    kind: 'execute',
    ...change,
  };
}

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n');
const CALLS: readonly ToolCallView[] = [
  call({ result: LINES }),
  call({ result: LINES, failure: 'exit 1' }),
  call({ status: 'executing', output: 'step 6 of 12\n' }),
  call({
    name: 'replace',
    display: { name: 'Edit', description: 'Edit src/cart.ts' },
    status: 'error',
    error: { message: 'The text to replace is not in the file.' },
    kind: 'edit',
  }),
  call({
    display: { name: 'Shell', description: 'git push' },
    status: 'cancelled',
    result: '[Operation Cancelled] User denied execution. The user said: not to main',
  }),
  call({
    display: { name: 'Shell', description: 'rm -rf ~' },
    status: 'error',
    error: { message: 'policy deletes.toml:12', type: 'policy_violation' },
  }),
];
const EDITED = call({
  name: 'replace',
  display: { name: 'Edit', description: 'Edit src/cart.ts' },
  kind: 'edit',
  result: { fileDiff: FILE_DIFF, fileName: 'cart.ts', filePath: '/shop/src/cart.ts' },
});
const READS = [
  ...['src/cart.ts', 'src/money.ts', 'src/api/checkout.ts'].map((path) =>
    call({ name: 'read_file', display: { name: 'ReadFile', description: path }, kind: 'read' }),
  ),
  call({ name: 'grep_search', display: { name: 'SearchText', description: "'totalOf'" }, kind: 'search' }),
];

/** The composer after these words, with the real commands. */
async function openMenu(words: string, columns: number): Promise<ComposerSnapshot> {
  const completion = [createCommandCompletion(() => byGroup(BUILTIN_COMMANDS))];
  const controller = createComposerController({ onSubmit() {}, completion });
  controller.setSize({ columns, maxRows: 14 });
  const opened = new Promise<void>((resolve) => {
    controller.subscribe(() => controller.getSnapshot().suggestions && resolve());
  });
  controller.setText(words);
  await opened;
  const snapshot = controller.getSnapshot();
  controller.dispose();
  return snapshot;
}

const WIDTHS = new Set(LOOKS.map(([, , columns]) => columns - 1));

async function openMenus(words: string): Promise<ReadonlyMap<number, ComposerSnapshot>> {
  return new Map(await Promise.all([...WIDTHS].map(async (width) => [width, await openMenu(words, width)] as const)));
}

const [ALL_COMMANDS, SOME_COMMANDS] = [await openMenus('/'), await openMenus('/m')];

function composer(styles: Styles, columns: number): string[] {
  const controller = createComposerController({ onSubmit() {} });
  controller.setSize({ columns, maxRows: 14 });
  controller.setText('look at @src/cart.ts and @src/none.ts and tell me why the total of a basket is negative');
  controller.setMissing(new Set(['@src/none.ts']));
  const footer = {
    folder: '~/shop',
    branch: 'main',
    model: 'gemini-3-pro',
    contextUsed: 0.85,
    isTrusted: false,
    items: ['workspace', 'git-branch', 'model-name', 'context-used'],
  } as const;
  const text = composerRows(controller.getSnapshot(), { mode: 'autoEdit', footer }, styles);
  controller.dispose();
  return [
    ...text,
    ...[ALL_COMMANDS, SOME_COMMANDS].flatMap((menus) => {
      return ['', ...composerRows(menus.get(columns)!, { mode: 'default', footer }, styles)];
    }),
  ];
}

/** A session that has read much and run much. */
const LONG_SESSION = {
  requestedModel: () => 'gemini-3-pro',
  tokenLimit: () => 1_048_576,
  context: { files: [{ path: '/shop/GEMINI.md' }, { path: '/shop/AGENTS.md' }] },
  chat: {
    getSystemInstruction: () => 'x'.repeat(8_400),
    getTools: () => [{ functionDeclarations: Array.from({ length: 26 }, () => ({ description: 'x'.repeat(1_400) })) }],
    getLastPromptTokenCount: () => 123_000,
    getHistory: () => [
      { role: 'user', parts: [{ text: 'x'.repeat(152_000) }] },
      ...[176_000, 116_000].map((length, index) => {
        const name = ['run_shell_command', 'read_file'][index]!;
        return { role: 'user', parts: [{ functionResponse: { name, response: { output: 'x'.repeat(length) } } }] };
      }),
    ],
  },
};

/** What `/context` says in a window of this width. */
function contextPage(columns: number): string {
  const result = context.run!({ agent: LONG_SESSION, columns } as unknown as CommandContext, '');
  return (result as { content: string }).content;
}

const COMPONENTS: Readonly<Record<string, DrawComponent>> = {
  start: (styles, width) =>
    renderBanner({
      version: '1.2.3',
      folder: '~/shop',
      branch: 'main',
      facts: ['auto', 'GEMINI.md', '2 MCP servers', '3 skills', '1 hook'],
      styles,
      width,
    }),
  turn: (styles, width) =>
    ['why does the total go negative when a voucher is larger than the basket?', '/model', '!git status'].flatMap(
      (text) => renderUser(text, { styles, width }),
    ),
  'turn-notes': (styles, width) => {
    const brought = ['src/cart.ts 21 lines', 'shot.png 640×480'];
    return renderTurnNotes(
      { brought, problems: ['@nonexistent.ts stays text: no file matches it.'] },
      { styles, width },
    );
  },
  failure: (styles, width) =>
    [
      { message: 'This model cannot call tools.', status: 400, reason: 'invalid_request' as const },
      { message: 'The service is overloaded.', status: 503, reason: 'server' as const, attempts: 10 },
      { message: 'API key not valid.', status: 401, reason: 'unauthorized' as const },
    ].flatMap((error) => renderFailure({ error, model: 'gemini-3-pro' }, { styles, width }) ?? []),
  thought: (styles, width) =>
    renderItem(
      {
        ...{ id: 1, type: 'thinking' },
        thought: { subject: 'Checking the tests', description: 'Are there any for vouchers? '.repeat(9) },
      },
      { styles, width, show: { thinking: true, citations: true, model: true, lineNumbers: true, isCompact: true } },
    ),
  notes: (styles, width) => [
    ...renderNote('·', 'The conversation was compressed.', styles.secondary, width, styles.isSpoken),
    ...renderNote('!', 'Quota used up; going on with flash.', styles.warning, width, styles.isSpoken),
    ...renderNote('✗', 'The model refused the request (400).', styles.error, width, styles.isSpoken),
  ],
  answer: (styles, width) => {
    const highlight = createHighlighter(styles, () => grammars);
    return renderMarkdown(ANSWER, { styles, width: () => width, highlight, isSpoken: styles.isSpoken });
  },
  calls: (styles, width) =>
    CALLS.flatMap((each) => renderToolCall(each, { styles, width, maxRows: 12, moreKey: 'ctrl+o', took: '1.2 s' })),
  diff: (styles, width) => renderToolCall(EDITED, { styles, width, maxRows: 12, grammars, moreKey: 'ctrl+o' }),
  reads: (styles, width) => renderReads(READS, { styles, width }),
  ...QUESTIONS,
  ...SESSION,
  ...PICKERS,
  ...WORK,
  files: FILES,
  outcome: (styles, width) => [
    ...renderOutcome('The model is gemini-3-flash for this session.', { styles, width }),
    '',
    ...renderPage(contextPage(width), { styles, width }),
  ],
  composer,
  frame: (styles, width) => {
    const size = { columns: width + 1, rows: 24 };
    const status = { verb: 'Running', object: 'npm test', elapsedMs: 12_000, keys: ['esc stops'], showsSpinner: true };
    return [
      ...planRows({
        todos: [
          { description: 'Reproduce the negative total', status: 'completed' },
          { description: 'Clamp it in src/cart.ts', status: 'in_progress' },
          { description: 'Refuse the voucher in the API', status: 'pending' },
        ],
        styles,
        size,
      }),
      ...queueRows({ queue: ['and add a test for the API', 'then commit it'], styles, size }),
      renderStatus(status, { styles, width }),
      renderStatus(
        { ...status, verb: 'Nothing heard for 23 s', object: undefined, isWarning: true },
        { styles, width },
      ),
    ];
  },
};

/** Two tests look at every picture: each is drawn once. */
const drawn = new Map<string, Promise<string>>();

function drawnPicture(name: string, [look, styles, columns]: (typeof LOOKS)[number]): Promise<string> {
  const key = `${name} ${look}`;
  const picture = drawn.get(key) ?? pictureOf(COMPONENTS[name]!(styles, columns - 1), columns);
  drawn.set(key, picture);
  return picture;
}

describe('the picture', () => {
  it.each(Object.keys(COMPONENTS))('of %s', async (name) => {
    const pictures: string[] = [];
    for (const look of LOOKS) pictures.push(`== ${look[0]}\n${await drawnPicture(name, look)}`);
    const picture = `${pictures.join('\n\n')}\n`;
    const path = join(FOLDER, `${name}.txt`);
    if (process.env['UPDATE_GOLDEN']) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(path, picture);
    }
    expect(picture).toBe(readFileSync(path, 'utf8'));
  });

  it('has no row that is wider than its window', () => {
    for (const [look, styles, columns] of LOOKS) {
      // A voice reads lines; the last rows are printed for the terminal to wrap: they are copied.
      if (styles.isSpoken) continue;
      for (const [name, draw] of Object.entries(COMPONENTS)) {
        const wide = draw(styles, columns - 1).filter((row) => rowWidth(row) >= columns);
        expect([look, name, name === 'exit' || name === 'answer' ? [] : wide]).toEqual([look, name, []]);
      }
    }
  });

  it('never has a background without a foreground chosen for it', async () => {
    for (const looks of LOOKS) {
      const [look] = looks;
      for (const name of Object.keys(COMPONENTS)) {
        const picture = await drawnPicture(name, looks);
        const bare = [...picture.matchAll(/ (\d+-\d+ (?:bold |italic |underlined )*on \S+)/g)].map(([, run]) => run!);
        // A run of blanks has no foreground; one with letters has.
        for (const run of bare) {
          const [from, to] = run.split(' ')[0]!.split('-').map(Number);
          const row = picture
            .slice(0, picture.indexOf(` ${run}`))
            .split('\n')
            .at(-2)!
            .slice(1);
          expect([look, name, row.slice(from, to! + 1).trim()]).toEqual([look, name, '']);
        }
      }
    }
  });
});
