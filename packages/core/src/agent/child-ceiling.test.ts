/** A child is never allowed more than its parent: every mode, with and without a user, with rules for and against it. */

import { answer, call, createWorkspace, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ApprovalMode } from '../policy/approval-mode.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { agentFile, openSubagents } from './subagents.fixture.ts';
import type { SubagentOptions } from './subagents.fixture.ts';

type Verdict = 'ran' | 'asked' | 'denied';
const STRICTNESS: Readonly<Record<Verdict, number>> = { ran: 0, asked: 1, denied: 2 };

const CALLS = {
  read_file: { file_path: 'a.txt' },
  write_file: { file_path: 'new.txt', content: 'x' },
  run_shell_command: { command: 'touch made.txt' },
  web_fetch: { prompt: 'Read http://127.0.0.1:1/x' },
} as const;
type Tool = keyof typeof CALLS;

const AGENT = { '.gemini/agents/r.md': agentFile('name: r\ndescription: x\ntools: ["*"]') };

/** What becomes of a call of this tool by the session itself, or by its child. */
async function judge(who: 'parent' | 'child', tool: Tool, options: SubagentOptions): Promise<Verdict> {
  const step = answer(call(tool, { ...CALLS[tool] }, { id: 'it' }));
  const scripts =
    who === 'parent'
      ? { main: [step, say('ok')] }
      : {
          main: [answer(call('invoke_agent', { agent_name: 'r', prompt: 'x' }, { id: 'p' })), say('ok')],
          r: [step, answer(call('complete_task', { result: 'x' }, { id: 'd' }))],
        };
  await using workspace = await createWorkspace({
    files: { 'a.txt': 'a' },
    homeFiles: { ...AGENT, ...options.homeFiles },
  });
  await using env = await openSubagents(scripts, { ...options, workspace });
  let isAsked = false;
  const isIt = (event: AgentEvent) => (who === 'child') === (event.parentCallId !== undefined);
  const events = await env.ask('go', (event) => {
    if (event.type !== 'tool_call_confirmation') return;
    isAsked ||= event.value.request.callId === 'it';
    env.agent.session.respond(event.value.request.callId, 'cancel', undefined, event);
  });
  if (isAsked) return 'asked';
  const responses = events.filter((event) => event.type === 'tool_call_response' && isIt(event));
  const own = responses.find((event) => event.type === 'tool_call_response' && event.value.callId === 'it');
  if (own?.type !== 'tool_call_response') return 'denied';
  const { error } = own.value;
  return error !== undefined && /denied|not available|not found|Plan|unauthorized/i.test(error.message)
    ? 'denied'
    : 'ran';
}

const MODES: ApprovalMode[] = ['default', 'autoEdit', 'yolo', 'plan'];
const CASES = MODES.flatMap((mode) =>
  [true, false].flatMap((interactive) =>
    (Object.keys(CALLS) as Tool[]).map((tool) => [mode, interactive ? 'a user' : 'no user', tool] as const),
  ),
);

describe('a child', () => {
  it.each(CASES)('in the mode %s with %s is allowed no more than its parent: %s', async (approvalMode, user, tool) => {
    const options = { approvalMode, interactive: user === 'a user' };
    const parent = await judge('parent', tool, options);
    const child = await judge('child', tool, options);
    expect(STRICTNESS[child], `the child: ${child}, its parent: ${parent}`).toBeGreaterThanOrEqual(STRICTNESS[parent]);
    // Reading is possible for both, so that the comparison means something; a plan allows no agent of the user.
    if (tool === 'read_file' && approvalMode !== 'plan') expect(child).toBe('ran');
  });

  it.each<[string, string, Tool, Verdict]>([
    ['a rule that allows it to the child only', 'decision = "allow"\nsubagent = "r"', 'write_file', 'asked'],
    ['a rule that denies it to the child only', 'decision = "deny"\nsubagent = "r"', 'read_file', 'denied'],
    ['a rule that asks the child only', 'decision = "ask_user"\nsubagent = "r"', 'read_file', 'asked'],
    ['a rule that denies it to all', 'decision = "deny"', 'read_file', 'denied'],
    ['a rule that allows it to all', 'decision = "allow"', 'write_file', 'ran'],
    ['a rule for another agent', 'decision = "deny"\nsubagent = "other"', 'read_file', 'ran'],
  ])('obeys %s', async (_what, rule, tool, expected) => {
    const policy = `[[rule]]\ntoolName = "${tool}"\n${rule}\npriority = 100\n`;
    expect(await judge('child', tool, { homeFiles: { '.gemini/policies/p.toml': policy } })).toBe(expected);
  });

  it.each<[string, SubagentOptions]>([
    ['excluded by the settings', { rules: { exclude: ['read_file'] } } as SubagentOptions],
    [
      'excluded with a prefix',
      { rules: { exclude: ['run_shell_command(touch)'] }, approvalMode: 'yolo' } as SubagentOptions,
    ],
  ])('cannot use a tool that is %s', async (what, options) => {
    const tool = what.includes('prefix') ? 'run_shell_command' : 'read_file';
    expect(await judge('child', tool, options)).toBe('denied');
  });

  it('cannot be freed by the keys of other programs in its file', async () => {
    const file = agentFile(
      'name: r\ndescription: x\npermissionMode: bypassPermissions\nallowed-tools: Bash\ntools: "*"',
    );
    expect(await judge('child', 'run_shell_command', { homeFiles: { '.gemini/agents/r.md': file } })).toBe('asked');
  });
});
