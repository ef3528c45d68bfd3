import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@castor/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { ToolError } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { CompletedToolCall, ToolCall, ToolCallRequestInfo, ToolCallStatus } from '../protocol/tool-calls.ts';
import type { DefinedTool, ToolContext, ToolKind, ToolResult } from '../protocol/tools.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { ToolUpdate } from '../tools/define-tool.ts';
import { CoreToolScheduler } from './core-tool-scheduler.ts';
import type { CoreToolSchedulerOptions } from './core-tool-scheduler.ts';
import type { PolicyVerdict, RememberedApproval } from './ports.ts';
import { isTerminal, transition } from './tool-call-state.ts';
import { toWaves } from './waves.ts';

const NEVER = new AbortController().signal;
let tempDirectory: string;
beforeAll(async () => {
  tempDirectory = await mkdtemp(join(tmpdir(), 'castor-scheduler-'));
});
afterAll(() => rm(tempDirectory, { recursive: true }));

type Work = (context: ToolContext, params: Record<string, unknown>) => Promise<Partial<ToolResult> | void>;

function tool(name: string, work: Work = async () => ({}), kind: ToolKind = 'read'): DefinedTool {
  return defineTool({
    name,
    displayName: name,
    kind,
    description: name,
    schema: { type: 'object', properties: { path: { type: 'string' } } },
    describe: () => `runs ${name}`,
    modifyArgs: (params, newContent) => ({ ...params, path: newContent }),
    execute: async (params, context) => ({
      llmContent: `${name} done`,
      returnDisplay: '',
      ...(await work(context, params)),
    }),
  });
}

const request = (name: string, args: Record<string, unknown> = {}, callId = name): ToolCallRequestInfo => ({
  callId,
  name,
  args,
  isClientInitiated: false,
  prompt_id: 'p',
});

function setUp(tools: DefinedTool[], options: Partial<CoreToolSchedulerOptions> & { verdict?: PolicyVerdict } = {}) {
  const remembered: RememberedApproval[] = [];
  const { verdict = { decision: 'allow' }, ...rest } = options;
  const scheduler = new CoreToolScheduler({
    tools: {
      getTool: (name) => tools.find((each) => each.name === name),
      notFound: (name) => new ToolError(`Tool "${name}" not found.`, 'tool_not_registered'),
    },
    policy: { check: async () => verdict, remember: async (approval) => void remembered.push(approval) },
    outputBounds: () => ({ threshold: 1000, tempDirectory, sessionId: 's' }),
    clock: createFakeClock(),
    ...rest,
  });
  return { scheduler, remembered };
}

async function run(
  scheduler: CoreToolScheduler,
  requests: ToolCallRequestInfo[],
  { signal = NEVER, onEvent }: { signal?: AbortSignal; onEvent?: (event: AgentEvent) => void } = {},
) {
  const events: AgentEvent[] = [];
  const stream = scheduler.run(requests, signal);
  let step = await stream.next();
  for (; !step.done; step = await stream.next()) {
    events.push(step.value);
    onEvent?.(step.value);
  }
  return { events, completed: step.value };
}

const toldTo = ({ response }: CompletedToolCall) => response.responseParts[0]?.functionResponse?.response;
const statuses = (events: AgentEvent[], callId: string) =>
  events.flatMap((event) =>
    event.type === 'tool_call_updated' && event.callId === callId && !event.output && !event.pid ? [event.status] : [],
  );

