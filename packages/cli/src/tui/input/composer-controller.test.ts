import { setImmediate as nextLoop } from 'node:timers/promises';
import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { createComposerController } from './composer-controller.ts';
import type { ComposerOptions, ComposerSnapshot, Submission } from './composer-contract.ts';
import { composerCaret, composerHeight } from './composer-view.ts';
import { createInputHistory } from './input-history.ts';
import { formatKey } from './key.ts';
import { createCommandCompletion } from '../completion/command-completion.ts';
import { createFileCompletion } from '../completion/file-completion.ts';

const UP = '\x1b[A';
const DOWN = '\x1b[B';
const LEFT = '\x1b[D';
const ESC = '\x1b[27u';

const FILES = ['src/', 'src/main.ts', 'src/mail.ts', 'my file.md'];
const COMPLETION = [
  createCommandCompletion(() => [
    { name: 'help', description: 'Shows help.' },
    { name: 'hooks', description: 'Lists hooks.' },
    { name: 'chat', description: 'Sessions.', subCommands: [{ name: 'save', description: 'Saves.' }] },
  ]),
  createFileCompletion({
    search: async (query) => ({ paths: FILES.filter((path) => path.includes(query)) }),
    dispose() {},
  }),
];

function start(options: Partial<ComposerOptions> = {}) {
  const submissions: Submission[] = [];
  const commands: string[] = [];
  const composer = createComposerController({
    onSubmit: (submission) => submissions.push(submission),
    onCommand: (command, key) => {
      commands.push(`${command} (${formatKey(key)})`);
      return command !== 'app.showShortcuts';
    },
    clock: createFakeClock(),
    ...options,
  });
  /** Each piece by itself, with all that follows from it done. */
  const type = async (...pieces: string[]) => {
    for (const piece of pieces) {
      composer.feed(piece);
      for (let turn = 0; turn < 4; turn++) await nextLoop();
    }
  };
  const rows = () => composer.getSnapshot().rows.map(({ text }) => text);
  return { composer, submissions, commands, type, rows };
}

/** The text with the caret as `|`, one row each; only for rows of single cells. */
function picture({ rows, caretRow, caretCell }: ComposerSnapshot): string[] {
  return rows.map(({ text }, row) =>
    row === caretRow ? `${text.slice(0, caretCell)}|${text.slice(caretCell)}` : text,
  );
}

