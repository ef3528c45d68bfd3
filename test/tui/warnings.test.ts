/** What the user should know at the start: one block, and no warning twice. */

import { say } from '@castor/testkit';
import { expect, it } from 'vitest';
import { READY, openTerminal } from './open-terminal.ts';

const isWarning = (line: string) => line.startsWith('! ');

it('warnings of the start stand together, and a failed import is told once in a run', async () => {
  await using opened = await openTerminal({
    script: [say('ok')],
    files: { 'GEMINI.md': 'See @./missing.md\n' },
    homeFiles: {
      '.gemini/settings.json': '{"ui": {"theme": [7], "hideBanner": "maybe"}}',
      '.gemini/keybindings.json':
        '[{"command": "edit.undoo", "key": "f5"}, {"command": "edit.undo", "key": "hyper+x"}]',
    },
    rows: 40,
    columns: 160,
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  });
  const { terminal } = opened;
  await terminal.waitForText('missing.md was not imported');
  await terminal.waitForText('edit.undoo');
  terminal.type('hi\r');
  await terminal.waitForText(/^ok$/m);
  await terminal.waitForText(READY);
  const lines = terminal.lines();
  const [first, last] = [lines.findIndex(isWarning), lines.findLastIndex(isWarning)];
  const block = lines.slice(first, last + 1);
  expect(block.filter(isWarning).length).toBeGreaterThan(3);
  expect(block).not.toContain('');
  const run = async (words: string, expected: RegExp) => {
    terminal.type(words);
    await terminal.waitForText(`❯ ${words}`);
    terminal.type('\r');
    await terminal.waitForText(expected);
    await terminal.waitForText(READY);
  };
  await run('/chat save here', /^ +└ .*here/m);
  await run('/chat resume here', /^❯ \/chat resume here[^]*^ok$/m);
  await run('again', /^❯ again[^]*^ok$/m);
  const told = terminal.lines().filter((line) => line.includes('missing.md was not imported'));
  expect(told).toHaveLength(1);
});
