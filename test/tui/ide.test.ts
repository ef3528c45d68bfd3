/** The companion of an editor, over real HTTP: context in the prompt, diffs answered on either side, `/ide`, trust, loss. */

import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { call, createWorkspace, fakeModel, mcp, mcpServer, say, startTerminal } from '@castor/testkit';
import type { FakeModel, McpServer, Script, Terminal, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { variants } from '../house/variants.ts';

const NAMES = { name: 'vscode', displayName: 'VS Code' };
const CLOSED = mcp.result(mcp.text('{"content":null}'));
const COMPANION = {
  tools: [
    { name: 'openDiff', result: mcp.result() },
    { name: 'closeDiff', result: CLOSED },
  ],
};
/** It shows a diff and then hangs. */
const FROZEN = { ...COMPANION, rules: [mcp.on('tools/call', [], { name: 'closeDiff' })] };
const WRITE = () => [call('write_file', { file_path: 'a.txt', content: 'proposed\n' }), say('All is said.')];

interface Scene extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly model: FakeModel;
  readonly editor: McpServer;
  readonly terminal: Terminal;
  show(openFiles: object[], more?: object): Promise<void>;
}

interface SceneOptions {
  readonly settings?: object;
  readonly companion?: Parameters<typeof mcpServer>[0];
  /** Of an editor that crashed, beside the one that runs. */
  readonly staleFile?: string;
}

