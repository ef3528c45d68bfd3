import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace, fakeModel, say, startTerminal } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

describe('the terminal UI with hooks', () => {
  it('begins and ends a session on start, /clear and exit, and shows what hooks say', async () => {
    const output = { systemMessage: 'the hook spoke', hookSpecificOutput: { additionalContext: 'be brief' } };
    const command = `(cat; echo) >> "$GEMINI_CWD/log"; echo '${JSON.stringify(output)}'`;
    const hooks = [{ hooks: [{ type: 'command', command }] }];
    const settings = JSON.stringify({ hooks: { SessionStart: hooks, SessionEnd: hooks } });
    await using workspace = await createWorkspace({ homeFiles: { '.gemini/settings.json': settings } });
    await using model = await fakeModel([say('an answer')]);
    const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    await using terminal = await startTerminal([], { workspace, model, env });
    await terminal.waitForText('the hook spoke');
    terminal.type('hello\r');
    await terminal.waitForText('an answer');
    terminal.type('/clear\r');
    await terminal.waitForText('A new conversation has begun.');
    terminal.type('/quit\r');
    expect((await terminal.done).code).toBe(0);
    const lines = readFileSync(join(workspace.project, 'log'), 'utf8').trim().split('\n');
    const fired = lines.map((line) => JSON.parse(line) as Record<string, string>);
    expect(fired.map(({ hook_event_name, source, reason }) => [hook_event_name, source ?? reason])).toEqual([
      ['SessionStart', 'startup'],
      ['SessionEnd', 'clear'],
      ['SessionStart', 'clear'],
      ['SessionEnd', 'exit'],
    ]);
    const [{ parts }] = model.requests[0]?.body.contents as [{ parts: { text: string }[] }];
    expect(parts.slice(1)).toEqual([{ text: '<hook_context>be brief</hook_context>' }, { text: 'hello' }]);
  });
});
