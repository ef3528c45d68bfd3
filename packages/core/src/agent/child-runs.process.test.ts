/** Runs of sub-agents over a real server: limits, steering, cancelling, depth, bounds, servers of their own, resuming. */

import { answer, call, createWorkspace, fault, mcpStdioCommand, say, text } from '@castor/testkit';
import type { Step } from '@castor/testkit';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { agentFile, bodyOf, instructionOf, openSubagents, responseOf, sentText, toolsOf } from './subagents.fixture.ts';

const invoke = (agent_name: string, prompt = 'Look.', more: Record<string, unknown> = {}, id = 'p') =>
  answer(call('invoke_agent', { agent_name, prompt, ...more }, { id }));
const complete = (result: string) => answer(call('complete_task', { result }, { id: 'done' }));
const look = (id = 'l') => answer(call('list_directory', { dir_path: '.' }, { id }));
const R = (extra = '', body?: string) => ({
  '.gemini/agents/r.md': agentFile(`name: r\ndescription: x${extra === '' ? '' : `\n${extra}`}`, body),
});
const main = (...steps: Step[]): Step[] => [...steps, say('ok')];

/** Waits of this length end when the test says so. */
function clockThatWaits(milliseconds: number) {
  const expiry = Promise.withResolvers<void>();
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) => (ms === milliseconds ? expiry.promise : systemClock.sleep(ms, signal)),
  };
  return { clock, expire: () => expiry.resolve() };
}