async function openScene(script: Script, options: SceneOptions = {}): Promise<Scene> {
  const { settings = { ide: { enabled: true } }, companion = COMPANION, staleFile } = options;
  const stack = new AsyncDisposableStack();
  const workspace = stack.use(
    await createWorkspace({ homeFiles: { '.gemini/settings.json': JSON.stringify(settings) } }),
  );
  const model = stack.use(await fakeModel(script));
  const editor = stack.use(await mcpServer(companion));
  await announce(workspace, editor);
  const left = { port: 1, workspacePath: workspace.project };
  if (staleFile !== undefined) await workspace.write(`../tmp/gemini/ide/${staleFile}`, JSON.stringify(left));
  const terminal = stack.use(
    await startTerminal([], {
      workspace,
      model,
      env: {
        TMPDIR: join(workspace.root, 'tmp'),
        TERM_PROGRAM: 'vscode',
        ...(staleFile !== undefined && { GEMINI_CLI_IDE_SERVER_PORT: '1' }),
      },
    }),
  );
  await terminal.waitForText('Type your message');
  const show = async (openFiles: object[], more: object = {}) => {
    await editor.record.until((record) => record.requests('GET /mcp').length > 0);
    await editor.play([mcp.notify('ide/contextUpdate', { workspaceState: { openFiles, ...more } })]);
  };
  const owned = stack.move();
  return { workspace, model, editor, terminal, show, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** The file a companion leaves for terminals. */
async function announce(workspace: Workspace, editor: McpServer): Promise<void> {
  const port = Number(new URL(editor.url).port);
  const other = join(workspace.root, 'other');
  await mkdir(other, { recursive: true });
  const content = {
    port,
    workspacePath: `${workspace.project}${delimiter}${other}`,
    authToken: 'secret',
    ideInfo: NAMES,
  };
  await workspace.write(`../tmp/gemini/ide/gemini-ide-server-${process.pid}-${port}.json`, JSON.stringify(content));
}

async function ask(terminal: Terminal, words: string, answer: string): Promise<void> {
  terminal.type(`${words}\r`);
  await terminal.waitForText(answer);
  await terminal.waitUntil((seen) => seen.title().includes('Ready'));
}

/** F4 shows the context as it is now; a notification needs a moment. */
async function untilShown(terminal: Terminal, expected: string): Promise<void> {
  const shown = () => terminal.lines().join('\n');
  const answers = () => shown().match(/Connected to|Connecting/g)?.length ?? 0;
  for (let count = answers(); !shown().includes(expected); count += 1) {
    terminal.type('\x1bOS');
    await terminal.waitUntil(() => answers() > count);
  }
}

/** Asks until the connection is as expected: one more answer each time, since what was said stays on the screen. */
async function status(terminal: Terminal, expected: string): Promise<void> {
  const answers = () =>
    terminal
      .lines()
      .join('\n')
      .match(/(?:✓ Connected to|▸ Connecting|✗ Disconnected:).*/gu) ?? [];
  for (let count = answers().length; answers().at(-1) !== expected; count += 1) {
    terminal.type('/ide status\r');
    await terminal.waitUntil(() => answers().length > count);
  }
}

describe('a connected editor', () => {
  it('is in the prompt, in full and then what changed', async () => {
    await using scene = await openScene([say('one'), say('two')]);
    const { terminal, model, editor } = scene;
    await scene.show([
      { path: '/p/a.ts', timestamp: 2, isActive: true, cursor: { line: 3, character: 1 }, selectedText: 'let x' },
      { path: '/p/b.ts', timestamp: 1 },
    ]);
    await untilShown(terminal, 'a.ts (active)');
    await ask(terminal, 'hello', 'one');
    const first = JSON.stringify(model.requests[0]!.body.contents);
    expect(first).toContain('activeFile');
    expect(first).toContain('let x');
    expect(first).toContain('/p/b.ts');
    // The other folder of the window is part of the workspace.
    expect(first).toContain(join(scene.workspace.root, 'other'));
    await scene.show([
      { path: '/p/c.ts', timestamp: 3, isActive: true },
      { path: '/p/a.ts', timestamp: 2 },
    ]);
    await untilShown(terminal, 'c.ts (active)');
    await ask(terminal, 'again', 'two');
    const second = JSON.stringify((model.requests[1]!.body.contents as unknown[]).slice(-2));
    expect(second).toContain('filesOpened');
    expect(second).toContain('filesClosed');
    terminal.type('/quit\r');
    await terminal.done;
    expect(terminal.lines().join('\n')).not.toContain('was lost');
    expect(
      editor.record.requests('POST /mcp').every(({ headers }) => headers['authorization'] === 'Bearer secret'),
    ).toBe(true);
  });

  variants.each([
    ['accepted', 'ide/diffAccepted', { content: 'edited there\n' }, 'edited there\n'],
    ['rejected', 'ide/diffRejected', {}, undefined],
  ])('shows an edit as a diff, which is %s there', async (_name, method, more, written) => {
    await using scene = await openScene(WRITE());
    const { terminal, workspace, editor } = scene;
    await scene.show([]);
    await status(terminal, '✓ Connected to VS Code');
    terminal.type('write it\r');
    await terminal.waitForText('Yes, once');
    await editor.record.until((record) => record.calls('openDiff').length === 1);
    const filePath = join(workspace.project, 'a.txt');
    expect(editor.record.calls('openDiff')).toEqual([{ filePath, newContent: 'proposed\n' }]);
    await editor.play([mcp.notify(method, { filePath, ...more })]);
    await terminal.waitUntil((seen) => !seen.lines().join('\n').includes('Yes, once'));
    await terminal.waitUntil((seen) => seen.title().includes('Ready'));
    if (written === undefined) expect(existsSync(filePath)).toBe(false);
    else expect(await workspace.read('a.txt')).toBe(written);
  });

  it('closes the diff when the terminal answers', { tags: 'wide' }, async () => {
    await using scene = await openScene(WRITE());
    const { terminal, workspace, editor } = scene;
    await scene.show([]);
    await status(terminal, '✓ Connected to VS Code');
    terminal.type('write it\r');
    await terminal.waitForText('Yes, once');
    await editor.record.until((record) => record.calls('openDiff').length === 1);
    // An acceptance without its text is none: nothing is written from it.
    await editor.play([mcp.notify('ide/diffAccepted', { filePath: join(workspace.project, 'a.txt') })]);
    terminal.type('\r');
    await terminal.waitForText('All is said.');
    const filePath = join(workspace.project, 'a.txt');
    expect(editor.record.calls('closeDiff')).toEqual([{ filePath, suppressNotification: true }]);
    expect(await workspace.read('a.txt')).toBe('proposed\n');
  });

  it('that hangs, beside the file of one that crashed, holds nothing up', { tags: 'wide' }, async () => {
    await using scene = await openScene(WRITE(), { companion: FROZEN, staleFile: 'gemini-ide-server-1-1.json' });
    const { terminal, workspace, editor } = scene;
    await scene.show([]);
    await status(terminal, '✓ Connected to VS Code');
    terminal.type('write it\r');
    await terminal.waitForText('Yes, once');
    await editor.record.until((record) => record.calls('openDiff').length === 1);
    terminal.type('\r');
    await terminal.waitForText('All is said.');
    expect(await workspace.read('a.txt')).toBe('proposed\n');
  });

  it('that trusts the folder, or does not, decides', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('one')]);
    await scene.show([], { isTrusted: false });
    await scene.terminal.waitForText('Your editor does not trust this folder.');
    await ask(scene.terminal, 'hello', 'one');
  });
});