describe('typing', () => {
  it('submits what was typed, and is empty when it does', async () => {
    const { composer, submissions, type } = start();
    await type('hello', '\r');
    expect(submissions).toEqual([{ text: 'hello', shown: 'hello', isShell: false }]);
    expect(composer.isEmpty()).toBe(true);
  });

  it('loses nothing that is typed before there is a listener', async () => {
    const { submissions, type } = start();
    await type('early\r');
    expect(submissions).toEqual([{ text: 'early', shown: 'early', isShell: false }]);
  });

  it('submits no blanks', async () => {
    const { submissions, type } = start();
    await type('   ', '\r');
    expect(submissions).toEqual([]);
  });

  it.each(['\n', '\x1b[13;2u', '\x1b[27;2;13~', '\x1b\r', '\x1b[13;5u'])('makes a new line of %j', async (bytes) => {
    const { composer, submissions, type } = start();
    await type('a', bytes, 'b');
    expect({ text: composer.getText(), submissions }).toEqual({ text: 'a\nb', submissions: [] });
  });

  it('makes a new line of a backslash and Return', async () => {
    const { composer, type } = start();
    await type('a\\', '\r', 'b');
    expect(composer.getText()).toBe('a\nb');
  });

  it('tells listeners once for a piece of bytes', async () => {
    const { composer } = start();
    let told = 0;
    composer.subscribe(() => told++);
    composer.feed('ab\x1b[D\x1b[Dc');
    expect({ told, text: composer.getText() }).toEqual({ told: 1, text: 'cab' });
  });

  it('edits with the keys of the shell', async () => {
    const { composer, type } = start();
    await type('one two three', '\x17', '\x01', '\x0b', 'x', '\x1by');
    expect(picture(composer.getSnapshot())).toEqual(['xone two |']);
    await type('\x1bz', '\x1bz');
    expect(composer.getText()).toBe('');
  });

  it('deletes to the right with Ctrl+D, and offers it to the app on empty input', async () => {
    const { composer, commands, type } = start();
    await type('ab', LEFT, '\x04', LEFT, '\x04', '\x04');
    expect({ text: composer.getText(), commands }).toEqual({ text: '', commands: ['basic.exit (ctrl+d)'] });
  });

  it('passes on what only the app can do', async () => {
    const { commands, type } = start();
    await type('\x03', ESC, '\x1b[Z', '\x0f', '\x14', '\x19', '\x0c', '\x1b[24~', '\x02', '\x1b[5~');
    expect(commands).toEqual([
      'basic.quit (ctrl+c)',
      'basic.cancel (escape)',
      'app.cycleApprovalMode (shift+tab)',
      'app.showMoreLines (ctrl+o)',
      'app.showFullTodos (ctrl+t)',
      'app.toggleYolo (ctrl+y)',
      'app.clearScreen (ctrl+l)',
      'app.showErrorDetails (f12)',
      'background.toggle (ctrl+b)',
      'scroll.pageUp (pageup)',
    ]);
  });

  it('asks the app about ? on empty input only, and types it when it is not wanted', async () => {
    const { composer, commands, type } = start();
    await type('?', '?');
    expect({ text: composer.getText(), commands }).toEqual({ text: '??', commands: ['app.showShortcuts (?)'] });
  });
});

describe('shell mode', () => {
  it('begins with ! on empty input and ends with Escape, Backspace or another !', async () => {
    const { composer, submissions, type } = start();
    const modes: boolean[] = [];
    for (const bytes of ['!', ESC, '!', '\x7f', '!', '!', '!ls', '\r']) {
      await type(bytes);
      modes.push(composer.getSnapshot().isShell);
    }
    expect(modes).toEqual([true, false, true, false, true, false, true, false]);
    expect(submissions).toEqual([{ text: 'ls', shown: 'ls', isShell: true }]);
  });

  it('keeps its own history', async () => {
    const { composer, type } = start();
    await type('prompt', '\r', '!ls', '\r', '!', UP);
    expect(composer.getText()).toBe('ls');
    await type('\x15', '\x7f', UP);
    expect(composer.getText()).toBe('prompt');
  });
});

