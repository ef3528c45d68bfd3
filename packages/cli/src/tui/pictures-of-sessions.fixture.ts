/** What a session shows around its answers, for the golden pictures: agents, servers, its header and its end. */

import { GeminiEventType, createTranscript, reduce } from '@castor/core';
import type { AgentEvent, Transcript } from '@castor/core';
import { describeStates } from '../slash/mcp-page.ts';
import { callRows } from './components/call-rows.ts';
import type { FrameData } from './components/frame-data.ts';
import { renderExit } from './conversation/exit-summary.ts';
import { renderPage } from './conversation/outcome-rows.ts';
import { renderResumeHeader } from './conversation/resume-header.ts';
import { renderToolCall } from './conversation/tool-call.ts';
import type { DrawComponent } from './pictures-of-questions.fixture.ts';

interface AgentRun {
  readonly name: string;
  readonly task: string;
  /** The lines that it tells of its steps; those with a name and an object are calls. */
  readonly steps?: readonly string[];
  readonly tokens?: number;
  readonly report?: string;
}

/** What a session says of a run, in the order in which it happens. */
function eventsOf({ name, task, steps = [], tokens = 0, report }: AgentRun): AgentEvent[] {
  const display = { name: 'Agent', description: `${name}: ${task}` };
  const request = { isClientInitiated: false, prompt_id: 'p' };
  const asked = { callId: name, name: 'invoke_agent', args: {}, display, ...request };
  const made = steps.filter((step) => /^[A-Z]\w+ /.test(step));
  return [
    { type: GeminiEventType.ToolCallRequest, value: asked },
    { type: 'tool_call_updated', callId: name, status: 'executing', shown: { display, kind: 'other', locations: [] } },
    ...made.map((_, index): AgentEvent => {
      const value = { callId: `${name}-${index}`, name: 'tool', args: {}, ...request };
      return { type: GeminiEventType.ToolCallRequest, value, parentCallId: name };
    }),
    {
      ...{ type: GeminiEventType.Finished, parentCallId: name },
      value: { reason: 'STOP', usageMetadata: { totalTokenCount: tokens } },
    },
    ...steps.map((step): AgentEvent => {
      return { type: 'tool_call_updated', callId: name, status: 'executing', output: `${step}\n` };
    }),
    ...(report === undefined ? [] : [endOf(name, report, tokens)]),
  ];
}

function endOf(callId: string, resultDisplay: string, tokens: number): AgentEvent {
  const data = { agentId: `${callId}-1a2b3c4d`, tokens, usd: 0.03 };
  const value = { callId, responseParts: [], resultDisplay, error: undefined, errorType: undefined, data };
  return { type: GeminiEventType.ToolCallResponse, value };
}

function playAgents(...runs: readonly AgentRun[]): Transcript {
  const begun = reduce(createTranscript(), { type: 'prompt_started', prompt_id: 'p' });
  return runs.flatMap(eventsOf).reduce(reduce, begun);
}

const REVIEW = ['ReadFile src/api/checkout.ts', "SearchText 'checkout'"];
const WORKING = playAgents(
  { name: 'reviewer', task: 'Review the checkout.', steps: REVIEW, tokens: 18_240 },
  {
    ...{ name: 'tester', task: 'Run the tests.' },
    steps: ['(Looking for tests)', 'Shell npm test', 'asks: Confirm Shell Command'],
  },
  { name: 'writer', task: 'Write the notes of the release.' },
);
const REPORT =
  'The API has no check.\n\n1. checkout.ts takes any voucher\n2. nothing tests it\n3. nothing logs it\n4. x';
const REVIEWED = playAgents({
  ...{ name: 'reviewer', task: 'Review the checkout.', steps: REVIEW },
  ...{ tokens: 31_400, report: REPORT },
});

/** A server in each state, as a session knows it. */
const SERVERS = [
  { name: 'github', status: 'ready', connectMs: 340, prompts: [{}, {}] },
  { name: 'linear', status: 'connecting' },
  { name: 'sentry', status: 'failed', needsSignIn: true },
  {
    name: 'postgres',
    status: 'failed',
    lastError: '"pg-mcp" could not be started: no such program (~/.gemini/settings.json:14)',
  },
  { name: 'figma', status: 'disabled' },
  { name: 'notes', status: 'untrusted' },
].map((state) => ({ prompts: [], resources: [], ...state })) as unknown as Parameters<
  typeof describeStates
>[0]['states'];
const TOOLS = Array.from({ length: 12 }, () => ({ server: { name: 'github' } })) as unknown as Parameters<
  typeof describeStates
>[1]['tools'];

export const SESSION: Readonly<Record<string, DrawComponent>> = {
  agents: (styles, width) => {
    const size = { columns: width + 1, rows: 24 };
    const calls = WORKING.pendingGroup?.calls ?? [];
    const data = { styles, size, calls, held: [], ageOf: () => '42 s' } as unknown as FrameData;
    const done = [...REVIEWED.committed].flatMap((item) => (item.type === 'tool_group' ? item.calls : []));
    return [
      ...callRows(data, 12, false),
      '',
      ...done.flatMap((each) => {
        return renderToolCall(each, { styles, width, maxRows: 12, moreKey: 'ctrl+o', took: '1m 04s' });
      }),
    ];
  },
  servers: (styles, width) =>
    renderPage(describeStates({ states: SERVERS, search: undefined }, { tools: TOOLS }), { styles, width }),
  resume: (styles, width) =>
    renderResumeHeader({ title: 'Cart totals below zero', messages: 12, age: 7_200_000 }, { styles, width }),
  exit: (styles) => {
    const spent = { ms: 842_000, calls: 9, files: 3, added: 62, removed: 1, usd: 0.02 };
    return renderExit({ sessionId: '1a960dce-7a27-4070-9e78-d1058868afef', ...spent }, styles);
  },
};