describe('CoreToolScheduler', () => {
  it('does not ask a person what was cancelled before the question was read', async () => {
    const controller = new AbortController();
    const { scheduler } = setUp([tool('w')], { verdict: { decision: 'ask_user' } });
    const { events, completed } = await run(scheduler, [request('w')], {
      signal: controller.signal,
      onEvent: (event) =>
        event.type === 'tool_call_updated' && event.status === 'awaiting_approval' && controller.abort(),
    });
    expect(statuses(events, 'w')).toEqual(['validating', 'awaiting_approval', 'cancelled']);
    expect(events.filter(({ type }) => type === 'tool_call_confirmation')).toEqual([]);
    expect(completed.map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('runs a call through its states and answers it', async () => {
    const { scheduler } = setUp([tool('ls')]);
    const { events, completed } = await run(scheduler, [request('ls')]);
    expect(statuses(events, 'ls')).toEqual(['validating', 'scheduled', 'executing', 'success']);
    expect(events.at(-1)).toMatchObject({ type: 'tool_call_response', value: { callId: 'ls' } });
    expect(completed.map(toldTo)).toEqual([{ output: 'ls done' }]);
  });

  it('gives results in the order of the requests, whatever finished first', async () => {
    const slow = Promise.withResolvers<void>();
    const { scheduler } = setUp([
      tool('slow', async () => {
        await slow.promise;
        return {};
      }),
      tool('fast', async () => {
        slow.resolve();
        return {};
      }),
    ]);
    const { events, completed } = await run(scheduler, [request('slow'), request('fast')]);
    const answered = events.flatMap((event) => (event.type === 'tool_call_response' ? [event.value.callId] : []));
    expect([answered, completed.map(({ request: { name } }) => name)]).toEqual([
      ['fast', 'slow'],
      ['slow', 'fast'],
    ]);
  });

  it('runs eight calls at once', async () => {
    let started = 0;
    const all = Promise.withResolvers<void>();
    const shell = tool(
      'run_shell_command',
      async () => {
        if (++started === 8) all.resolve();
        await all.promise;
        return {};
      },
      'execute',
    );
    const { scheduler } = setUp([shell]);
    const requests = Array.from({ length: 8 }, (_, index) => request('run_shell_command', {}, `c${index}`));
    const { completed } = await run(scheduler, requests);
    expect(completed.every(({ status }) => status === 'success')).toBe(true);
  });

  it('answers an unknown tool and bad arguments with what to do', async () => {
    const { scheduler } = setUp([tool('ls')]);
    const { completed } = await run(scheduler, [request('lss'), request('ls', { path: 1 })]);
    expect(completed.map(({ response }) => response.errorType)).toEqual(['tool_not_registered', 'invalid_tool_params']);
    expect(toldTo(completed[0]!)).toEqual({ error: 'Tool "lss" not found.' });
  });

  it('tells the model of errors a tool returns or throws', async () => {
    const { scheduler } = setUp([
      tool('returns', async () => ({ error: { message: 'gone', type: 'file_not_found' }, returnDisplay: 'shown' })),
      tool('throws', async () => {
        throw new ToolError('no way', 'permission_denied');
      }),
      tool('bug', async () => {
        throw new TypeError('undefined is not a function');
      }),
    ]);
    const { completed } = await run(
      scheduler,
      ['returns', 'throws', 'bug'].map((name) => request(name)),
    );
    expect(completed.map(({ status, response }) => [status, response.errorType, response.resultDisplay])).toEqual([
      ['error', 'file_not_found', 'shown'],
      ['error', 'permission_denied', 'no way'],
      ['error', 'unhandled_exception', 'undefined is not a function'],
    ]);
  });

  it('passes live output and the process on', async () => {
    const { scheduler } = setUp([
      tool('sh', async ({ onOutput, onPid }) => {
        onPid(42);
        onOutput('a');
        onOutput('b');
        return {};
      }),
    ]);
    const { events } = await run(scheduler, [request('sh')]);
    expect(events.filter((event) => event.type === 'tool_call_updated' && (event.output || event.pid))).toEqual([
      { type: 'tool_call_updated', callId: 'sh', status: 'executing', pid: 42 },
      { type: 'tool_call_updated', callId: 'sh', status: 'executing', output: 'a' },
      { type: 'tool_call_updated', callId: 'sh', status: 'executing', output: 'b' },
    ]);
  });

  it('keeps long output of a shell in a file and gives the model its ends', async () => {
    const { scheduler } = setUp([tool('run_shell_command', async () => ({ llmContent: 'x'.repeat(5000) }), 'execute')]);
    const { completed } = await run(scheduler, [request('run_shell_command')]);
    expect(completed[0]?.response.outputFile).toContain(tempDirectory);
    expect(JSON.stringify(toldTo(completed[0]!)).length).toBeLessThan(1500);
  });

  it('refuses what the policy denies, with its reason', async () => {
    const { scheduler } = setUp([tool('rm')], { verdict: { decision: 'deny', denyMessage: 'Not here.' } });
    const { completed } = await run(scheduler, [request('rm')]);
    expect([toldTo(completed[0]!), completed[0]?.response.errorType]).toEqual([
      { error: 'Tool execution denied by policy. Not here.' },
      'policy_violation',
    ]);
  });
});

describe('approval', () => {
  const ASK: PolicyVerdict = { decision: 'ask_user' };
  const answerWith =
    (
      scheduler: CoreToolScheduler,
      ...answer: [Parameters<CoreToolScheduler['respond']>[1], Parameters<CoreToolScheduler['respond']>[2]?]
    ) =>
    (event: AgentEvent) => {
      if (event.type === 'tool_call_confirmation') scheduler.respond(event.value.request.callId, ...answer);
    };

  it('asks, waits and runs', async () => {
    const { scheduler, remembered } = setUp([tool('w')], { verdict: ASK });
    const { events } = await run(scheduler, [request('w')], { onEvent: answerWith(scheduler, 'proceed_once') });
    expect(statuses(events, 'w')).toEqual([
      'validating',
      'awaiting_approval',
      'awaiting_approval',
      'scheduled',
      'executing',
      'success',
    ]);
    const answers = events.flatMap((event) => (event.type === 'tool_call_updated' && event.outcome) || []);
    expect(answers).toEqual(['proceed_once']);
    expect(events.find((event) => event.type === 'tool_call_confirmation')).toMatchObject({
      value: { request: { callId: 'w' }, details: { type: 'info', title: 'Confirm w', prompt: 'runs w' } },
    });
    expect(remembered).toEqual([]);
  });

  it('remembers an "always"', async () => {
    const { scheduler, remembered } = setUp([tool('w')], { verdict: ASK });
    await run(scheduler, [request('w', { path: 'a' })], { onEvent: answerWith(scheduler, 'proceed_always') });
    expect(remembered).toMatchObject([{ toolName: 'w', args: { path: 'a' }, outcome: 'proceed_always' }]);
  });

  it('runs the proposal as the person edited it', async () => {
    const ran: unknown[] = [];
    const { scheduler } = setUp([tool('w', async (_context, params) => void ran.push(params))], { verdict: ASK });
    await run(scheduler, [request('w', { path: 'a' })], {
      onEvent: answerWith(scheduler, 'proceed_once', { newContent: 'b' }),
    });
    expect(ran).toEqual([{ path: 'b' }]);
  });

  it('asks once more after an edit in the editor', async () => {
    let asked = 0;
    const { scheduler } = setUp([tool('w')], { verdict: ASK });
    const { completed } = await run(scheduler, [request('w')], {
      onEvent: (event) => {
        if (event.type !== 'tool_call_confirmation') return;
        scheduler.respond('w', ++asked === 1 ? 'modify_with_editor' : 'proceed_once', { newContent: 'edited' });
      },
    });
    expect([asked, completed[0]?.status]).toEqual([2, 'success']);
  });

  it('cancels the rest when the person says no, and tells the model what they said', async () => {
    const { scheduler } = setUp([tool('write_file', undefined, 'edit'), tool('ls')], { verdict: ASK });
    const { completed } = await run(scheduler, [request('write_file'), request('ls')], {
      onEvent: answerWith(scheduler, 'cancel', { feedback: 'use tabs' }),
    });
    expect(completed.map((call) => [call.status, toldTo(call)])).toEqual([
      ['cancelled', { error: '[Operation Cancelled] User denied execution. The user said: use tabs' }],
      ['cancelled', { error: '[Operation Cancelled] User cancelled operation' }],
    ]);
  });

  it('does not ask for a call the person made', async () => {
    const { scheduler } = setUp([tool('w')], { verdict: ASK });
    const { completed } = await run(scheduler, [{ ...request('w'), isClientInitiated: true }]);
    expect(completed[0]?.status).toBe('success');
  });

  it('runs a call the person made also where no user could be asked, but none that is denied', async () => {
    const own = { ...request('w'), isClientInitiated: true };
    const unanswerable = setUp([tool('w')], { verdict: { decision: 'deny', unanswerable: true } });
    const denied = setUp([tool('w')], { verdict: { decision: 'deny' } });
    const ends = await Promise.all([unanswerable, denied].map(({ scheduler }) => scheduler.schedule(own, NEVER)));
    expect(ends.map(([call]) => call?.status)).toEqual(['success', 'error']);
    const [ofTheModel] = await unanswerable.scheduler.schedule(request('w'), NEVER);
    expect(ofTheModel?.status).toBe('error');
  });

  it('does not wait for a person where there is none', async () => {
    const policy = { canAsk: false, check: async () => ({ decision: 'allow' as const }), remember: async () => {} };
    const hooks = { beforeTool: async () => ({ kind: 'ask' as const }) };
    const { scheduler } = setUp([tool('w')], { policy, hooks });
    const [call] = await scheduler.schedule(request('w'), NEVER);
    expect(call?.response.errorType).toBe('unhandled_exception');
    expect(toldTo(call!)).toEqual({ error: 'w needs an approval, and a headless run cannot ask.' });
  });

  it('asks again and says why when the editor fails or there is none', async () => {
    const problems: (string | undefined)[] = [];
    const { scheduler } = setUp([tool('w')], { verdict: ASK });
    const { completed } = await run(scheduler, [request('w')], {
      onEvent: (event) => {
        if (event.type !== 'tool_call_confirmation') return;
        problems.push(event.value.problem);
        scheduler.respond('w', problems.length === 1 ? 'modify_with_editor' : 'proceed_once');
      },
    });
    expect(problems).toEqual([undefined, 'This call has no editable content.']);
    expect(completed[0]?.status).toBe('success');
  });

  it('asks again and says why when the user edits a call that takes no edit', async () => {
    const problems: (string | undefined)[] = [];
    const fixed = defineTool({
      name: 'w',
      displayName: 'w',
      kind: 'execute',
      description: 'w',
      schema: { type: 'object' },
      describe: () => 'w',
      execute: async () => ({ llmContent: '', returnDisplay: '' }),
    });
    const { scheduler } = setUp([fixed], { verdict: ASK });
    await run(scheduler, [request('w')], {
      onEvent: (event) => {
        if (event.type !== 'tool_call_confirmation') return;
        problems.push(event.value.problem);
        scheduler.respond('w', problems.length === 1 ? 'modify_with_editor' : 'proceed_once', { newContent: 'other' });
      },
    });
    expect(problems).toEqual([undefined, 'This call has no editable content.']);
  });

  it('takes no answer without a question', () => {
    const { scheduler } = setUp([]);
    expect(() => scheduler.respond('x', 'proceed_once')).toThrow('No call with the id x is waiting');
  });
});

describe('cancellation', () => {
  it('answers every call: those that run, wait for a person, or have not begun', async () => {
    const controller = new AbortController();
    const { scheduler } = setUp(
      [
        tool('runs', async ({ onOutput, signal }) => {
          onOutput('half');
          controller.abort();
          signal.throwIfAborted();
          return {};
        }),
        tool('write_file', undefined, 'edit'),
      ],
      {},
    );
    const { completed } = await run(scheduler, [request('runs'), request('write_file')], { signal: controller.signal });
    expect(completed.map((call) => [call.status, toldTo(call)])).toEqual([
      ['cancelled', { error: '[Operation Cancelled] User cancelled operation', output: 'half' }],
      ['cancelled', { error: '[Operation Cancelled] User cancelled operation' }],
    ]);
  });

  it('ends the wait for a person', async () => {
    const controller = new AbortController();
    const { scheduler } = setUp([tool('w')], { verdict: { decision: 'ask_user' } });
    const { completed } = await run(scheduler, [request('w')], {
      signal: controller.signal,
      onEvent: (event) => event.type === 'tool_call_confirmation' && controller.abort(),
    });
    expect(completed[0]?.status).toBe('cancelled');
  });

  it('happens to the calls of a consumer that leaves', async () => {
    let aborted = false;
    const { scheduler } = setUp([
      tool('waits', async ({ signal, onOutput }) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => resolve());
        onOutput('on');
        await promise;
        aborted = true;
        return {};
      }),
    ]);
    for await (const event of scheduler.run([request('waits')], NEVER)) {
      if (event.type === 'tool_call_updated' && event.output) break;
    }
    expect([aborted, scheduler.isRunning()]).toEqual([true, false]);
  });
});

describe('schedule', () => {
  it('takes one request or many and returns them completed', async () => {
    const { scheduler } = setUp([tool('ls')]);
    expect((await scheduler.schedule(request('ls'), NEVER)).map(({ status }) => status)).toEqual(['success']);
    expect((await scheduler.schedule([request('ls'), request('ls', {}, 'b')], NEVER)).length).toBe(2);
  });

  it('queues behind the batch that runs, and can be aborted there', async () => {
    const hold = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const { scheduler } = setUp([
      tool('hold', async () => {
        started.resolve();
        await hold.promise;
        return {};
      }),
      tool('ls'),
    ]);
    const first = scheduler.schedule(request('hold'), NEVER);
    await started.promise;
    const controller = new AbortController();
    const aborted = scheduler.schedule(request('ls'), controller.signal);
    const third = scheduler.schedule(request('ls'), NEVER);
    controller.abort();
    await expect(aborted).rejects.toThrow('Tool call cancelled while in queue.');
    expect(scheduler.isRunning()).toBe(true);
    hold.resolve();
    await first;
    expect((await third)[0]?.status).toBe('success');
  });

  it('refuses those that wait when everything is cancelled', async () => {
    const started = Promise.withResolvers<void>();
    const { scheduler } = setUp([
      tool('hold', async ({ signal }) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => resolve());
        started.resolve();
        await promise;
        return {};
      }),
    ]);
    const first = scheduler.schedule(request('hold'), NEVER);
    await started.promise;
    const waiting = scheduler.schedule(request('hold'), NEVER);
    scheduler.cancelAll();
    await expect(waiting).rejects.toThrow('Operation cancelled by user');
    expect((await first)[0]?.status).toBe('cancelled');
  });
});