describe('pastes', () => {
  it('folds a long paste into one character and submits it whole', async () => {
    const text = 'línea 漢字\n'.repeat(20_000);
    const { rows, submissions, type } = start();
    await type('see ', `\x1b[200~${text}\x1b[201~`, ' ok');
    expect(rows()).toEqual(['see [Pasted Text: 20000 lines] ok']);
    await type('\r');
    expect(submissions[0]?.text === `see ${text} ok`).toBe(true);
    expect(submissions[0]?.shown).toBe('see [Pasted Text: 20000 lines] ok');
  });

  it('does the same where the terminal marks nothing, and submits nothing by itself', async () => {
    const text = 'line of text\r'.repeat(5_000);
    const { composer, rows, submissions } = start();
    const bytes = new TextEncoder().encode(text);
    for (let index = 0; index < bytes.length; index += 4096) composer.feed(bytes.subarray(index, index + 4096));
    for (let turn = 0; turn < 4; turn++) await nextLoop();
    expect({ rows: rows(), submissions }).toEqual({ rows: ['[Pasted Text: 5000 lines]'], submissions: [] });
    expect(composer.getText() === text.replaceAll('\r', '\n')).toBe(true);
  });

  it('erases a folded paste with one key, and undo brings it back', async () => {
    const { composer, rows, type } = start();
    await type(`\x1b[200~${'a\n'.repeat(10)}\x1b[201~`, '\x7f');
    expect(composer.isEmpty()).toBe(true);
    await type('\x1bz');
    expect(rows()).toEqual(['[Pasted Text: 10 lines]']);
  });

  it('recalls a folded paste folded, and pastes of one size are told apart', async () => {
    const paste = `\x1b[200~${'a\n'.repeat(10)}\x1b[201~`;
    const { composer, rows, submissions, type } = start();
    await type(paste, paste, '\r', UP);
    expect(rows()).toEqual(['[Pasted Text: 10 lines][Pasted Text: 10 lines]']);
    await type('\r', paste);
    expect(rows()).toEqual(['[Pasted Text: 10 lines]']);
    expect(submissions.map(({ text }) => text)).toEqual(['a\n'.repeat(20), 'a\n'.repeat(20)]);
    expect(submissions[0]?.shown).toBe('[Pasted Text: 10 lines][Pasted Text: 10 lines #2]');
    expect(composer.getText()).toBe('a\n'.repeat(10));
  });

  it('writes a folded paste out with Ctrl+O', async () => {
    const { rows, commands, type } = start();
    await type(`\x1b[200~1\n2\n3\n4\n5\n6\x1b[201~`, '\x0f');
    expect({ rows: rows(), commands }).toEqual({ rows: ['1', '2', '3', '4', '5', '6'], commands: [] });
  });

  it('makes a reference of the path of an image', async () => {
    const { composer, type } = start({ isFile: (path) => path === '/tmp/my shot.png' });
    await type("\x1b[200~'/tmp/my shot.png'\x1b[201~", '\x1b[200~/tmp/other.png\x1b[201~');
    expect(composer.getText()).toBe(String.raw`@/tmp/my\ shot.png /tmp/other.png`);
  });

  it('pastes what was asked for before there was a clipboard, once', async () => {
    const { composer, type, rows } = start();
    await type('a', '\x16', '\x16');
    composer.setClipboard({ read: async () => ({ type: 'text', text: 'b' }) });
    await nextLoop();
    expect({ rows: rows(), notice: composer.getSnapshot().notice }).toEqual({ rows: ['ab'], notice: undefined });
  });

  it('pastes an image from the clipboard, or says why not', async () => {
    const answers = [
      { type: 'image', path: '/tmp/clip.png' },
      { type: 'none', message: 'The clipboard is empty.' },
    ] as const;
    let asked = 0;
    const { composer, type } = start({ clipboard: { read: async () => answers[asked++]! } });
    await type('\x16', '\x16');
    expect({ text: composer.getText(), notice: composer.getSnapshot().notice }).toEqual({
      text: '@/tmp/clip.png ',
      notice: 'The clipboard is empty.',
    });
    await type('x');
    expect(composer.getSnapshot().notice).toBeUndefined();
  });
});