describe('/ide', () => {
  it('says where Castor looked, connects and disconnects, and remembers it', { tags: 'wide' }, async () => {
    await using scene = await openScene([say('one')], { settings: {} });
    const { terminal, workspace, editor, model } = scene;
    terminal.type('/ide\r');
    await terminal.waitForText('✗ Disconnected: IDE mode is off. /ide enable turns it on.');
    terminal.type('/ide foo\r');
    await terminal.waitForText('/ide foo is unknown. There are: status, enable, disable, install.');
    expect(model.requests).toEqual([]);
    terminal.type('/ide enable\r');
    await terminal.waitForText('✓ Connected to VS Code');
    const settings = () => workspace.read('../home/.gemini/settings.json').then((text) => JSON.parse(text) as object);
    expect(await settings()).toMatchObject({ ide: { enabled: true } });
    terminal.type('/ide enable\r');
    await terminal.waitUntil((seen) => seen.lines().join('\n').split('✓ Connected to VS Code').length === 3);
    expect(editor.record.requests('GET /mcp').length).toBe(1);
    terminal.type('/ide disable\r');
    await terminal.waitForText('IDE mode is off, in later sessions too.');
    expect(await settings()).toMatchObject({ ide: { enabled: false } });
    terminal.type('/ide install\r');
    await terminal.waitForText('the command "code" is not on');
  });

  it('names what was looked at when there is no companion', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({
      homeFiles: { '.gemini/settings.json': '{"ide":{"enabled":true}}' },
    });
    await using model = await fakeModel([say('still works')]);
    await using terminal = await startTerminal([], { workspace, model, env: { TMPDIR: join(workspace.root, 'none') } });
    await terminal.waitForText('Failed to connect to IDE companion extension.');
    terminal.type('/ide status\r');
    await terminal.waitForText('GEMINI_CLI_IDE_SERVER_PORT and');
    await ask(terminal, 'hello', 'still works');
  });
});

it(
  'a lost connection is told, the prompt does not wait for it, and a new companion is found',
  { tags: 'wide' },
  async () => {
    await using scene = await openScene([say('one'), say('two')]);
    const { terminal, workspace, editor } = scene;
    await scene.show([{ path: '/p/a.ts', timestamp: 2, isActive: true }]);
    await status(terminal, '✓ Connected to VS Code');
    await editor[Symbol.asyncDispose]();
    await terminal.waitForText('The connection to the editor was lost');
    await ask(terminal, 'hello', 'one');
    await using second = await mcpServer(COMPANION);
    await rm(join(workspace.root, 'tmp/gemini/ide'), { recursive: true });
    await announce(workspace, second);
    await second.record.until((record) => record.requests('GET /mcp').length > 0);
    await ask(terminal, 'again', 'two');
  },
);
