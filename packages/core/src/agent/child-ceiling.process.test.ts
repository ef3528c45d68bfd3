/** A child is never allowed more than its parent: every mode, with and without a user, with rules for and against it. */

import { answer, call, createWorkspace, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ApprovalMode } from '../policy/approval-mode.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { agentFile, openSubagents } from './subagents.fixture.ts';
import type { Scripts, SubagentOptions, Subagents } from './subagents.fixture.ts';
import { variants } from '../../../../test/house/variants.ts';

type Verdict = 'ran' | 'asked' | 'denied';
const STRICTNESS: Readonly<Record<Verdict, number>> = { ran: 0, asked: 1, denied: 2 };

const CALLS = {
  read_file: { file_path: 'a.txt' },
  write_file: { file_path: 'new.txt', content: 'x' },
  run_shell_command: { command: 'touch made.txt' },
  web_fetch: { prompt: 'Read http://127.0.0.1:1/x' },
} as const;
type Tool = keyof typeof CALLS;
const TOOLS = Object.keys(CALLS) as Tool[];

const AGENT = { '.gemini/agents/r.md': agentFile('name: r\ndescription: x\ntools: ["*"]') };

type Who = 'parent' | 'child';

function scriptsOf(who: Who, tool: Tool): Scripts {
  const step = answer(call(tool, { ...CALLS[tool] }, { id: tool }));
  if (who === 'parent') return { main: [step, say('ok')] };
  return {
    main: [answer(call('invoke_agent', { agent_name: 'r', prompt: 'x' }, { id: `p-${tool}` })), say('ok')],
    r: [step, answer(call('complete_task', { result: 'x' }, { id: `d-${tool}` }))],
  };
}

/** What becomes of calls of these tools by the session itself, or by its child: a prompt for each. */
async function judgeAll(who: Who, tools: readonly Tool[], options: SubagentOptions): Promise<Map<Tool, Verdict>> {
  await using workspace = await createWorkspace({
    files: { 'a.txt': 'a' },
    homeFiles: { ...AGENT, ...options.homeFiles },
  });
  await using env = await openSubagents({}, { ...options, workspace });
  const verdicts = new Map<Tool, Verdict>();
  for (const tool of tools) {
    env.play(scriptsOf(who, tool));
    verdicts.set(tool, await judgeCall(who, tool, env));
  }
  return verdicts;
}

async function judge(who: Who, tool: Tool, options: SubagentOptions): Promise<Verdict | undefined> {
  return (await judgeAll(who, [tool], options)).get(tool);
}

async function judgeCall(who: Who, tool: Tool, env: Subagents): Promise<Verdict> {
  let isAsked = false;
  const isIt = (event: AgentEvent) => (who === 'child') === (event.parentCallId !== undefined);
  const events = await env.ask('go', (event) => {
    if (event.type !== 'tool_call_confirmation') return;
    isAsked ||= event.value.request.callId === tool;
    env.agent.session.respond(event.value.request.callId, 'cancel', undefined, event);
  });
  if (isAsked) return 'asked';
  const responses = events.filter((event) => event.type === 'tool_call_response' && isIt(event));
  const own = responses.find((event) => event.type === 'tool_call_response' && event.value.callId === tool);
  if (own?.type !== 'tool_call_response') return 'denied';
  const { error } = own.value;
  return error !== undefined && /denied|not available|not found|Plan|unauthorized/i.test(error.message)
    ? 'denied'
    : 'ran';
}

const MODES: ApprovalMode[] = ['default', 'autoEdit', 'yolo', 'plan'];
const CASES = MODES.flatMap((mode, index) =>
  ['a user', 'no user'].map((user, place) => ({
    mode,
    user,
    tags: index % 4 === place * 2 ? [] : (['wide'] as const),
  })),
);

const judged = new Map<string, Promise<Map<Tool, Verdict>>>();

/** One agent for all tools of a mode: to open it costs more than its prompts. */
function judgeMode(who: Who, approvalMode: ApprovalMode, interactive: boolean): Promise<Map<Tool, Verdict>> {
  const key = [who, approvalMode, interactive].join(' ');
  const verdicts = judged.get(key) ?? judgeAll(who, TOOLS, { approvalMode, interactive });
  judged.set(key, verdicts);
  return verdicts;
}

describe('a child', () => {
  for (const { mode, user, tags } of CASES)
    it.each(TOOLS)(
      `in the mode ${mode} with ${user} is allowed no more than its parent: %s`,
      { tags: [...tags] },
      async (tool) => {
        const parent = (await judgeMode('parent', mode, user === 'a user')).get(tool)!;
        const child = (await judgeMode('child', mode, user === 'a user')).get(tool)!;
        const words = `the child: ${child}, its parent: ${parent}`;
        expect(STRICTNESS[child], words).toBeGreaterThanOrEqual(STRICTNESS[parent]);
        // Reading is possible for both, so that the comparison means something; a plan allows no agent of the user.
        if (tool === 'read_file' && mode !== 'plan') expect(child).toBe('ran');
      },
    );

  variants.each<[string, string, Tool, Verdict]>([
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
