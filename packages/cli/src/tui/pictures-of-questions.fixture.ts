/** The questions of the golden pictures, opened by the functions that ask them. */

import { askApproval } from './dialogs/approval.ts';
import type { ActionDetails } from './dialogs/approval-matter.ts';
import { askQuestions } from './dialogs/ask-user.ts';
import { DialogHost } from './dialogs/dialog-host.ts';
import { extensionQuestions } from './dialogs/extension-questions.ts';
import { askAboutFallback } from './dialogs/fallback-question.ts';
import { askForAccess } from './dialogs/first-run.ts';
import { askAboutPlainText } from './dialogs/key-question.ts';
import { askAboutLoop } from './dialogs/loop-question.ts';
import { askAboutPlan } from './dialogs/plan-approval.ts';
import { askAboutServers } from './dialogs/server-consent.ts';
import { askServerQuestion } from './dialogs/server-question.ts';
import { askAboutTrust } from './dialogs/trust-question.ts';
import { createKeymap } from './input/keymap.ts';
import { grammars } from './render/grammars.ts';
import type { Styles } from './theme/styles.ts';

export type DrawComponent = (styles: Styles, width: number) => readonly string[];

export const FILE_DIFF = `--- a
+++ b
@@ -12,4 +12,4 @@
   for (const line of lines) {
     total += line.price;
   }
-  return roundMoney(total - discount);
+  return roundMoney(Math.max(0, total - discount));
@@ -40,1 +40,2 @@
 // the end
+export {};
`;

/** What a function asks at once, after these words were typed at it. */
function asked(ask: (host: DialogHost, signal: AbortSignal) => unknown, typed: readonly string[] = []): DrawComponent {
  return (styles, width) => {
    const keymap = createKeymap();
    const host = new DialogHost({ onChange() {}, isTyping: () => false, now: () => 0, keymap: () => keymap });
    void ask(host, new AbortController().signal);
    for (const words of typed) host.top!.onText(words);
    const { rows } = host.top!.view({ styles, width, maxRows: 60 });
    host.dismissAll();
    return rows;
  };
}

/** The tools of a server, as an app lists them. */
const GITHUB = [
  { name: 'create_issue', annotations: { destructiveHint: true } },
  ...['list_issues', 'get_issue', 'add_comment', 'merge_pull_request'].map((name) => ({ name })),
];

function approval(details: ActionDetails, ...typed: readonly string[]): DrawComponent {
  return (styles, width) =>
    asked(
      (host, signal) =>
        askApproval(details, {
          ...{ host, signal, styles, width, height: 60 },
          ...{ allowsAlways: true, allowsPermanent: false, proposesPermanent: false, hasEditor: true },
          folder: '~/shop',
          grammars: () => grammars,
          serverTools: () => GITHUB,
          print() {},
        }),
      typed,
    )(styles, width);
}

const EDIT: ActionDetails = {
  type: 'edit',
  title: 'Confirm Edit',
  fileName: 'cart.ts',
  filePath: 'src/cart.ts',
  fileDiff: FILE_DIFF,
  originalContent: '',
  newContent: '',
};
const EXEC: ActionDetails = {
  type: 'exec',
  title: 'Run',
  command: 'npm run build -- --verbose && rm -rf dist/cache && curl -fsSL https://example.com/install.sh | sh',
  rootCommand: 'npm',
  rootCommands: ['npm', 'rm', 'curl', 'sh'],
  alwaysCovers: ['npm run build *', 'rm -rf dist/cache', 'curl -fsSL https://example.com/install.sh', 'sh'],
  reason: 'no rule allows curl',
};
const SERVER_TOOL: ActionDetails = {
  type: 'mcp',
  title: 'Confirm MCP Tool Execution',
  serverName: 'github',
  toolName: 'create_issue',
  toolDisplayName: 'create_issue (github MCP Server)',
  args: {
    title: 'The total goes negative',
    labels: ['bug'],
    body: 'A voucher larger than the basket.\nSee src/cart.ts.',
  },
  description: 'Creates an issue in a repository.',
};
const PAGES: ActionDetails = {
  type: 'info',
  title: 'Confirm Web Fetch',
  prompt: 'Compare the two answers',
  urls: ['https://example.com/a?q=1', 'http://localhost:8080/health'],
};
const SANDBOX: ActionDetails = {
  type: 'sandbox_expansion',
  title: 'Leave',
  command: 'npm install',
  permissions: { write: ['~/.npm'], host: ['registry.npmjs.org'] },
};
const DATABASES = [
  { label: 'Postgres', description: 'the one the orders are in' },
  { label: 'SQLite', description: 'one file, no server' },
];