describe('history', () => {
  it('goes back with Up and forth with Down, and keeps the draft', async () => {
    const { composer, type } = start({ history: createInputHistory(['one', 'two\nlines']) });
    const seen: string[] = [];
    await type('draft');
    for (const key of [UP, UP, UP, DOWN, DOWN, DOWN]) {
      await type(key);
      seen.push(composer.getText());
    }
    expect(seen).toEqual(['two\nlines', 'one', 'one', 'two\nlines', 'draft', 'draft']);
  });

  it('goes on past a prompt with line breaks of another system', async () => {
    const { composer, type } = start({ history: createInputHistory(['old', 'a\r\nb']) });
    await type(UP, UP);
    expect(composer.getText()).toBe('old');
  });

  it('keeps what was submitted before the history of earlier sessions was read', async () => {
    const { composer, type } = start();
    await type('early', '\r');
    const history = createInputHistory(['old']);
    composer.setHistory(history);
    expect(history.entries()).toEqual(['old', 'early']);
  });

  it('queues with Tab only while there is something to queue behind', async () => {
    const queued: Submission[] = [];
    let isBusy = false;
    const { composer, type } = start({ onQueue: (submission) => queued.push(submission), canQueue: () => isBusy });
    await type('next', '\t');
    expect({ text: composer.getText(), queued }).toEqual({ text: 'next', queued: [] });
    isBusy = true;
    await type('\t');
    expect(queued).toEqual([{ text: 'next', shown: 'next', isShell: false }]);
  });

  it('takes back what is queued before it looks into history', async () => {
    const queue = ['queued'];
    const { composer, type } = start({ history: createInputHistory(['old']), takeQueued: () => queue.pop() });
    await type(UP);
    expect(composer.getText()).toBe('queued');
  });

  it('searches backwards with Ctrl+R', async () => {
    const { composer, submissions, type } = start({ history: createInputHistory(['fix one', 'add two', 'fix three']) });
    await type('draft', '\x12', 'fix');
    expect({ text: composer.getText(), search: composer.getSnapshot().search }).toEqual({
      text: 'fix three',
      search: { query: 'fix', hasMatch: true },
    });
    await type('\x12');
    expect(composer.getText()).toBe('fix one');
    await type('zzz');
    expect(composer.getSnapshot().search).toEqual({ query: 'fixzzz', hasMatch: false });
    await type(ESC);
    expect({ text: composer.getText(), search: composer.getSnapshot().search }).toEqual({
      text: 'draft',
      search: undefined,
    });
    await type('\x12', 'two', '\r');
    expect(submissions).toEqual([{ text: 'add two', shown: 'add two', isShell: false }]);
  });
});

describe('suggestions', () => {
  const labels = (snapshot: ComposerSnapshot) => snapshot.suggestions?.items.map(({ label }) => label);

  it('looks at what was typed before there were providers to ask', async () => {
    const { composer, type } = start();
    await type('/h');
    expect(composer.getSnapshot().suggestions).toBeUndefined();
    composer.setCompletion(COMPLETION);
    await nextLoop();
    expect(labels(composer.getSnapshot())).toEqual(['/help', '/hooks', '/chat']);
  });

  it('completes a file with Tab', async () => {
    const { composer, type } = start({ completion: COMPLETION });
    await type('see @mai');
    expect(labels(composer.getSnapshot())).toEqual(['src/main.ts', 'src/mail.ts']);
    await type(DOWN, '\t');
    expect({ text: composer.getText(), list: labels(composer.getSnapshot()) }).toEqual({
      text: 'see @src/mail.ts ',
      list: undefined,
    });
  });

  it('goes on into a folder', async () => {
    const { composer, type } = start({ completion: COMPLETION });
    await type('@sr', '\t');
    expect({ text: composer.getText(), list: labels(composer.getSnapshot()) }).toEqual({
      text: '@src/',
      list: ['src/', 'src/main.ts', 'src/mail.ts'],
    });
  });

  it('completes a command with Return, and submits one that is typed whole', async () => {
    const { composer, submissions, type } = start({ completion: COMPLETION });
    await type('/he', '\r');
    expect({ text: composer.getText(), submissions }).toEqual({ text: '/help ', submissions: [] });
    await type('\x15', '/hooks', '\r');
    expect(submissions).toEqual([{ text: '/hooks', shown: '/hooks', isShell: false }]);
  });

  it('closes with Escape and stays closed in that word', async () => {
    const { composer, commands, type } = start({ completion: COMPLETION });
    await type('@ma', ESC, 'i');
    expect(labels(composer.getSnapshot())).toBeUndefined();
    await type(' @ma');
    expect(labels(composer.getSnapshot())).toEqual(['src/main.ts', 'src/mail.ts']);
    expect(commands).toEqual([]);
  });

  it('leaves its height when it closes, until a line is printed; text takes the empty rows first', async () => {
    const { composer, type } = start({ completion: COMPLETION });
    const height = () => composerHeight(composer.getSnapshot()) + composer.getSnapshot().emptyRows;
    const alone = height();
    await type('/h');
    const open = height();
    await type(ESC);
    expect([height(), composer.getSnapshot().emptyRows]).toEqual([open, open - alone]);
    await type('\x15', 'now words');
    expect(height()).toBe(open);
    composer.releaseRows();
    expect(height()).toBe(alone);
    await type(' /h', '\x15', '/h');
    composer.releaseRows();
    expect(height()).toBe(open);
  });

  it('offers nothing in shell mode', async () => {
    const { composer, type } = start({ completion: COMPLETION });
    await type('!/he');
    expect(composer.getSnapshot().suggestions).toBeUndefined();
  });
});

