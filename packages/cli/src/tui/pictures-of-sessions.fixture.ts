/** What a session shows around its answers, for the golden pictures: agents, servers, changes, its header and its end. */

import type { PendingCall, ToolCallView } from '@castor/core';
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

const SERVERS = `MCP
  ✓ github    12 tools, 2 prompts · 340 ms
  ▸ linear    connecting, 4 s of 30 s
  ! sentry    sign in: /mcp auth sentry
  ✗ postgres  there is no command pg-mcp · ~/.gemini/settings.json:14
  - figma     off here: /mcp enable figma`;

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
  servers: (styles, width) => renderPage(SERVERS, { styles, width }),
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