describe('tool hooks', () => {
  it('stop, deny, ask in any mode, or replace the arguments, which are checked again', async () => {
    const decisions = {
      stop: { kind: 'stop', reason: 's' },
      deny: { kind: 'deny', reason: 'd' },
      change: { kind: 'proceed', args: { path: 'new' } },
      broken: { kind: 'proceed', args: { path: 5 } },
    } as const;
    const ran: unknown[] = [];
    const names = Object.keys(decisions) as (keyof typeof decisions)[];
    const { scheduler } = setUp(
      names.map((name) => tool(name, async (_context, params) => void ran.push(params))),
      { hooks: { beforeTool: async ({ toolName }) => decisions[toolName as keyof typeof decisions] } },
    );
    const { completed } = await run(
      scheduler,
      names.map((name) => request(name)),
    );
    expect(completed.map((call) => [call.response.errorType, Object.values(toldTo(call) ?? {})[0]])).toEqual([
      ['stop_execution', 'Agent execution stopped by hook: s'],
      ['policy_violation', 'Tool execution blocked: d'],
      [undefined, 'change done\n\n[System] Tool input parameters were modified by a hook'],
      ['invalid_tool_params', expect.stringContaining('path')],
    ]);
    expect(ran).toEqual([{ path: 'new' }]);
  });

  it('ask even where the policy allows', async () => {
    const { scheduler } = setUp([tool('ls')], { hooks: { beforeTool: async () => ({ kind: 'ask' }) } });
    let asked = 0;
    await run(scheduler, [request('ls')], {
      onEvent: (event) => {
        if (event.type !== 'tool_call_confirmation') return;
        asked++;
        scheduler.respond('ls', 'proceed_once');
      },
    });
    expect(asked).toBe(1);
  });

  it('add context to a result, or stop after it', async () => {
    const { scheduler } = setUp([tool('a'), tool('b')], {
      hooks: {
        afterTool: async ({ toolName }) =>
          toolName === 'a' ? { kind: 'proceed', additionalContext: 'note' } : { kind: 'stop', reason: 'enough' },
      },
    });
    const { completed } = await run(scheduler, [request('a'), request('b')]);
    expect(completed.map(toldTo)).toEqual([
      { output: 'a done\n\nnote' },
      { error: 'Agent execution stopped by hook: enough' },
    ]);
  });

  it('let another tool answer under the name the model called', async () => {
    const { scheduler } = setUp([tool('first'), tool('second')], {
      hooks: {
        afterTool: async ({ toolName }) =>
          toolName === 'first' ? { kind: 'proceed', tailCall: { name: 'second', args: {} } } : { kind: 'proceed' },
      },
    });
    const { completed } = await run(scheduler, [request('first', {}, 'id')]);
    expect(completed[0]?.response.responseParts).toEqual([
      { functionResponse: { id: 'id', name: 'first', response: { output: 'second done' } } },
    ]);
  });

  it('do not hand a call on for ever', async () => {
    let runs = 0;
    const { scheduler } = setUp([tool('again', async () => void runs++)], {
      hooks: { afterTool: async () => ({ kind: 'proceed', tailCall: { name: 'again', args: {} } }) },
    });
    const { completed } = await run(scheduler, [request('again')]);
    expect([completed.map(toldTo), runs]).toEqual([
      [{ error: 'Hooks forwarded this call to another tool more than 10 times.' }],
      11,
    ]);
  });

  it('hear when a person is asked, and which tool took a call over', async () => {
    const heard: unknown[] = [];
    const { scheduler } = setUp([tool('first'), tool('second')], {
      hooks: {
        beforeTool: async ({ toolName, originalToolName }) => {
          heard.push([toolName, originalToolName]);
          return { kind: toolName === 'first' ? 'ask' : 'proceed' };
        },
        afterTool: async ({ toolName }) =>
          toolName === 'first' ? { kind: 'proceed', tailCall: { name: 'second', args: {} } } : { kind: 'proceed' },
        personAsked: ({ title }) => void heard.push(title),
      },
    });
    await run(scheduler, [request('first')], {
      onEvent: (event) => {
        if (event.type !== 'tool_call_confirmation') return;
        heard.push(event.value.request.forcedAsk);
        scheduler.respond('first', 'proceed_once');
      },
    });
    expect(heard).toEqual([['first', undefined], 'Confirm first', true, ['second', 'first']]);
  });

  it.each(['allow', 'ask_user', 'deny'] as const)(
    'tell what took a call over, before its question (%s)',
    async (decision) => {
      const { scheduler } = setUp([tool('first'), tool('second')], {
        policy: {
          check: async ({ toolName }) => ({ decision: toolName === 'second' ? decision : 'allow' }),
          remember: async () => undefined,
        },
        hooks: {
          afterTool: async ({ toolName }) =>
            toolName === 'first' ? { kind: 'proceed', tailCall: { name: 'second', args: {} } } : { kind: 'proceed' },
        },
      });
      const told: unknown[] = [];
      await run(scheduler, [request('first')], {
        onEvent: (event) => {
          if (event.type === 'tool_call_updated' && event.shown) told.push([event.name, event.shown.display.name]);
          if (event.type !== 'tool_call_confirmation') return;
          told.push('question');
          scheduler.respond('first', 'proceed_once');
        },
      });
      expect(told).toEqual([
        [undefined, 'first'],
        ['second', 'second'],
        ...(decision === 'ask_user' ? ['question'] : []),
      ]);
    },
  );

  it('go unheard when they throw', async () => {
    const fail = async () => {
      throw new Error('hook');
    };
    const { scheduler } = setUp([tool('ls')], { hooks: { beforeTool: fail, afterTool: fail } });
    expect((await run(scheduler, [request('ls')])).completed[0]?.status).toBe('success');
  });
});

