/** A canary in the terminal UI: typed, printed by a command, kept in the history. It is on no request and in no file. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, say } from '@castor/testkit';
import { expect, it } from 'vitest';
import { openTerminal } from '../tui/open-terminal.ts';

/** Assembled, so that no scanner finds them here. */
const TYPED = `glpat-${'typedCanary12'.repeat(2)}`;
const PRINTED = `npm_${'printCanary0'.repeat(3)}`;
const SHELL = `ghp_${'shellCanary'.repeat(3)}012`;

function filesWith(folder: string, canaries: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => canaries.some((canary) => readFileSync(path).includes(canary)));
}

it('shows marks for what commands print, and keeps no secret of what was typed', async () => {
  await using env = await openTerminal({
    files: { 'print.sh': `echo the value is ${PRINTED}\n` },
    args: ['-y', '--skip-trust'],
    columns: 120,
    rows: 40,
    script: [answer(call('run_shell_command', { command: 'bash print.sh' })), say('first done'), say('second done')],
  });
  const { terminal, workspace, model } = env;
  terminal.type(`remember ${TYPED}\r`);
  await terminal.waitForText('first done');
  await terminal.waitForText('‹secret:npm-1›');
  expect(terminal.bytes.includes(PRINTED)).toBe(false);
  terminal.type(`!echo ${SHELL}\r`);
  // The user's own command on the user's own screen.
  await terminal.waitForText(`└ ${SHELL}`);
  terminal.type('go on\r');
  await terminal.waitForText('second done');
  terminal.type('/quit\r');
  await terminal.done;
  const sent = model.requests.map(({ body }) => JSON.stringify(body)).join('\n');
  expect([TYPED, PRINTED, SHELL].filter((canary) => sent.includes(canary))).toEqual([]);
  expect(sent).toContain('remember ‹secret:gitlab-1›');
  expect(filesWith(join(workspace.home, '.gemini'), [TYPED, PRINTED, SHELL])).toEqual([]);
  const history = filesWith(join(workspace.home, '.gemini'), ['remember ‹secret:gitlab-1›']);
  expect(history.some((path) => path.endsWith('logs.json'))).toBe(true);
});
