/** What a session in a sandbox leaves in the audit log: who allowed each call, under which bounds, for which sub-agent. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { openAudit } from '../audit/open-audit.ts';
import { readAuditLines, verifyAudit } from '../audit/read-log.ts';
import { reasonToSkip } from '../sandbox/sandbox.fixture.ts';
import { agentFile, openSubagents } from './subagents.fixture.ts';

const reason = await reasonToSkip();
const command = (line: string, id: string) => answer(call('run_shell_command', { command: line }, { id }));

describe.skipIf(reason !== undefined)(`a decision${reason === undefined ? '' : `: skipped, ${reason}`}`, () => {
  it('is recorded with its approver, its bounds and its sub-agent, a grant with its answer', async () => {
    await using workspace = await createWorkspace({
      files: { '.git/config': '', '.git/hooks/a.sample': '' },
      homeFiles: { 'other/a': '', '.gemini/agents/r.md': agentFile('name: r\ndescription: x\ntools: ["*"]') },
    });
    const audit = await openAudit({ home: workspace.home, onProblem: (message) => expect(message).toBe('') });
    {
      await using env = await openSubagents(
        {
          main: [
            command('true', 'c0'),
            command('echo x > "$HOME/other/made"', 'c1'),
            answer(call('invoke_agent', { agent_name: 'r', prompt: 'Look.' }, { id: 'p' })),
            say('ok'),
          ],
          r: [
            command('echo x > .git/hooks/pre-commit', 'c2'),
            command('true', 'c3'),
            answer(call('complete_task', { result: 'done' }, { id: 'd' })),
          ],
        },
        {
          ...{ workspace, audit, approvalMode: 'autoEdit', sandbox: {}, undo: 'off' },
          toolSettings: { interactiveShell: false },
          mcp: { layers: [], ask: async () => ({ action: 'accept', content: { answer: 'session' } }) },
        },
      );
      await env.ask('go', (event) => {
        if (event.type === 'tool_call_confirmation')
          env.agent.session.respond(event.value.request.callId, 'cancel', undefined, event);
      });
    }
    await audit.close();
    const lines = [...readAuditLines(workspace.home)].map(({ line }) => line as unknown as Record<string, unknown>);
    const decided = lines.flatMap(({ kind, tool, agent, approver, decision, profile, grants }) =>
      kind === 'decision' && tool === 'run_shell_command' ? [{ agent, approver, decision, profile, grants }] : [],
    );
    const bounds = { profile: 'workspace-write', grants: [] as string[] };
    const opened = { ...bounds, grants: [`write ${join(workspace.home, 'other')}`] };
    expect(decided).toEqual([
      { agent: undefined, approver: 'sandbox', decision: 'allow', ...bounds },
      { agent: undefined, approver: 'sandbox', decision: 'allow', ...bounds },
      { agent: 'r', approver: 'user', decision: 'deny', ...opened },
      { agent: 'r', approver: 'sandbox', decision: 'allow', ...opened },
    ]);
    expect(lines.filter(({ kind }) => kind === 'grant')).toEqual([
      expect.objectContaining({ what: `write ${join(workspace.home, 'other')}`, answer: 'session' }),
    ]);
    expect(verifyAudit(workspace.home).isIntact).toBe(true);
    expect(existsSync(join(workspace.project, '.git/hooks/pre-commit'))).toBe(false);
  });
});