describe('the record', () => {
  it('is written before a call with effects starts', async () => {
    const log: string[] = [];
    const { scheduler } = setUp([tool('write_file', async () => void log.push('effect'), 'edit')], {
      recorder: {
        started: async () => {
          await Promise.resolve();
          log.push('started');
        },
        ended: ({ status }) => log.push(status),
      },
    });
    await run(scheduler, [request('write_file')]);
    expect(log).toEqual(['started', 'effect', 'success']);
  });
});

describe('toWaves', () => {
  const names = (...waves: ToolCallRequestInfo[][]) => waves.map((wave) => wave.map(({ name }) => name));

  it.each<[string[], string[][]]>([
    [
      ['read', 'read', 'write_file', 'read', 'read'],
      [['read', 'read'], ['write_file'], ['read', 'read']],
    ],
    [
      ['replace', 'replace'],
      [['replace'], ['replace']],
    ],
    [
      ['read', 'update_topic'],
      [['update_topic'], ['read']],
    ],
    [[], []],
  ])('%j → %j', (calls, waves) => {
    expect(names(...toWaves(calls.map((name, index) => request(name, {}, `${index}`))))).toEqual(waves);
  });

  it('honours wait_for_previous', () => {
    const calls = [request('a'), request('b', { wait_for_previous: true }), request('c')];
    expect(names(...toWaves(calls))).toEqual([['a'], ['b', 'c']]);
  });
});