describe('vim mode', () => {
  it('moves in NORMAL, types in INSERT, and submits from both', async () => {
    const { composer, submissions, commands, type } = start({ isVim: true });
    await type('one two', ESC, '0dwx');
    expect({ text: composer.getText(), mode: composer.getSnapshot().vimMode }).toEqual({ text: 'wo', mode: 'NORMAL' });
    await type('Ax', '\r');
    expect({ submissions, commands }).toEqual({
      submissions: [{ text: 'wox', shown: 'wox', isShell: false }],
      commands: [],
    });
  });

  it('gives Escape in NORMAL to the app', async () => {
    const { commands, type } = start({ isVim: true });
    await type(ESC, ESC);
    expect(commands).toEqual(['basic.cancel (escape)']);
  });
});

describe('dialogs', () => {
  it('take the keys until they are gone, and let others through', async () => {
    const { composer, commands, type } = start();
    const keys: string[] = [];
    const remove = composer.pushConsumer({
      onKey(key) {
        keys.push(formatKey(key));
        if (key.name === 'y') remove();
        return key.name !== 'c';
      },
    });
    await type('jk', '\x03', 'yes');
    expect({ keys, text: composer.getText(), commands }).toEqual({
      keys: ['j', 'k', 'ctrl+c', 'y'],
      text: 'es',
      commands: ['basic.quit (ctrl+c)'],
    });
  });
});

describe('the picture', () => {
  it('never takes more rows than it may, and always shows the caret', async () => {
    const { composer, type } = start({ completion: COMPLETION });
    await type(`\x1b[200~1\n2\n3\n4\n5\x1b[201~`, '\n', '@m');
    for (let maxRows = 1; maxRows <= 14; maxRows++) {
      composer.setSize({ columns: 20, maxRows });
      const snapshot = composer.getSnapshot();
      const { row } = composerCaret(snapshot);
      expect({
        maxRows,
        isBounded: composerHeight(snapshot) <= maxRows,
        isSeen: row < composerHeight(snapshot),
      }).toEqual({
        maxRows,
        isBounded: true,
        isSeen: true,
      });
    }
  });

  it('moves by the rows that are seen', async () => {
    const { composer, type } = start();
    composer.setSize({ columns: 13, maxRows: 10 });
    await type('one two three four', LEFT, LEFT, LEFT, LEFT);
    expect(picture(composer.getSnapshot())).toEqual(['one two ', 'three |four']);
    await type(UP);
    expect(picture(composer.getSnapshot())).toEqual(['one tw|o ', 'three four']);
  });

  it('learns how wide the terminal draws, also from answers in the first row', async () => {
    const { composer, type } = start();
    let written = '';
    composer.probeWidths((bytes) => (written += bytes));
    await type('👨‍👩‍👧');
    expect(composer.getSnapshot().caretCell).toBe(2);
    await type('\x1b[1;3R\x1b[1;5R\x1b[1;2R\x1b[1;3R');
    expect({ cell: composer.getSnapshot().caretCell, hasAsked: written.includes('\x1b[6n') }).toEqual({
      cell: 6,
      hasAsked: true,
    });
  });
});
