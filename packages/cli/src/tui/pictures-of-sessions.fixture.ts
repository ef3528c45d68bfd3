/** What a session shows around its answers, for the golden pictures: agents, servers, changes, its header and its end. */

import type { PendingCall, ToolCallView } from '@castor/core';
import { describeStates } from '../slash/mcp-page.ts';
import { changesQuestion, decisionQuestion } from './choices/diff.ts';
import { callRows } from './components/call-rows.ts';
import type { FrameData } from './components/frame-data.ts';
import { renderExit } from './conversation/exit-summary.ts';
import { renderPage } from './conversation/outcome-rows.ts';
import { renderResumeHeader } from './conversation/resume-header.ts';
import { renderToolCall } from './conversation/tool-call.ts';
import { SelectDialog } from './dialogs/select-dialog.ts';
import { FILE_DIFF } from './pictures-of-questions.fixture.ts';
import type { DrawComponent } from './pictures-of-questions.fixture.ts';
import { grammars } from './render/grammars.ts';

function agent(name: string, task: string, change: Partial<ToolCallView>): PendingCall {
  return {
    callId: name,
    name: 'invoke_agent',
    display: { name: 'Agent', description: `${name}: ${task}` },
    status: 'executing',
    output: '',
    omittedOutput: 0,
    kind: 'other',
    ...change,
  } as PendingCall;
}

const AGENTS = [
  agent('reviewer', 'Review the checkout.', { output: "ReadFile src/api/checkout.ts\nSearchText 'checkout'\n" }),
  agent('tester', 'Run the tests.', { output: '(Looking for tests)\nShell npm test\nasks: Confirm Shell Command\n' }),
  agent('writer', 'Write the notes of the release.', {}),
];
const REPORT =
  'The API has no check.\n\n1. checkout.ts takes any voucher\n2. nothing tests it\n3. nothing logs it\n4. x';

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

const CHANGED = ['src/cart.ts', 'src/api/checkout.ts'].map((name) => ({
  path: `/shop/${name}`,
  name,
  diffs: [FILE_DIFF],
  prompts: [1, 2],
  revert: async () => [],
}));

export const SESSION: Readonly<Record<string, DrawComponent>> = {
  agents: (styles, width) => {
    const size = { columns: width + 1, rows: 24 };
    const data = { styles, size, calls: AGENTS, held: [] } as unknown as FrameData;
    const done = agent('reviewer', 'Review the checkout.', { status: 'success', result: REPORT });
    return [
      ...callRows(data, 12, false),
      '',
      ...renderToolCall(done, { styles, width, maxRows: 12, moreKey: 'ctrl+o', took: '1m 04s' }),
    ];
  },
  servers: (styles, width) =>
    renderPage(describeStates({ states: SERVERS, search: undefined }, { tools: TOOLS }), { styles, width }),
  changes: (styles, width) => {
    const space = { styles, width, maxRows: 40 };
    return [
      ...new SelectDialog(changesQuestion(CHANGED, { grammars }), () => {}).view(space).rows,
      '',
      ...new SelectDialog(decisionQuestion(CHANGED[0]!, { grammars }), () => {}).view(space).rows,
    ];
  },
  resume: (styles, width) =>
    renderResumeHeader({ title: 'Cart totals below zero', messages: 12, age: 7_200_000 }, { styles, width }),
  exit: (styles) => {
    const spent = { ms: 842_000, calls: 9, files: 3, added: 62, removed: 1, usd: 0.02 };
    return renderExit({ sessionId: '1a960dce-7a27-4070-9e78-d1058868afef', ...spent }, styles);
  },
};