describe('transition', () => {
  const ALL: ToolCallStatus[] = [
    'validating',
    'awaiting_approval',
    'scheduled',
    'executing',
    'success',
    'error',
    'cancelled',
  ];
  const at = (status: ToolCallStatus) => ({ status, request: request('t') }) as ToolCall;

  it('never leaves a terminal state and never returns to validating', () => {
    for (const from of ALL) {
      for (const to of ALL) {
        const step = () => transition(at(from), at(to));
        if (isTerminal(from) || to === 'validating') expect(step).toThrow('cannot go from');
      }
    }
  });

  it('does not mix up calls', () => {
    const other = { status: 'scheduled', request: request('t', {}, 'other') } as ToolCall;
    expect(() => transition(at('validating'), other)).toThrow();
  });
});

describe('what is known of the places a call touched', () => {
  const read: DefinedTool = {
    ...tool('a'),
    build: (args) => ({ ...tool('a').build(args), locations: () => [{ path: '/x' }] }),
  };

  it.each([
    ['is read beside the result', async (paths: readonly string[]) => `about ${paths.join()}`, 'a done\n\nabout /x'],
    ['is nothing', async () => undefined, 'a done'],
    ['never costs the result', async () => Promise.reject(new Error('no')), 'a done'],
  ])('%s', async (_, resultContext, output) => {
    const { scheduler } = setUp([read], { resultContext });
    const { completed } = await run(scheduler, [request('a')]);
    expect(completed.map(toldTo)).toEqual([{ output }]);
  });
});

