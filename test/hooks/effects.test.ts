/**
 * Each event and what a hook can do at it, at the wire: real scripts run by bash, real
 * HTTP to a scripted model, and both ends compared.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '@castor/core';
import { answer, call, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { lastTexts, openHooked, says, summaryOf, toldOf, userHooks } from './hook-fixture.ts';
import { variants } from '../house/variants.ts';

const specific = (hookSpecificOutput: object, rest: object = {}) => says({ hookSpecificOutput, ...rest });
const messagesOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'hook_message' ? [[event.hookEvent, event.level, event.message]] : []));
const run = (args: object) => answer(call('run_shell_command', args as Record<string, unknown>, { id: '1' }));
const BASE = {
  session_id: 'session',
  transcript_path: '',
  cwd: expect.any(String),
  timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
};

describe('BeforeAgent', () => {
  it('is told the prompt and adds context to it, once for a prompt with calls', async () => {
    const hook = specific({ additionalContext: 'mind the <gap>' });
    await using env = await openHooked([run({ command: 'true' }), say('ok')], [userHooks({ BeforeAgent: hook })]);
    expect(summaryOf(await env.prompt('hello'))).toEqual({ text: 'ok', outcome: 'completed' });
    expect(lastTexts(env.model)).toEqual([
      expect.any(String),
      'hello',
      '<hook_context>mind the &lt;gap&gt;</hook_context>',
    ]);
    expect(env.log()).toEqual([{ ...BASE, hook_event_name: 'BeforeAgent', prompt: 'hello' }]);
  });

  variants.each<[string, object, object, boolean]>([
    ['stops', { continue: false, stopReason: 'not now' }, { outcome: 'stopped', detail: 'not now' }, true],
    ['blocks', { decision: 'block', reason: 'no' }, { outcome: 'blocked', detail: 'no' }, false],
    ['blocks without a reason', { decision: 'deny' }, { outcome: 'blocked', detail: 'No reason provided' }, false],
  ])('%s the prompt before any request', async (_, output, expected, isKept) => {
    await using env = await openHooked([], [userHooks({ BeforeAgent: says(output) })]);
    const before = env.agent.chat.getHistoryLength();
    expect(summaryOf(await env.prompt('hello'))).toEqual({ text: '', ...expected });
    expect([env.model.requests.length, env.agent.chat.getHistoryLength() > before]).toEqual([0, isKept]);
  });
});

describe('BeforeAgent hooks in a row', () => {
  it('are told the prompt with what the one before added', async () => {
    const hooks = [specific({ additionalContext: 'one' }), specific({ additionalContext: 'two' }), `${says()}\n: last`];
    await using env = await openHooked([say('ok')], [userHooks({ BeforeAgent: hooks }, { sequential: true })]);
    await env.prompt('hello');
    expect(env.log().map(({ prompt }) => prompt)).toEqual(['hello', 'hello\n\none', 'hello\n\none\n\ntwo']);
    expect(lastTexts(env.model).slice(-2)).toEqual(['hello', '<hook_context>one\ntwo</hook_context>']);
  });
});

describe('AfterAgent', () => {
  it('is told the answer, once, when the prompt is done', async () => {
    const script = [run({ command: 'true' }), say('ok')];
    await using env = await openHooked(script, [userHooks({ AfterAgent: says() })]);
    await env.prompt('hello');
    const payload = { prompt: 'hello', prompt_response: 'ok', stop_hook_active: false };
    expect(env.log()).toEqual([{ ...BASE, hook_event_name: 'AfterAgent', ...payload }]);
  });

  it('sends the model back to work, and knows that it did', async () => {
    const hook = `input=$(cat); case $input in *'"stop_hook_active":true'*) ;; *) echo '{"decision":"block","reason":"add tests"}';; esac`;
    await using env = await openHooked([say('done'), say('tested')], [userHooks({ AfterAgent: hook })]);
    const events = await env.prompt('hello');
    expect(summaryOf(events)).toEqual({ text: 'donetested', outcome: 'completed' });
    expect(events.filter(({ type }) => type === 'agent_execution_blocked')).toEqual([
      { type: 'agent_execution_blocked', value: { reason: 'add tests', hook: 'AfterAgent' } },
    ]);
    expect(lastTexts(env.model, 1)).toEqual(['add tests']);
  });

  it('sends the model back to work without the conversation so far', async () => {
    const fields = { hookSpecificOutput: { clearContext: true } };
    const output = JSON.stringify({ decision: 'block', reason: 'begin anew', ...fields });
    const hook = `case $(cat) in *'"stop_hook_active":true'*) ;; *) echo '${output}';; esac`;
    await using env = await openHooked([say('done'), say('anew')], [userHooks({ AfterAgent: hook })]);
    const events = await env.prompt('hello');
    expect(summaryOf(events)).toEqual({ text: 'doneanew', outcome: 'completed' });
    expect(events.find(({ type }) => type === 'agent_execution_blocked')).toEqual({
      type: 'agent_execution_blocked',
      value: { hook: 'AfterAgent', reason: 'begin anew', contextCleared: true },
    });
    expect(JSON.stringify(env.model.requests[1]?.body.contents)).not.toMatch(/hello|done/);
    expect(lastTexts(env.model, 1).at(-1)).toBe('begin anew');
  });

  it('stops with a message, and clears the conversation', async () => {
    const hook = specific({ clearContext: true }, { continue: false, stopReason: 'over', systemMessage: 'bye' });
    await using env = await openHooked([say('done')], [userHooks({ AfterAgent: hook })]);
    const events = await env.prompt('hello');
    expect(summaryOf(events)).toEqual({ text: 'done', outcome: 'stopped', detail: 'over' });
    expect(events.find(({ type }) => type === 'agent_execution_stopped')).toEqual({
      type: 'agent_execution_stopped',
      value: { hook: 'AfterAgent', reason: 'over', systemMessage: 'bye', contextCleared: true },
    });
    expect(messagesOf(events)).toEqual([]);
    // Where the session works is said again; the words are gone.
    expect(env.agent.chat.getHistory()).toEqual([
      { role: 'user', parts: [{ text: expect.stringContaining('<session_context>') }] },
    ]);
  });
});

describe('BeforeModel', () => {
  it('replaces model, settings and words of the request', async () => {
    const change = { model: 'gemini-2.5-pro', config: { temperature: 0.25 }, messages: [{ content: 'HELLO' }] };
    await using env = await openHooked([say('ok')], [userHooks({ BeforeModel: specific({ llm_request: change }) })]);
    await env.prompt('hello');
    const { body, model } = env.model.requests[0] ?? {};
    expect([model, body.generationConfig.temperature, lastTexts(env.model)]).toEqual([
      'gemini-2.5-pro',
      0.25,
      ['HELLO'],
    ]);
  });

  it('is told the words and the numbers of the request', async () => {
    await using env = await openHooked([say('ok')], [userHooks({ BeforeModel: says() })]);
    await env.prompt('hello');
    expect(env.log()).toEqual([
      {
        ...BASE,
        hook_event_name: 'BeforeModel',
        llm_request: {
          model: 'gemini-2.5-flash',
          messages: [{ role: 'user', content: expect.stringMatching(/hello$/) }],
          config: expect.objectContaining({ temperature: expect.any(Number) }),
        },
      },
    ]);
  });

  variants.each<[string, object, object, string[]]>([
    [
      'stops the prompt',
      { continue: false },
      { text: '', outcome: 'stopped', detail: 'No reason provided' },
      ['agent_execution_stopped'],
    ],
    [
      'blocks the request',
      { decision: 'deny', reason: 'no' },
      { text: '', outcome: 'blocked', detail: 'no' },
      ['agent_execution_blocked'],
    ],
    [
      'blocks the request with words of its own',
      {
        decision: 'block',
        reason: 'known',
        hookSpecificOutput: {
          llm_response: { candidates: [{ content: { role: 'model', parts: ['from the cache'] } }] },
        },
      },
      { text: 'from the cache', outcome: 'completed' },
      ['agent_execution_blocked', 'content', 'finished'],
    ],
  ])('%s', async (_, output, expected, types) => {
    await using env = await openHooked([], [userHooks({ BeforeModel: says(output) })]);
    const events = await env.prompt('hello');
    expect(summaryOf(events)).toEqual(expected);
    expect(events.map(({ type }) => type as string)).toEqual([
      'prompt_started',
      'model_info',
      ...types,
      'prompt_ended',
    ]);
    expect(env.model.requests.length).toBe(0);
  });

  it('answers in the place of the model, which remembers it', async () => {
    const answered = `case $(cat) in *again*) ;; *) echo '{"hookSpecificOutput":{"llm_response":{"text":"from the cache"}}}';; esac`;
    await using env = await openHooked([say('fresh')], [userHooks({ BeforeModel: answered })]);
    expect(summaryOf(await env.prompt('hello'))).toEqual({ text: 'from the cache', outcome: 'completed' });
    expect(env.model.requests.length).toBe(0);
    expect(summaryOf(await env.prompt('again'))).toEqual({ text: 'fresh', outcome: 'completed' });
    expect(env.model.requests[0]?.body.contents.at(-2)).toEqual({ role: 'model', parts: [{ text: 'from the cache' }] });
  });

  variants.each([true, false])('changes what another hook has not mentioned, in a row: %j', async (sequential) => {
    const changes = [{ config: { temperature: 0.25 } }, { config: { topK: 7 } }, { model: 'gemini-2.5-pro' }];
    const hooks = changes.map((llm_request) => specific({ llm_request }));
    await using env = await openHooked([say('ok')], [userHooks({ BeforeModel: hooks }, { sequential })]);
    await env.prompt('hello');
    const { body, model } = env.model.requests[0] ?? {};
    const { temperature, topK } = body.generationConfig;
    expect([model, temperature, topK]).toEqual(['gemini-2.5-pro', 0.25, 7]);
    const told = env.log().map(({ llm_request }) => (llm_request as { config: object }).config);
    expect(told[2]).toEqual({ ...told[0], ...(sequential && { temperature: 0.25, topK: 7 }) });
  });

  it('cannot make a request the service would refuse', async () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'model', content: 'b' },
    ];
    await using env = await openHooked(
      [say('ok')],
      [userHooks({ BeforeModel: specific({ llm_request: { messages } }) })],
    );
    const events = await env.prompt('hello');
    expect(summaryOf(events)).toEqual({ text: 'ok', outcome: 'completed' });
    expect(messagesOf(events)).toEqual([
      [
        'BeforeModel',
        'warning',
        expect.stringMatching(/^The request of a BeforeModel hook is invalid and was ignored: .*last turn/),
      ],
    ]);
  });
});

describe('AfterModel', () => {
  const replaced = { llm_response: { candidates: [{ content: { role: 'model', parts: ['***'] } }] } };

  it('is told the words of the answer and shows others; the model remembers its own', async () => {
    await using env = await openHooked([say('secret')], [userHooks({ AfterModel: specific(replaced) })]);
    expect(summaryOf(await env.prompt('hello'))).toEqual({ text: '***', outcome: 'completed' });
    expect(env.agent.chat.getLastContent()).toEqual({ role: 'model', parts: [{ text: 'secret' }] });
    expect(env.log()[0]).toMatchObject({
      hook_event_name: 'AfterModel',
      llm_request: { model: 'gemini-2.5-flash' },
      llm_response: { text: 'secret', candidates: [{ content: { role: 'model', parts: ['secret'] } }] },
    });
  });

  variants.each<[string, object, object]>([
    ['stops', { continue: false, reason: 'enough' }, { text: '', outcome: 'stopped', detail: 'enough' }],
    ['blocks', { decision: 'block', reason: 'no' }, { text: '', outcome: 'blocked', detail: 'no' }],
    [
      'blocks with other words',
      { decision: 'block', reason: 'no', hookSpecificOutput: replaced },
      { text: '***', outcome: 'completed' },
    ],
  ])('%s, and what it stopped at is not shown', async (_, output, expected) => {
    await using env = await openHooked([say('secret')], [userHooks({ AfterModel: says(output) })]);
    expect(summaryOf(await env.prompt('hello'))).toEqual(expected);
  });

  it('keeps the calls of an answer whose words it replaces', async () => {
    await using env = await openHooked(
      [answer(call('read_file', { file_path: 'a.txt' }, { id: '1' })), say('done')],
      [userHooks({ AfterModel: specific(replaced) })],
    );
    await env.prompt('hello');
    expect(toldOf(env.model)).toEqual([{ output: 'text of a' }]);
  });

  it('looks at an answer of 2,000 frames without a process for each', async () => {
    const frames = Array.from({ length: 2000 }, (_, index) => `${index} `);
    await using env = await openHooked([say(frames)], [userHooks({ AfterModel: 'echo >> "$GEMINI_CWD/runs"' })]);
    const { text } = summaryOf(await env.prompt('hello'));
    const runs = (await env.workspace.read('runs')).length;
    expect([text, runs > 0, runs < 500]).toEqual([frames.join(''), true, true]);
  });
});

describe('BeforeToolSelection', () => {
  const config = async (...toolConfigs: object[]) => {
    const hooks = toolConfigs.map((toolConfig, index) => `${specific({ toolConfig })}\n: ${index}`);
    await using env = await openHooked([say('ok')], [userHooks({ BeforeToolSelection: hooks })]);
    await env.prompt('hello');
    const { toolConfig, tools } = env.model.requests[0]?.body ?? {};
    const names = tools.flatMap((tool: { functionDeclarations: { name: string }[] }) =>
      tool.functionDeclarations.map(({ name }) => name),
    ) as string[];
    return { chosen: toolConfig?.functionCallingConfig, names };
  };

  it('chooses mode and names, of several hooks the narrowest', async () => {
    const { chosen, names } = await config(
      { mode: 'ANY', allowedFunctionNames: ['read_file', 'nonsense'] },
      { mode: 'AUTO', allowedFunctionNames: ['glob'] },
    );
    expect([new Set(chosen.allowedFunctionNames), chosen.mode]).toEqual([new Set(['glob', 'read_file']), 'ANY']);
    expect(names.length).toBeGreaterThan(2);
    expect((await config({ mode: 'ANY' }, { mode: 'NONE' })).chosen).toEqual({ mode: 'NONE' });
    expect((await config({ mode: 'ANY', allowedFunctionNames: ['nonsense'] })).chosen).toEqual({ mode: 'NONE' });
  });

  it('offers no other tools when the model may choose among some', async () => {
    const { chosen, names } = await config({ mode: 'AUTO', allowedFunctionNames: ['read_file', 'glob'] });
    expect([chosen, new Set(names)]).toEqual([{ mode: 'AUTO' }, new Set(['read_file', 'glob'])]);
  });
});

describe('BeforeTool', () => {
  const command = { command: 'touch made' };
  const openTool = (hook: string | string[], options = {}) =>
    openHooked([run(command), say('done')], [userHooks({ BeforeTool: hook }, { matcher: 'shell' })], options);

  it('is told the tool and its input, and lets it run when it says nothing', async () => {
    await using env = await openTool(says());
    await env.prompt('hello');
    const payload = { tool_name: 'run_shell_command', tool_input: command };
    expect(env.log()).toEqual([{ ...BASE, hook_event_name: 'BeforeTool', ...payload }]);
    expect(existsSync(join(env.workspace.project, 'made'))).toBe(true);
  });

  variants.each<[string, string[], object, string]>([
    [
      'denies',
      [says({ decision: 'deny', reason: 'not here' })],
      { outcome: 'completed', text: 'done' },
      'Tool execution blocked: not here',
    ],
    [
      'denies by exit code',
      ['echo "not here" >&2; exit 2'],
      { outcome: 'completed', text: 'done' },
      'Tool execution blocked: not here',
    ],
    [
      'denies whoever else allows',
      [
        says({ decision: 'allow' }),
        says({ decision: 'deny', reason: 'a' }),
        says({ decision: 'ask' }),
        says({ decision: 'block', reason: 'b' }),
      ],
      { outcome: 'completed', text: 'done' },
      'Tool execution blocked: a\nb',
    ],
  ])('%s, and the model reads why', async (_, hooks, expected, error) => {
    await using env = await openTool(hooks);
    expect(summaryOf(await env.prompt('hello'))).toEqual(expected);
    expect([toldOf(env.model), existsSync(join(env.workspace.project, 'made'))]).toEqual([[{ error }], false]);
  });

  variants.each(
    [
      'allow ask deny',
      'allow deny ask',
      'ask allow deny',
      'ask deny allow',
      'deny allow ask',
      'deny ask allow',
    ].flatMap((order) => [
      [order, false],
      [order, true],
    ]) as [string, boolean][],
  )('denies when they say %s, in a row: %j', async (order, sequential) => {
    const hooks = order.split(' ').map((decision) => says({ decision, reason: `${decision} it` }));
    await using env = await openHooked(
      [run(command), say('done')],
      [userHooks({ BeforeTool: hooks }, { sequential })],
      { interactive: true },
    );
    const events = await env.prompt('hello');
    expect(toldOf(env.model)).toEqual([{ error: 'Tool execution blocked: deny it' }]);
    expect([env.log().length, events.some(({ type }) => type === 'tool_call_confirmation')]).toEqual([3, false]);
  });

  it('stops the prompt', async () => {
    await using env = await openTool(says({ continue: false, stopReason: 'enough' }));
    expect(summaryOf(await env.prompt('hello'))).toEqual({
      text: '',
      outcome: 'stopped',
      detail: 'Agent execution stopped by hook: enough',
    });
    expect(existsSync(join(env.workspace.project, 'made'))).toBe(false);
  });

  variants.each(['proceed_once', 'cancel'] as const)('asks even in yolo, and %s counts', async (outcome) => {
    await using env = await openTool(says({ decision: 'ask', systemMessage: 'look twice' }), { interactive: true });
    const events = await env.prompt('hello', (event) => {
      if (event.type === 'tool_call_confirmation') env.agent.session.respond('1', outcome);
    });
    const types = events.map(({ type }) => type as string);
    expect(messagesOf(events)).toEqual([['BeforeTool', 'info', 'look twice']]);
    expect(types.indexOf('hook_message')).toBeLessThan(types.indexOf('tool_call_confirmation'));
    expect(existsSync(join(env.workspace.project, 'made'))).toBe(outcome === 'proceed_once');
  });

  it('asks no user where there is none: the call does not run', async () => {
    await using env = await openTool(says({ decision: 'ask' }));
    await env.prompt('hello');
    expect(toldOf(env.model)).toEqual([{ error: expect.stringContaining('needs an approval') }]);
    expect(existsSync(join(env.workspace.project, 'made'))).toBe(false);
  });

  it('replaces the input, and the model reads that it did', async () => {
    await using env = await openTool(specific({ tool_input: { command: 'touch other' } }));
    await env.prompt('hello');
    const made = ['made', 'other'].map((name) => existsSync(join(env.workspace.project, name)));
    expect(made).toEqual([false, true]);
    expect(JSON.stringify(toldOf(env.model))).toContain('[System] Tool input parameters were modified by a hook');
  });

  variants.each<[string, object, string]>([
    ['an input the tool does not take', { cmd: 'x' }, 'command'],
    ['a command the policy denies', { command: 'rm -rf /' }, 'denied by policy'],
  ])('does not get past the checks with %s', async (_, tool_input, words) => {
    const hook = specific({ tool_input }, { decision: 'allow' });
    const toml = '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm"\ndecision = "deny"\npriority = 100\n';
    await using env = await openHooked([run(command), say('done')], [userHooks({ BeforeTool: hook })], {
      homeFiles: { '.gemini/policies/p.toml': toml },
    });
    await env.prompt('hello');
    expect(toldOf(env.model)).toEqual([{ error: expect.stringContaining(words) }]);
  });

  it('feeds one hook’s input to the next when they run in a row', async () => {
    const hooks = [specific({ tool_input: { command: 'touch other' } }), says()];
    await using env = await openHooked(
      [run(command), say('done')],
      [userHooks({ BeforeTool: hooks }, { sequential: true })],
    );
    await env.prompt('hello');
    expect(env.log().map((input) => input['tool_input'])).toEqual([command, { command: 'touch other' }]);
  });
});

describe('AfterTool', () => {
  const read = [answer(call('read_file', { file_path: 'a.txt' }, { id: '1' })), say('done')];

  it('is told what came of the call and adds context to it', async () => {
    const hook = specific({ additionalContext: 'it is <old>' });
    await using env = await openHooked(read, [userHooks({ AfterTool: hook })]);
    await env.prompt('hello');
    expect(toldOf(env.model)).toEqual([{ output: 'text of a\n\n<hook_context>it is &lt;old&gt;</hook_context>' }]);
    expect(env.log()).toEqual([
      {
        ...BASE,
        hook_event_name: 'AfterTool',
        tool_name: 'read_file',
        tool_input: { file_path: 'a.txt' },
        tool_response: { llmContent: 'text of a', returnDisplay: expect.anything() },
      },
    ]);
  });

  it('hands the call on to another tool, which answers in its name', async () => {
    const tail = { tailToolCallRequest: { name: 'run_shell_command', args: { command: 'echo from the tail' } } };
    await using env = await openHooked(read, [userHooks({ AfterTool: specific(tail) }, { matcher: '^read_file$' })]);
    await env.prompt('hello');
    const [part] = env.model.requests[1]?.body.contents.at(-1).parts ?? [];
    expect(part.functionResponse).toMatchObject({
      id: '1',
      name: 'read_file',
      response: { output: expect.stringContaining('from the tail') },
    });
  });

  it('is counted by the name of the tool that ran', async () => {
    const tail = { tailToolCallRequest: { name: 'run_shell_command', args: { command: 'echo from the tail' } } };
    await using env = await openHooked(read, [userHooks({ AfterTool: specific(tail) }, { matcher: '^read_file$' })]);
    const events = await env.prompt('hello');
    expect(Object.keys(env.agent.ledger.metrics().tools.byName)).toEqual(['run_shell_command']);
    expect(events.flatMap((event) => (event.type === 'tool_call_updated' ? (event.name ?? []) : []))).toEqual([
      'run_shell_command',
    ]);
  });

  it('stops the prompt', async () => {
    await using env = await openHooked(read, [userHooks({ AfterTool: says({ continue: false, reason: 'enough' }) })]);
    expect(summaryOf(await env.prompt('hello'))).toEqual({
      text: '',
      outcome: 'stopped',
      detail: 'Agent execution stopped by hook: enough',
    });
  });

  it('hands the call on only to a tool that the policy lets run', async () => {
    const tail = { tailToolCallRequest: { name: 'run_shell_command', args: { command: 'rm -rf x' } } };
    const toml = '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "rm"\ndecision = "deny"\npriority = 100\n';
    await using env = await openHooked(read, [userHooks({ AfterTool: specific(tail) }, { matcher: '^read_file$' })], {
      homeFiles: { '.gemini/policies/p.toml': toml },
    });
    await env.prompt('hello');
    expect(toldOf(env.model)).toEqual([{ error: expect.stringContaining('denied by policy') }]);
  });

  it('withholds a result', async () => {
    await using env = await openHooked(read, [userHooks({ AfterTool: says({ decision: 'deny', reason: 'private' }) })]);
    await env.prompt('hello');
    expect(toldOf(env.model)).toEqual([{ error: 'Tool result blocked: private' }]);
  });
});

describe('the other events', () => {
  it('PreCompress is told what brings it about, and has a word for the person', async () => {
    await using env = await openHooked([say('ok')], [userHooks({ PreCompress: says({ systemMessage: 'saved' }) })]);
    const events = await env.prompt('hello');
    expect(env.log()).toEqual([{ ...BASE, hook_event_name: 'PreCompress', trigger: 'auto' }]);
    expect(messagesOf(events)).toEqual([['PreCompress', 'info', 'saved']]);
  });

  it('PreCompress knows when a person asked for it', async () => {
    await using env = await openHooked(
      () => say('a summary'),
      [userHooks({ PreCompress: says() }, { matcher: 'manual' })],
    );
    await env.prompt('hello');
    await env.agent.client.tryCompressChat('p', true, new AbortController().signal);
    expect(env.log()).toEqual([{ ...BASE, hook_event_name: 'PreCompress', trigger: 'manual' }]);
  });

  it('Notification is told when a person is asked, and delays nothing', async () => {
    await using env = await openHooked(
      [run({ command: 'touch made' }), say('done')],
      [userHooks({ Notification: says() })],
      { interactive: true, approvalMode: 'default' },
    );
    await env.prompt('hello', (event) => {
      if (event.type === 'tool_call_confirmation') env.agent.session.respond('1', 'proceed_once');
    });
    await env.agent.dispose();
    expect(env.log()).toEqual([
      {
        ...BASE,
        hook_event_name: 'Notification',
        notification_type: 'ToolPermission',
        message: expect.stringContaining('permission is needed'),
        details: expect.objectContaining({ type: 'exec', command: 'touch made', title: expect.any(String) }),
      },
    ]);
  });

  variants.each(['startup', 'resume', 'clear'] as const)(
    'SessionStart on %s gives context and a word',
    async (source) => {
      const hook = specific({ additionalContext: 'be <brief>' }, { systemMessage: 'welcome' });
      await using env = await openHooked([], [userHooks({ SessionStart: hook }, { matcher: source })]);
      const { hooks } = env.agent;
      expect(await hooks?.sessionStart(source, new AbortController().signal)).toBe(
        '<hook_context>be &lt;brief&gt;</hook_context>',
      );
      expect(await env.closing()).toEqual([
        { type: 'hook_message', hookEvent: 'SessionStart', level: 'info', message: 'welcome' },
      ]);
      expect(env.log()).toEqual([{ ...BASE, hook_event_name: 'SessionStart', source }]);
    },
  );

  variants.each(['exit', 'clear', 'logout', 'prompt_input_exit', 'other'] as const)(
    'SessionEnd is told %s',
    async (reason) => {
      await using env = await openHooked([], [userHooks({ SessionEnd: says({ systemMessage: 'bye' }) })]);
      await env.agent.hooks?.sessionEnd(reason);
      expect(env.log()).toEqual([{ ...BASE, hook_event_name: 'SessionEnd', reason }]);
      expect(await env.closing()).toMatchObject([{ message: 'bye' }]);
    },
  );

  it('SessionEnd is left behind when its time is up', async () => {
    await using env = await openHooked([], [userHooks({ SessionEnd: 'sleep 1000' })]);
    await env.agent.hooks?.sessionEnd('exit', { limitMs: 1 });
  });
});