describe('a run of a sub-agent', () => {
  it('that takes too long is cut, has one turn to hand in what it has, and is an error', { tags: 'wide' }, async () => {
    const { clock, expire } = clockThatWaits(120_000);
    const hang: Step = () => {
      expire();
      return new Promise<never>(() => undefined);
    };
    await using env = await openSubagents(
      { main: main(invoke('r')), r: [hang, complete('half')] },
      { homeFiles: R('timeout_mins: 2'), clock },
    );
    const { error } = responseOf(await env.ask('go'), 'p');
    expect(error).toMatch(/Agent timed out after 2 minutes\.[^]*TIMEOUT[^]*partial[^]*half/);
    expect(toolsOf(env.requestsOf('r')[1])).toEqual(['complete_task']);
  });

  it('that forgets complete_task and then calls it has succeeded', async () => {
    await using env = await openSubagents(
      { main: main(invoke('r')), r: [say('All done.'), complete('here')] },
      { homeFiles: R() },
    );
    expect(responseOf(await env.ask('go'), 'p')['output']).toContain('Termination Reason: GOAL\nResult:\nhere');
  });

  it('with an empty result is told so and can correct it', { tags: 'wide' }, async () => {
    await using env = await openSubagents(
      { main: main(invoke('r')), r: [complete('   '), complete('better')] },
      { homeFiles: R() },
    );
    expect(responseOf(await env.ask('go'), 'p')['output']).toContain('better');
    expect(sentText(env.requestsOf('r')[1])).toContain('result is empty. Hand in the whole result.');
  });

  it('with a long result hands over its beginning and end, and the place of the whole', { tags: 'wide' }, async () => {
    await using env = await openSubagents(
      { main: main(invoke('r')), r: [complete(`START${'x'.repeat(60_000)}END`)] },
      { homeFiles: R() },
    );
    const output = String(responseOf(await env.ask('go'), 'p')['output']);
    expect(output.length).toBeLessThan(31_000);
    expect(output.replaceAll(/x{9,}/g, '')).toMatch(
      /START\s+\.\.\. \[\d+ characters omitted\. The whole text is in .*\.jsonl\.\] \.\.\.\s+END/,
    );
  });

  it('whose model fails is an error with its cause, never a success', async () => {
    await using env = await openSubagents(
      { main: main(invoke('r')), r: [fault(400, { message: 'broken request' })] },
      { homeFiles: R() },
    );
    const { error, output } = responseOf(await env.ask('go'), 'p');
    expect(output).toBeUndefined();
    expect(error).toMatch(/Subagent 'r' failed\. Error: .*broken request/);
    expect(env.agent.ledger.metrics().agents).toMatchObject({ r: { runs: 1, succeeded: 0 } });
  });

  it('with an unknown variable in its prompt fails and names the known ones', async () => {
    await using env = await openSubagents({ main: main(invoke('r')) }, { homeFiles: R('', 'Do ${thing}.') });
    expect(responseOf(await env.ask('go'), 'p')['error']).toMatch(/Missing required input parameters: thing.*query/);
  });

  it('fills in the variables of its prompt, and sends its temperature', { tags: 'wide' }, async () => {
    await using env = await openSubagents(
      { main: main(invoke('r', 'find it')), r: [complete('x')] },
      { homeFiles: R('temperature: 0.3', 'Task: ${query}. Model: ${activeModel}.') },
    );
    await env.ask('go');
    const [request] = env.requestsOf('r');
    expect(instructionOf(request)).toContain('Task: find it. Model: gemini-2.5-flash.');
    expect((request!.body as { generationConfig?: { temperature?: number } }).generationConfig?.temperature).toBe(0.3);
  });

  it('has only the tools its file names, and is told about others', async () => {
    await using env = await openSubagents(
      { main: main(invoke('r')), r: [answer(call('glob', { pattern: '*' }, { id: 'g' })), complete('x')] },
      { homeFiles: R('tools: [read_file, list_directory]') },
    );
    await env.ask('go');
    expect(toolsOf(env.requestsOf('r')[0]).sort()).toEqual(['complete_task', 'list_directory', 'read_file']);
    expect(sentText(env.requestsOf('r')[1])).toContain(
      "Unauthorized tool call: 'glob' is not available to this agent.",
    );
  });

  it.each(['nobody', 'generalist'])('cannot be started for %s, which is unknown or disabled', async (name) => {
    await using env = await openSubagents(
      { main: main(invoke(name)) },
      { agents: { overrides: { generalist: { enabled: false } } } },
    );
    expect(String(responseOf(await env.ask('go'), 'p')['error'])).toMatch(
      new RegExp(`Subagent '${name}' not found\\. The agents are: codebase_investigator`),
    );
  });

  it('receives what the user types meanwhile, and so does its parent', async () => {
    await using env = await openSubagents({ main: main(invoke('r')), r: [look(), complete('x')] }, { homeFiles: R() });
    await env.ask('go', (event) => {
      if (event.type === 'tool_call_response' && event.parentCallId === 'p')
        env.agent.session.steer('Also look at b.ts');
    });
    expect(sentText(env.requestsOf('r')[1])).toContain('Also look at b.ts');
    expect(sentText(env.requestsOf('main')[1])).toContain('Also look at b.ts');
  });

  it('ends with the cancel of its parent: nothing more is sent, and its record says so', async () => {
    await using env = await openSubagents(
      { main: main(invoke('r')), r: [look(), () => new Promise<never>(() => undefined)] },
      { homeFiles: R() },
    );
    const stop = new AbortController();
    const events = await env.ask(
      'go',
      (event) => {
        if (event.type === 'tool_call_response' && event.parentCallId === 'p') stop.abort();
      },
      stop.signal,
    );
    expect(events.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'cancelled' });
    expect(env.requestsOf('main')).toHaveLength(1);
    const folder = join(dirname(env.session.recorder.path), 'parent');
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(/"agentEnded":\{"reason":"ABORTED"/);
  });

  it('works beside others, as many at once as the settings allow', async () => {
    let running = 0;
    let most = 0;
    const count: Step = async () => {
      running += 1;
      most = Math.max(most, running);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return complete('x');
    };
    const calls = Array.from({ length: 7 }, (_, index) =>
      call('invoke_agent', { agent_name: 'r', prompt: `${index}` }, { id: `c${index}` }),
    );
    await using env = await openSubagents(
      { main: main(answer(...calls)), r: Array.from({ length: 7 }, () => count) },
      { homeFiles: R(), agents: { maxConcurrent: 3 } },
    );
    const events = await env.ask('go');
    expect(most).toBe(3);
    for (let index = 0; index < 7; index += 1) expect(responseOf(events, `c${index}`)['output']).toContain('GOAL');
  });

  it.each([
    [undefined, false, false],
    [2, true, false],
    [3, true, true],
  ])('with a depth of %s starts children: %s, and they theirs: %s', async (maxDepth, isNested, isDeeper) => {
    const homeFiles = { ...R(), '.gemini/agents/inner.md': agentFile('name: inner\ndescription: y') };
    await using env = await openSubagents(
      {
        main: main(invoke('r')),
        r: [...(isNested ? [invoke('inner', 'deeper', {}, 'n')] : []), complete('outer done')],
        inner: [complete('inner done')],
      },
      { homeFiles, agents: { maxDepth } },
    );
    const events = await env.ask('go');
    expect(toolsOf(env.requestsOf('r')[0]).includes('invoke_agent')).toBe(isNested);
    expect(toolsOf(env.requestsOf('inner')[0]).includes('invoke_agent')).toBe(isDeeper);
    expect(responseOf(events, 'p')['output']).toContain('outer done');
    if (!isNested) return;
    expect(sentText(env.requestsOf('r')[1])).toContain('inner done');
    expect(events.some(({ parentCallId }) => parentCallId === 'n')).toBe(true);
    // The requests of each are told once: two of r and one of inner.
    expect(env.agent.ledger.metrics().agents).toMatchObject({
      r: { runs: 1, requests: 2, toolCalls: 2 },
      inner: { runs: 1, requests: 1, toolCalls: 1 },
    });
  });

  it('starts the servers of its file with it and ends them with it; its parent does not see them', async () => {
    await using server = await mcpStdioCommand({ tools: [{ name: 'echo' }] });
    const { command, args } = server.entry;
    const homeFiles = R(`mcp_servers:\n  own: ${JSON.stringify({ command, args, trust: true })}`);
    await using env = await openSubagents(
      { main: main(invoke('r')), r: [answer(call('mcp_own_echo', {}, { id: 'e' })), complete('x')] },
      { homeFiles },
    );
    const asked: string[] = [];
    await env.ask('go', (event) => {
      if (event.type !== 'tool_call_confirmation') return;
      asked.push(event.value.request.name);
      env.agent.session.respond(event.value.request.callId, 'proceed_once', undefined, event);
    });
    // `trust` of a file frees nothing.
    expect(asked).toEqual(['mcp_own_echo']);
    expect(server.readRecord().calls('echo')).toHaveLength(1);
    expect(toolsOf(env.requestsOf('main')[1])).not.toContain('mcp_own_echo');
    await server.untilAlive((alive) => alive.length === 0);
  });

  it('that was cut by its limit goes on with its own history when it is resumed', async () => {
    const id: { value?: string | undefined } = {};
    await using env = await openSubagents(
      {
        main: main(invoke('r', 'one'), () => invoke('r', 'two', { resume: id.value }, 'q')),
        r: [
          answer(text('I found the needle.'), call('list_directory', { dir_path: '.' }, { id: '1' })),
          say('no'),
          complete('both'),
        ],
      },
      { homeFiles: R('max_turns: 1') },
    );
    const events = await env.ask('go', (event) => {
      if (event.type !== 'tool_call_response' || event.parentCallId !== undefined) return;
      id.value ??= /resume "([\w-]+)"/.exec(JSON.stringify(event.value.responseParts).replaceAll('\\"', '"'))?.[1];
    });
    expect(responseOf(events, 'p')['error']).toContain('It handed in no result. To continue it: invoke_agent');
    expect(sentText(env.requestsOf('r')[2])).toMatch(
      /I found the needle[^]*The program ended while you were working[^]*two/,
    );
    expect(responseOf(events, 'q')['output']).toContain('both');
  });

  it.each([
    ['../../etc/passwd', 'This session has no run'],
    ['r-00000000', 'This session has no run "r-00000000" to resume.'],
  ])('cannot be resumed as %s', async (resume, problem) => {
    await using env = await openSubagents({ main: main(invoke('r', 'x', { resume })) }, { homeFiles: R() });
    expect(responseOf(await env.ask('go'), 'p')['error']).toContain(problem);
  });

  it('is shown to the user step by step, as output of its call', async () => {
    await using env = await openSubagents({ main: main(invoke('r')), r: [look(), complete('x')] }, { homeFiles: R() });
    const events = await env.ask('go');
    const chunks = events.flatMap((event) =>
      event.type === 'tool_call_updated' && event.callId === 'p' && event.parentCallId === undefined ? [event] : [],
    );
    expect(JSON.stringify(chunks)).toMatch(/ReadFolder|ListDirectory|list_directory/i);
  });

  it('has the conversation, the files and the tools of no other run', async () => {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'one\n' }, homeFiles: R() });
    const edit = answer(call('replace', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, { id: 'e' }));
    await using env = await openSubagents(
      {
        main: main(answer(call('read_file', { file_path: 'a.txt' }, { id: 'm' })), invoke('r')),
        r: [edit, complete('x')],
      },
      { workspace, approvalMode: 'yolo' },
    );
    await env.ask('go');
    expect(
      bodyOf(env.requestsOf('r')[0]!)
        .contents.flatMap(({ parts }) => parts)
        .some((part) => 'functionResponse' in part),
    ).toBe(false);
  });
});