describe('what a surface shows of a call', () => {
  const shownBy = (events: AgentEvent[]) =>
    events.flatMap((event) => (event.type === 'tool_call_updated' && event.shown ? [[event.status, event.shown]] : []));

  it('comes with its first event, of an unknown tool too', async () => {
    const look = defineTool({
      name: 'look',
      displayName: 'Look',
      kind: 'search',
      description: 'looks',
      schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      describe: ({ path }) => `at ${path}`,
      locations: ({ path }) => [{ path }],
      execute: async () => ({ llmContent: 'seen', returnDisplay: '' }),
    });
    const { scheduler } = setUp([look]);
    const requests = [request('look', { path: '/a' }), request('look', {}, 'bad'), request('nothing')];
    const { events } = await run(scheduler, requests);
    expect(shownBy(events)).toEqual([
      ['validating', { display: { name: 'Look', description: 'at /a' }, kind: 'search', locations: [{ path: '/a' }] }],
      ['validating', { display: { name: 'Look', description: '' }, kind: 'search', locations: [] }],
      ['validating', { display: { name: 'nothing', description: '' }, kind: 'other', locations: [] }],
    ]);
  });

  it('comes anew when a hook changed what runs', async () => {
    const look = defineTool({
      name: 'look',
      displayName: 'Look',
      kind: 'search',
      description: 'looks',
      schema: { type: 'object', properties: { path: { type: 'string' } } },
      describe: ({ path }) => `at ${path}`,
      execute: async () => ({ llmContent: 'seen', returnDisplay: '' }),
    });
    const { scheduler } = setUp([look], {
      hooks: { beforeTool: async () => ({ kind: 'proceed', args: { path: '/b' } }) },
    });
    const { events } = await run(scheduler, [request('look', { path: '/a' })]);
    const descriptions = events.flatMap((event) =>
      event.type === 'tool_call_updated' && event.shown ? [event.shown.display.description] : [],
    );
    expect(descriptions).toEqual(['at /a', 'at /b']);
  });
});

