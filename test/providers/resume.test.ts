/**
 * Sessions in real files: the request after a kill and a resume is to the byte the one that was cut off, with the state
 * of its provider (T24); Gemini CLI reads the file (T25); a session of one provider resumes on any other.
 */

import { readFile } from 'node:fs/promises';
import { createAgent, openSession } from '@castor/core';
import type { AgentEvent, OpenedSession } from '@castor/core';
import {
  answer,
  call,
  createFakeClock,
  createWorkspace,
  fakeModel,
  findConversationViolations,
  finish,
  Memory,
  say,
  text,
  thought,
} from '@castor/testkit';
import type { FakeModel, Step, Workspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../../packages/core/src/provider/providers.ts';
import { variants } from '../house/variants.ts';
import { readAsReference } from '../sessions/reference-reader.ts';
import { conversationOf, openAt, PROTOCOLS, sceneTools, switchOf, withState } from './scene.fixture.ts';

const PAIRS = PROTOCOLS.flatMap((from) => PROTOCOLS.filter((to) => to !== from).map((to) => [from, to] as const));

/** Thinking with state, one of its pieces no well-formed text, then words and a call. */
const thinks = (protocol: ProtocolName, state: string, path: string): Step =>
  protocol === 'gemini'
    ? answer(thought('**Reading** it'), text('I read.'), call('read_file', { path }, { signature: state }), finish())
    : answer(
        thought(protocol === 'anthropic' ? `odd \ud83d ${state}` : `think ${state}`, { signature: state }),
        text('I read.'),
        call('read_file', { path }, { id: `call_${path}` }),
        finish(),
      );

async function openModel(protocol: ProtocolName, script: readonly Step[], memory = new Memory()): Promise<FakeModel> {
  return fakeModel(script, { ...withState(protocol).server, memory });
}

/** A process of its own, as far as a session can tell: nothing but the file is shared with another. */
async function openProcess(workspace: Workspace, protocol: ProtocolName, model: FakeModel, resume?: string) {
  const { access } = withState(protocol, { images: true });
  const provider = await openAt(protocol, model.url, { access });
  const generator = switchOf({ [provider.access.id]: provider });
  await generator.prepare(`my-${protocol}/m`);
  const { home, project: root } = workspace;
  const session: OpenedSession = await openSession({ home, root, ...(resume && { resume }) });
  const agent = createAgent({
    generator,
    model: `my-${protocol}/m`,
    sessionId: session.sessionId,
    tempDirectory: home,
    systemInstruction: 'Be brief.',
    history: session.history,
    chatRecorder: session.recorder,
    callRecorder: session.recorder,
    record: (event, input) => session.recorder.observe(event, input),
    tools: sceneTools([]),
    clock: createFakeClock(),
  });
  return {
    session,
    agent,
    async ask(words: string): Promise<AgentEvent | undefined> {
      let last: AgentEvent | undefined;
      for await (const event of agent.session.prompt(words, new AbortController().signal)) last = event;
      return last;
    },
    /** As a killed process: what was written stays, the lock is free. */
    end: () => session.recorder.close(),
  };
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  it('T24 T25 sends to the byte the same after a resume, and Gemini CLI reads the file', async () => {
    const script = [thinks(protocol, 'state-1', 'a'), say('Read.'), say('And so on.')];
    await using through = await createWorkspace({});
    await using whole = await openModel(protocol, script);
    const one = await openProcess(through, protocol, whole);
    await one.ask('first');
    await one.ask('second');
    one.end();

    await using cut = await createWorkspace({});
    await using model = await openModel(protocol, script);
    const before = await openProcess(cut, protocol, model);
    await before.ask('first');
    before.end();
    const after = await openProcess(cut, protocol, model, 'latest');
    expect(await after.ask('second')).toMatchObject({ type: 'prompt_ended', outcome: 'completed' });
    after.end();
    model.assertDone();
    expect(JSON.stringify(conversationOf(model)[2]!.body)).toBe(JSON.stringify(conversationOf(whole)[2]!.body));
    expect(JSON.stringify(conversationOf(model)[2]!.body)).toContain('state-1');

    const read = readAsReference(await readFile(after.session.recorder.path, 'utf8'));
    expect([
      read.findings,
      findConversationViolations([...read.contents, { role: 'user', parts: [{ text: '?' }] }]),
    ]).toEqual([[], []]);
    if (protocol !== 'gemini') expect(JSON.stringify(read.contents)).not.toContain('state-1');
  });

  it('T24 resumes a call that was cut off: legal, and with the state of its turn', async () => {
    const script = [thinks(protocol, 'state-1', 'a'), say('Never mind.')];
    await using workspace = await createWorkspace({});
    await using model = await openModel(protocol, script);
    const before = await openProcess(workspace, protocol, model);
    for await (const event of before.agent.session.prompt('first', new AbortController().signal)) {
      if (event.type === 'tool_call_request') break;
    }
    before.end();
    const after = await openProcess(workspace, protocol, model, 'latest');
    expect(await after.ask('go on')).toMatchObject({ type: 'prompt_ended', outcome: 'completed' });
    after.end();
    model.assertDone();
    expect(JSON.stringify(conversationOf(model)[1]!.body)).toContain('state-1');
  });
});

describe('a session', () => {
  variants.each(PAIRS)('of %s resumes on %s, and back', async (from, to) => {
    const memory = new Memory();
    await using workspace = await createWorkspace({});
    await using one = await openModel(from, [thinks(from, 'state-1', 'a'), say('Read.'), say('Back.')], memory);
    await using two = await openModel(to, [thinks(to, 'state-2', 'b'), say('Read too.'), say('Last.')], memory);
    const order = [
      [from, one],
      [to, two],
      [from, one],
      [to, two],
    ] as const;
    for (const [index, [protocol, model]] of order.entries()) {
      const opened = await openProcess(workspace, protocol, model, index === 0 ? undefined : 'latest');
      expect(await opened.ask(`prompt ${index}`)).toMatchObject({ type: 'prompt_ended', outcome: 'completed' });
      opened.end();
    }
    one.assertDone();
    two.assertDone();
    const [last, other] = [one, two].map((model) => JSON.stringify(conversationOf(model).at(-1)!.body));
    expect([last!.includes('state-1'), last!.includes('state-2')]).toEqual([true, false]);
    expect([other!.includes('state-1'), other!.includes('state-2')]).toEqual([false, true]);
  });
});
