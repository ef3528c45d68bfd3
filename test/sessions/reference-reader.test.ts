/** A session of ours, read as Gemini CLI reads its own. */

import { readFile } from 'node:fs/promises';
import { createGeminiGenerator, createWorkspaceAgent, openSession } from '@castor/core';
import type { AgentEvent, Content, WorkspaceAgent } from '@castor/core';
import { answer, call, createWorkspace, fakeModel, findConversationViolations, say } from '@castor/testkit';
import { text, thought, together } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { ForeignModel, foreignAnswer } from '../../packages/core/src/chat/foreign-model.fixture.ts';
import { readAsReference } from './reference-reader.ts';

const NEVER = new AbortController().signal;
/** Nothing is said twice in it: that would be taken for a loop. */
const LONG = Array.from({ length: 900 }, (_, index) => (index * index).toString(36)).join(' ');

async function ask(agent: WorkspaceAgent, words: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.session.prompt([{ text: words }], NEVER)) {
    events.push(event);
    if (event.type === 'tool_call_confirmation') agent.session.respond(event.value.request.callId, 'cancel');
  }
  return events;
}

describe('Gemini CLI', () => {
  it('finds in a session of ours what it knows, and sends on what we would have sent', async () => {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'text of a' } });
    const { home, project: root } = workspace;
    await using model = await fakeModel([
      // Thoughts and text.
      answer(thought('**Reading** what is there'), text(LONG)),
      // Calls beside each other: one succeeds, one fails. Then one that is declined.
      answer(
        together(call('read_file', { file_path: 'a.txt' }), call('read_file', { file_path: 'none.txt' })),
        text('Reading.'),
      ),
      say('Read.'),
      answer(call('write_file', { file_path: 'b.txt', content: 'b' })),
      // What the person goes back from.
      say('Never mind.'),
      // The summary, and its check.
      say('<state_snapshot>short</state_snapshot>'),
      say('<state_snapshot>short</state_snapshot>'),
      say('Here.'),
    ]);
    const session = await openSession({ home, root });
    const agent = await createWorkspaceAgent({
      generator: createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' }),
      model: 'gemini-2.5-flash',
      sessionId: session.sessionId,
      session,
      root,
      home,
      environment: {},
      interactive: true,
    });
    const read = async () => readAsReference(await readFile(session.recorder.path, 'utf8'));
    /** What the next request would begin with, without where we are. */
    const ours = () => agent.chat.getHistory().slice(1);

    await ask(agent, 'Begin');
    await ask(agent, 'Read both');
    const declined = await ask(agent, 'Write b');
    expect(declined.at(-1)).toMatchObject({ type: 'prompt_ended', outcome: 'cancelled' });
    const full = await read();
    expect([full.findings, findConversationViolations(withEnd(full.contents))]).toEqual([[], []]);
    // Results stand in the order the calls ended in.
    expect(partsOf(full.contents).toSorted()).toEqual(partsOf(ours()).toSorted());
    expect(full.messages.map(({ type }) => type)).toEqual(
      ['user', 'gemini', 'user', 'gemini', 'user', 'user', 'gemini', 'user', 'gemini', 'user'], //
    );
    const responses = ours().flatMap(({ parts = [] }) => parts.flatMap((part) => part.functionResponse ?? []));
    expect(responses.map(({ response = {} }) => Object.keys(response))).toEqual([['output'], ['error'], ['error']]);

    await ask(agent, 'Forget it');
    agent.chat.rewindTo(agent.chat.getHistory().findLast(({ role }) => role === 'user')!);
    expect([(await read()).findings, (await read()).messages.length]).toEqual([[], full.messages.length]);

    await agent.client.tryCompressChat('compress', true, NEVER);
    await ask(agent, 'Where are we?');
    await agent.dispose();
    const compressed = await read();
    expect([compressed.findings, findConversationViolations(withEnd(compressed.contents))]).toEqual([[], []]);
    expect(JSON.stringify(compressed.contents)).toContain('state_snapshot');
    expect(JSON.stringify(compressed.contents)).not.toContain(LONG);
    expect(partsOf(compressed.contents)).toEqual(partsOf(ours()));
    expect(model.violations).toEqual([]);
  });

  it('finds clean parts in a session of a provider with state, before and after a compression', async () => {
    await using workspace = await createWorkspace({});
    const { home, project: root } = workspace;
    const origin = {
      ...{ provider: 'foreign', protocol: 'foreign-1', model: 'm', endpoint: 'foreign.example' },
      blocks: [{ before: 0, type: 'thinking', text: 'SECRET', signature: 'SECRET' }],
    };
    const generator = new ForeignModel((request) => foreignAnswer([{ text: `${request} ${LONG}` }], origin));
    const session = await openSession({ home, root });
    const agent = await createWorkspaceAgent({
      ...{ generator, model: 'm', sessionId: session.sessionId, session, root, home, environment: {} },
    });
    const events: AgentEvent[] = [];
    for (const words of ['One', 'Two', 'Three', 'Four', 'Five']) events.push(...(await ask(agent, words)));
    const read = async () => readAsReference(await readFile(session.recorder.path, 'utf8'));
    const full = await read();
    await agent.client.tryCompressChat('compress', true, NEVER);
    const compressed = await read();
    await agent.dispose();
    expect(compressed.messages.length).not.toBe(full.messages.length);
    for (const { findings, contents, messages } of [full, compressed]) {
      expect([findings, findConversationViolations(withEnd(contents))]).toEqual([[], []]);
      expect(JSON.stringify(contents)).not.toContain('SECRET');
      expect(messages.filter((message) => 'origin' in message)).not.toEqual([]);
    }
    expect(JSON.stringify(events)).not.toContain('SECRET');
  });
});

/** Each with who said it; where a turn ends is the reader's business. */
function partsOf(contents: readonly Content[]) {
  return contents.flatMap(({ role, parts = [] }) => parts.map((part) => `${role} ${JSON.stringify(part)}`));
}

/** A conversation is sent with a next message. */
function withEnd(contents: readonly { role: string; parts: object[] }[]) {
  const next = { text: 'And now?' };
  const last = contents.at(-1);
  return last?.role === 'user'
    ? [...contents.slice(0, -1), { ...last, parts: [...last.parts, next] }]
    : [...contents, { role: 'user', parts: [next] }];
}