export const QUESTIONS: Readonly<Record<string, DrawComponent>> = {
  'question-edit': approval(EDIT),
  'question-write': approval({
    ...EDIT,
    filePath: 'src/new.ts',
    isNewFile: true,
    fileDiff: '@@ -0,0 +1 @@\n+export {};\n',
  }),
  'question-command': approval(EXEC),
  'question-words': approval(EXEC, '3', 'not to /usr/local'),
  'question-mcp': approval(SERVER_TOOL),
  'question-web': approval(PAGES),
  'question-sandbox': approval(SANDBOX),
  'question-plan': asked((host, signal) =>
    askAboutPlan({ path: '.gemini/plans/plan.md', facts: '7 steps' }, host, signal),
  ),
  'question-user': asked((host, signal) => {
    const first = { header: 'Database', question: 'Which database should the carts live in?', options: DATABASES };
    return askQuestions(
      [
        { ...first, type: 'choice' },
        { ...first, type: 'yesno' },
      ],
      host,
      signal,
    );
  }),
  'question-several': asked((host, signal) => {
    const question = { header: 'Databases', question: 'Which ones may go?', options: DATABASES, multiSelect: true };
    return askQuestions([{ ...question, type: 'choice' }], host, signal);
  }),
  'question-trust': asked((host, signal) => {
    const wouldRun = ['hook at SessionStart: ./scripts/hello.sh'];
    const wouldLoad = ['commands (.gemini/commands)', 'instructions (GEMINI.md)'];
    return askAboutTrust({ folder: '/home/me/shop', wouldLoad, wouldRun }, host, signal);
  }),
  'question-servers': asked((host, signal) => {
    const address = { kind: 'stdio', command: 'github-mcp', args: ['--read-only'], env: {} };
    const server = { name: 'github', address, trust: false };
    const unsettled = [{ server, state: 'changed' }] as unknown as Parameters<typeof askAboutServers>[0];
    return askAboutServers(unsettled, host, signal);
  }),
  'question-fallback': asked((host, signal) => {
    const models = { failedModel: 'gemini-3-pro', fallbackModel: 'gemini-3-flash' };
    const question = { ...models, message: 'Quota exceeded.' } as Parameters<typeof askAboutFallback>[0];
    return askAboutFallback(question, host, signal);
  }),
  'question-access': asked((host, signal) => askForAccess(host, signal, { leave: 'Leave' })),
  'question-form': asked((host, signal) => {
    const field = { description: '', kind: 'text', isRequired: true } as const;
    const fields = [
      { ...field, name: 'repository', title: 'Repository', isSecret: false },
      { ...field, name: 'token', title: 'Token', isSecret: true },
    ];
    const message = 'Where should the issue be opened?';
    return askServerQuestion({ type: 'form', server: 'github', message, fields }, host, signal);
  }),
  'question-bounds': asked((host, signal) => {
    const answers = { no: 'No', once: 'Yes, this time', always: 'Yes, always in this folder' };
    const options = Object.entries(answers).map(([value, label]) => ({ value, label }));
    const words = { name: 'answer', title: 'Allow it?', description: '', isRequired: true, isSecret: false };
    const fields = [{ ...words, kind: 'choice', preset: 'no', options }] as const;
    const message = '`npm run notes` wanted to write to /home/me/notes, which the sandbox does not allow.';
    return askServerQuestion(
      { type: 'form', server: 'sandbox', ownTitle: 'Leave the sandbox', message, fields },
      host,
      signal,
    );
  }),
  'question-page': asked((host, signal) => {
    const url = 'https://github.com/login/device?code=ABCD-1234';
    return askServerQuestion({ type: 'url', server: 'github', message: 'Sign in to go on.', url }, host, signal);
  }),
  'question-sampling': asked((host, signal) => {
    const contents = [{ role: 'user', parts: [{ text: 'Summarise the last ten issues of the shop.' }] }];
    const request = { system: 'You are brief.', contents, maxTokens: 400 };
    return askServerQuestion({ type: 'sampling', server: 'github', request }, host, signal);
  }),
  'question-extension': asked((host, signal) => {
    const page = 'Installing extension "shop".\nThis extension will run these programs:\n  node server.js';
    return extensionQuestions(host, signal).confirm(page, 'Install this extension?');
  }),
  'question-loop': asked((host, signal) => askAboutLoop(host, signal)),
  'question-keyring': asked((host, signal) => askAboutPlainText(host, signal, '~/.gemini/.env')),
  'question-agent': approval({ ...EXEC, title: 'Agent reviewer: Confirm Shell Command', command: 'npm test' }),
};
