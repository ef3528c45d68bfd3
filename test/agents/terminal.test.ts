/** Sub-agents in a terminal: their steps under their calls, questions with their names, Esc, acknowledgement. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, say } from '@castor/testkit';
import type { ModelRequest, Step } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { openTerminal, READY } from '../tui/open-terminal.ts';

const file = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}.${more}\n---\nYou are careful.\n`;
const invoke = (agent_name: string, id = 'p', prompt = 'Look.') => call('invoke_agent', { agent_name, prompt }, { id });
const complete = (result: string) => answer(call('complete_task', { result }, { id: 'done' }));
const look = (id: string) => answer(call('list_directory', { dir_path: '.' }, { id }));
const write = answer(call('write_file', { file_path: 'x.txt', content: 'hello\n' }, { id: 'w' }));

/** Each agent follows its own script; `main` is the session. */
function play(scripts: Readonly<Record<string, readonly Step[]>>) {
  const seen = new Map<string, number>();
  return (request: ModelRequest): Step => {
    const name = /You are the sub-agent ([\w-]+)\./.exec(JSON.stringify(request.body))?.[1] ?? 'main';
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return scripts[name]?.[count] ?? say(`No step ${count} for ${name}.`);
  };
}

const homeFiles = { '.gemini/agents/r.md': file('r'), '.gemini/agents/w.md': file('w') };

describe('sub-agents in a terminal', () => {
  it('show their steps under their calls and ask with their name; the answer reaches the one that asked', async () => {
    const gate = Promise.withResolvers<void>();
    const script = play({
      main: [answer(invoke('r', 'a', 'first task'), invoke('w', 'b', 'second task')), say('All done.')],
      r: [look('1'), async () => (await gate.promise, complete('Read it.'))],
      w: [write, complete('Wrote it.')],
    });
    await using opened = await openTerminal({ homeFiles, script, rows: 40 });
    const { terminal, workspace } = opened;
    terminal.type('go\r');
    await terminal.waitForText('Write x.txt · for w');
    await terminal.waitForText(/▸ Agent r · Listing \. · 1 call/);
    expect(existsSync(join(workspace.project, 'x.txt'))).toBe(false);
    terminal.type('\r');
    await terminal.waitForText('✓ Agent w: second task');
    expect(await workspace.read('x.txt')).toBe('hello\n');
    gate.resolve();
    await terminal.waitForText('All done.');
    await terminal.waitForText('Wrote it.');
    terminal.type('/quit\r');
    expect((await terminal.done).code).toBe(0);
  });

  it('that are declined go on, and Esc ends them with their parent', async () => {
    const script = play({
      main: [answer(invoke('w')), say('Never said.')],
      w: [write, () => new Promise<never>(() => undefined)],
    });
    await using opened = await openTerminal({ homeFiles, script, rows: 40 });
    const { terminal, workspace, model } = opened;
    terminal.type('go\r');
    await terminal.waitForText('Write x.txt · for w');
    terminal.type('4');
    await terminal.waitForText('refuses it without words');
    terminal.type('Use another name\r');
    await expect.poll(() => model.requests.length, { timeout: 30_000 }).toBe(3);
    expect(JSON.stringify(model.requests[2]?.body)).toContain('Use another name');
    terminal.type('\u001b');
    await terminal.waitForText('Request cancelled.');
    expect(existsSync(join(workspace.project, 'x.txt'))).toBe(false);
    expect(model.requests).toHaveLength(3);
  });

  it(
    'of a project are named with what they would run, and enabled by /agents acknowledge',
    { tags: 'wide' },
    async () => {
      const server = '{ command: node, args: [x.js], env: { KEY: $TOKEN } }';
      const files = { '.gemini/agents/p.md': file('p', `\nmcp_servers:\n  own: ${server}`) };
      const script = play({ main: [answer(invoke('p')), say('Done.')], p: [complete('Ran.')] });
      await using opened = await openTerminal({ files, script, rows: 40, columns: 120, args: ['--skip-trust'] });
      const { terminal } = opened;
      await terminal.waitForText('New Agents Discovered in this project, not enabled: p (MCP server own');
      terminal.type('/agents acknowledge\r');
      await terminal.waitForText('Enable these agents of the project?');
      await terminal.waitForText('MCP server own (local): node x.js; env KEY=$TOKEN');
      await terminal.waitForText('tools: all of the main agent');
      // No is the default.
      terminal.type('\r');
      await terminal.waitForText('The agents of this project stay disabled.');
      terminal.type('/agents acknowledge\r');
      await terminal.waitForText('2  Yes, I consent');
      terminal.type('2');
      await terminal.waitForText('Acknowledged and enabled: p.');
      terminal.type('/agents\r');
      await terminal.waitForText(/p \[project\] +Does p\./);
    },
  );

  it(
    'are configured by /agents config: each change holds at once, is saved, and goes back to the default',
    { tags: 'wide' },
    async () => {
      const script = play({
        main: [answer(invoke('r')), say('All done.')],
        r: [look('1'), look('2'), look('3'), complete('Read it.')],
      });
      await using opened = await openTerminal({ homeFiles, script, rows: 40, columns: 120 });
      const { terminal, workspace } = opened;
      const settings = async () => JSON.parse(await readFile(join(workspace.home, '.gemini/settings.json'), 'utf8'));
      terminal.type('/agents config r\r');
      await terminal.waitForText('Sub-agent r');
      await terminal.waitForText(/Max Turns +\d+/);
      terminal.type('8');
      await terminal.waitForText('Max Turns (empty: the default)');
      terminal.type('none\r');
      await terminal.waitForText('Expected a whole number above 0.');
      terminal.type('\u007f'.repeat(4));
      terminal.type('2\r');
      await terminal.waitForText(/Max Turns +2/);
      terminal.type('3');
      await terminal.waitForText('Temperature (empty: the default)');
      terminal.type('0.5\r');
      await terminal.waitForText(/Temperature +0\.5/);
      const generateContentConfig = { temperature: 0.5 };
      const override = { runConfig: { maxTurns: 2 }, modelConfig: { generateContentConfig } };
      expect(await settings()).toEqual({ agents: { overrides: { r: override } } });
      terminal.type('\u001b[3~');
      await terminal.waitForText(/Temperature +as the model has it/);
      terminal.type('\u001b');
      await terminal.waitForText(READY);
      terminal.type('go\r');
      // Its turns ended before its work did.
      await terminal.waitForText('All done.');
      await terminal.waitForText('Agent reached max turns limit (2).');
    },
  );
});