describe('a tool that yields', () => {
  const yielding = (work: () => AsyncGenerator<ToolUpdate, ToolResult>) =>
    defineTool({
      name: 'agent',
      displayName: 'Agent',
      kind: 'agent',
      description: 'runs a child',
      schema: { type: 'object' },
      describe: () => 'a child',
      execute: () => work(),
    });

  it('prints text and passes a child’s events up with its own id as their parent', async () => {
    const inner: AgentEvent = { type: GeminiEventType.Content, value: 'from a grandchild', parentCallId: 'deeper' };
    const { scheduler } = setUp([
      yielding(async function* () {
        yield 'working';
        yield { type: 'prompt_started', prompt_id: 'child' };
        yield inner;
        return { llmContent: 'done', returnDisplay: 'done' };
      }),
    ]);
    const { events, completed } = await run(scheduler, [request('agent')]);
    expect(events.filter((event) => event.parentCallId !== undefined)).toEqual([
      { type: 'prompt_started', prompt_id: 'child', parentCallId: 'agent' },
      inner,
    ]);
    expect(events).toContainEqual({
      type: 'tool_call_updated',
      callId: 'agent',
      status: 'executing',
      output: 'working',
    });
    expect(toldTo(completed[0]!)).toEqual({ output: 'done' });
  });

  it('passes a child’s question up, which is neither its own nor outdated', async () => {
    const details = { type: 'info', title: 'May I?', prompt: 'May I?' } as const;
    const { scheduler } = setUp([
      yielding(async function* () {
        const question = { request: request('act'), details };
        yield { type: GeminiEventType.ToolCallConfirmation, value: question };
        return { llmContent: 'done', returnDisplay: 'done' };
      }),
    ]);
    const { events, completed } = await run(scheduler, [request('agent')]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: GeminiEventType.ToolCallConfirmation, parentCallId: 'agent' }),
    );
    expect(toldTo(completed[0]!)).toEqual({ output: 'done' });
  });

  it('is left when the call is cancelled, and its end runs', async () => {
    const controller = new AbortController();
    let hasEnded = false;
    const { scheduler } = setUp([
      yielding(async function* () {
        try {
          for (;;) yield 'more';
        } finally {
          hasEnded = true;
        }
      }),
    ]);
    const { completed } = await run(scheduler, [request('agent')], {
      signal: controller.signal,
      onEvent: (event) => event.type === 'tool_call_updated' && event.output && controller.abort(),
    });
    expect([completed[0]?.status, hasEnded]).toEqual(['cancelled', true]);
  });
});
