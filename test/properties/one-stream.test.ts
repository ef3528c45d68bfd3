/** One recorded stream, all surfaces: the fold and every writer must tell the same story. */

import { createGeminiGenerator, createTranscript, createWorkspaceAgent, getPendingItems, reduce } from '@castor/core';
import type { AgentEvent } from '@castor/core';
import { answer, call, createWorkspace, fakeModel, fault, say, text } from '@castor/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { JsonWriter } from '../../packages/cli/src/headless/json-writer.ts';
import { RunSummary } from '../../packages/cli/src/headless/run-summary.ts';
import { StreamJsonWriter } from '../../packages/cli/src/headless/stream-json-writer.ts';
import { TextWriter } from '../../packages/cli/src/headless/text-writer.ts';
import type { HeadlessWriter } from '../../packages/cli/src/headless/writer.ts';
import type { Output } from '../../packages/cli/src/output.ts';

const SAID = ['Let me look.', 'It is empty, and that is all.'];

async function record(): Promise<AgentEvent[]> {
  await using workspace = await createWorkspace();
  await using model = await fakeModel([
    fault('reset_mid_stream', { after: [text('void ')] }),
    answer(text('Let me '), text('look.'), call('list_directory', { dir_path: '.' }, { id: 'c1' })),
    fault('end_without_finish', { after: [text('void too')] }),
    say(['It is empty, ', 'and that is all.']),
  ]);
  const agent = await createWorkspaceAgent({
    generator: createGeminiGenerator({ baseUrl: model.url, apiKey: 'k' }),
    model: 'gemini-2.5-flash',
    sessionId: 's',
    root: workspace.project,
    home: workspace.home,
    environment: {},
    retry: { streamDelayMs: 1 },
  });
  const events: AgentEvent[] = [];
  for await (const event of agent.session.prompt('Look', new AbortController().signal, { text: 'Look' })) {
    events.push(JSON.parse(JSON.stringify(event)) as AgentEvent);
  }
  await agent.dispose();
  return events;
}

async function write(events: AgentEvent[], open: (output: Output) => HeadlessWriter): Promise<string> {
  let shown = '';
  const output: Output = {
    isLive: false,
    closed: new AbortController().signal,
    failure: undefined,
    answer: async (words) => {
      shown += words;
    },
    endAnswer: async () => {
      if (!shown.endsWith('\n')) shown += '\n';
    },
    note: () => {},
    drained: async () => {},
    abandon: () => undefined,
  };
  const writer = open(output);
  const summary = new RunSummary();
  for (const event of events) {
    summary.add(event);
    await writer.write(event);
  }
  const metrics = { models: {}, tools: {}, files: {} } as never;
  await writer.end({ summary, metrics, durationMs: 0 });
  return shown;
}

describe('one recorded stream', () => {
  let events: AgentEvent[];
  beforeAll(async () => {
    events = await record();
  });

  it('is folded into what was said and nothing that was void', () => {
    const transcript = events.reduce(reduce, createTranscript());
    const items = [...transcript.committed.slice(0), ...getPendingItems(transcript)];
    const texts = items.flatMap((item) => (item.type === 'gemini' ? [item.text] : []));
    expect(texts).toEqual(SAID);
  });

  it('is written as the same words in text', async () => {
    expect(await write(events, (output) => new TextWriter(output))).toBe(`${SAID.join('\n')}\n`);
  });

  it('ends with the same words in json', async () => {
    const shown = await write(events, (output) => new JsonWriter(output, 's'));
    expect((JSON.parse(shown) as { response: string }).response).toBe(SAID[1]);
  });

  it('gives the same words in stream-json to a reader that heeds retry', async () => {
    const open = (output: Output) => new StreamJsonWriter(output, { sessionId: 's', model: 'm' });
    // The metrics of no session suffice: only the words are compared.
    const lines = (await write(events.slice(0, -1), (output) => ({ ...quiet(open(output)) }))).trimEnd().split('\n');
    const turns = [''];
    for (const line of lines.map((each) => JSON.parse(each) as { type: string; content?: string })) {
      if (line.type === 'message') turns[turns.length - 1] += line.content ?? '';
      if (line.type === 'retry') turns[turns.length - 1] = '';
      if (line.type === 'tool_result') turns.push('');
    }
    expect(turns).toEqual(SAID);
  });
});

function quiet(writer: StreamJsonWriter): HeadlessWriter {
  return { write: (event) => writer.write(event), end: () => undefined };
}
