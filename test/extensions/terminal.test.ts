/** `/extensions` in the terminal UI: every sub-command, each with its effect on the session that goes on. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '@castor/testkit';
import { expect, it } from 'vitest';
import { openTerminal } from '../tui/open-terminal.ts';

const manifest = (name: string, more: object = {}) => JSON.stringify({ name, version: '1.0.0', ...more });
const SETTINGS = [{ name: 'Region', description: 'Of the cloud', envVar: 'REGION' }];
const hooks = (words: string) =>
  JSON.stringify({
    hooks: { SessionStart: [{ hooks: [{ type: 'command', command: `echo '{"systemMessage":"${words}"}'` }] }] },
  });

it('installs, configures, updates, switches and removes; the session has each change at once', async () => {
  await using opened = await openTerminal({
    rows: 40,
    columns: 120,
    env: { GEMINI_FORCE_FILE_STORAGE: 'true' },
    files: {
      'one/gemini-extension.json': manifest('one', { settings: SETTINGS }),
      'one/hooks/hooks.json': hooks('one is here'),
      'one/commands/fly.toml': 'prompt = "Fly."',
      'two/gemini-extension.json': manifest('two'),
      'two/commands/dive.toml': 'prompt = "Dive."',
    },
  });
  const { terminal, workspace } = opened;
  const folder = (name: string) => existsSync(join(workspace.home, '.gemini/extensions', name));
  let last = '';
  /** Waits for text below the last command. */
  const read = (text: string | RegExp) =>
    terminal.waitUntil(() => {
      const all = terminal.lines().join('\n');
      const after = all.slice(all.lastIndexOf(`❯ ${last}`));
      return typeof text === 'string' ? after.includes(text) : text.test(after);
    });
  async function run(line: string, ...texts: (string | RegExp)[]) {
    last = `/extensions ${line}`;
    terminal.type(`${last}\r`);
    for (const text of texts) await read(text);
  }

  await run('install ./one', 'Installing extension "one".', 'SessionStart: echo \'{"systemMessage":"one is here"}\'');
  terminal.type('\r');
  await read('Installation cancelled for "one".');
  expect(folder('one')).toBe(false);

  await run('install ./one', 'Yes, I consent');
  terminal.type('2');
  await read('Of the cloud');
  terminal.type('eu\r');
  await read('Extension "one" installed successfully and enabled.');
  await read('one is here');
  await run('list', 'one (v1.0.0) - active (up to date)');

  await run('link ./two', 'Yes, I consent');
  terminal.type('2');
  await read('Extension "two" linked successfully and enabled.');
  terminal.type('/dive\r');
  await terminal.waitForText(/^ok$/m);
  expect(JSON.stringify(opened.model.requests.at(-1)?.body)).toContain('Dive.');

  // A limit of the session follows what is installed.
  terminal.type('/extensions disable o');
  await terminal.waitForText(/❯ one$/m);
  last = '/extensions disable one --scope session';
  terminal.type('\t');
  await terminal.waitForText('❯ /extensions disable one');
  terminal.type(' --scope session\r');
  await read('one: disabled for this session.');
  await run('uninstall two', 'Extension "two" successfully uninstalled.');
  expect(folder('two')).toBe(false);
  await run('link ./two', 'Yes, I consent');
  terminal.type('2');
  await read('Extension "two" linked successfully and enabled.');
  await run('list', 'one (v1.0.0) - disabled for this session', 'two (v1.0.0) - active');
  await run('enable one', 'Extension "one" successfully enabled for scope "user".');
  await run('list', 'one (v1.0.0) - active');

  await run('config one Region', 'already set');
  terminal.type('y\r');
  await read('Of the cloud');
  terminal.type('us\r');
  await read('Setting "Region" updated.');

  await workspace.write('one/gemini-extension.json', manifest('one', { version: '1.1.0', settings: SETTINGS }));
  await workspace.write('one/hooks/hooks.json', hooks('one is new'));
  await run('update one', 'one is new', 'Yes, I consent');
  terminal.type('2');
  await read('Extension "one" successfully updated: 1.0.0 → 1.1.0.');

  await workspace.write('../home/.gemini/extensions/one/commands/fly.toml', 'prompt = "Crash."');
  await run('reload', 'the extension one is not loaded; its files changed since you consented');
  await run('consent one', 'Yes, I consent');
  terminal.type('2');
  await read('Extension "one" has your consent from now on.');
  await run('explore', 'https://geminicli.com/extensions/');
  await run('uninstall --all', 'Extension "one" successfully uninstalled.');
  expect([folder('one'), folder('two')]).toEqual([false, false]);
});

it(
  'gives a theme and the folder of plans: the screen has its colours, plan mode writes there and nowhere else',
  { tags: 'wide' },
  async () => {
    const theme = { name: 'Sky', type: 'custom', text: { accent: '#010203' } };
    const plan = '# The plan\n\n1. Do it\n';
    await using opened = await openTerminal({
      rows: 40,
      settings: { ui: { theme: 'Sky (sky)' } },
      homeFiles: {
        '.gemini/extensions/sky/gemini-extension.json': manifest('sky', {
          themes: [theme],
          plan: { directory: 'notes/plans' },
        }),
      },
      env: { COLORTERM: 'truecolor' },
      args: ['--approval-mode', 'plan'],
      script: [
        call('write_file', { file_path: 'elsewhere.md', content: plan }),
        call('write_file', { file_path: 'notes/plans/plan.md', content: plan }),
        call('exit_plan_mode', { plan_filename: 'plan.md' }),
        say('Working on it.'),
      ],
    });
    const { terminal, workspace, model } = opened;
    expect(terminal.bytes).not.toContain('38;2;1;2;3');
    terminal.type('/extensions consent sky\r');
    await terminal.waitForText('Yes, I consent');
    terminal.type('2');
    await terminal.waitUntil(() => terminal.bytes.includes('38;2;1;2;3'));
    terminal.type('Plan it\r');
    await terminal.waitForText('Carry out this plan?');
    expect(terminal.screen()).toContain('1. Do it');
    expect(await workspace.read('notes/plans/plan.md')).toBe(plan);
    expect(existsSync(join(workspace.project, 'elsewhere.md'))).toBe(false);
    terminal.type('1');
    await terminal.waitForText('Working on it.');
    // The model is told where plans belong.
    expect(JSON.stringify(model.requests[0]?.body)).toContain('notes/plans');
  },
);
