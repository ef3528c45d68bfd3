/** MCP servers in the terminal UI: the visible wait, questions of servers, approvals, prompts, and cancelling. */

import { answer, call, mcp, mcpServer, say } from '@castor/testkit';
import type { McpScript } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { lastParts, openTerminal } from '../tui/open-terminal.ts';
import type { OpenTerminalOptions } from '../tui/open-terminal.ts';

const ESC = '\x1b';
const DOWN = '\x1b[B';

async function open(script: McpScript, entry: object, options: OpenTerminalOptions & { mcp?: object } = {}) {
  const server = await mcpServer(script);
  const { mcp: more = {}, ...rest } = options;
  const settings = { mcpServers: { docs: { httpUrl: server.url, ...entry } }, mcp: more };
  const opened = await openTerminal({ columns: 100, rows: 40, ...rest, settings });
  return {
    ...opened,
    server,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a server that is late', () => {
  it('is named while a prompt waits for it; Esc sends the prompt without it, and its tools come later', async () => {
    const rules = [mcp.on('initialize', [mcp.gate('slow'), mcp.answer()])];
    const script = { tools: [{ name: 'find' }], rules };
    await using run = await open(script, { timeout: 600_000 }, { mcp: { promptWait: 600, startLimit: 600 } });
    const { terminal, model, server } = run;
    terminal.type('hi\r');
    await terminal.waitForText(/Connecting to MCP servers\.\.\. \(0\/1\) - Waiting for: docs · .*esc skips/);
    expect(model.requests).toEqual([]);
    terminal.type(ESC);
    await terminal.waitForText(/^ok$/m);
    await terminal.waitForText('These MCP servers are still connecting');
    server.release('slow');
    terminal.type('/mcp\r');
    await terminal.waitForText(/[✓▸] docs {2}/);
    await server.record.until((record) => record.received('tools/list').length === 1);
    // The server was asked for its tools; the program may still be reading the answer when a prompt leaves.
    for (let count = 2; !JSON.stringify(model.requests.at(-1)?.body).includes('mcp_docs_find'); count += 1) {
      terminal.type('again\r');
      await model.waitForRequest(count);
      await terminal.waitForText(/Type your message/);
    }
  });
});

describe('a call', () => {
  it('is approved with server, tool and all arguments, and Esc while it runs cancels it at the server', async () => {
    const long = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`key${index}`, `value ${index}`]));
    const tools = [
      {
        name: 'work',
        description: 'Works hard.',
        run: [mcp.progress(1, { total: 4, message: 'digging' }), mcp.untilCancelled()],
      },
    ];
    await using run = await open({ tools }, {}, { script: [answer(call('mcp_docs_work', long)), say('ok')] });
    const { terminal, server } = run;
    terminal.type('go\r');
    await terminal.waitForText('until you leave also every tool of docs');
    const screen = terminal.screen().join('\n');
    for (const words of ['Use docs: work', 'key0  value 0', 'key7  value 7', 'says of itself: Works hard.']) {
      expect(screen).toContain(words);
    }
    terminal.type('1');
    await terminal.waitForText('digging 25%');
    terminal.type(ESC);
    await server.record.until((record) => record.of('cancelled').length === 1);
    server.record.assertLegal();
  });
});

describe('questions and prompts of a server', () => {
  const SCRIPT: McpScript = {
    tools: [
      {
        name: 'ask',
        run: [
          mcp.request('elicitation/create', {
            message: 'Who are you?',
            requestedSchema: {
              type: 'object',
              properties: {
                name: { type: 'string', title: 'Name', minLength: 2 },
                token: { type: 'string', title: 'Access token' },
                colour: { type: 'string', enum: ['red', 'green'] },
              },
              required: ['name', 'token', 'colour'],
            },
          }),
        ],
      },
    ],
    prompts: [
      {
        name: 'review',
        description: 'Reviews a file.',
        arguments: [{ name: 'file', required: true }],
        completions: { file: ['a.ts'] },
      },
    ],
    resources: [{ uri: 'doc://intro', name: 'Introduction', text: 'Welcome.' }],
    rules: [mcp.on('resources/read', [mcp.failure(-1, 'gone')], { nth: 1 })],
  };

  it('asks in a dialog that names the server and warns of a secret; prompts and resources are completed', async () => {
    await using run = await open(
      SCRIPT,
      { trust: true },
      { script: [answer(call('mcp_docs_ask', {})), say('thanks'), say('done')] },
    );
    const { terminal, server, model } = run;
    terminal.type('go\r');
    await terminal.waitForText('The MCP server docs asks for data');
    await terminal.waitForText('Who are you?');
    await terminal.waitForText('This looks like a secret.');
    terminal.type('too2early');
    await terminal.waitForText('What you typed was dropped: choose an answer here first.');
    // An arrow ends the word; a digit before a pause would be a part of it.
    terminal.type(DOWN);
    await terminal.waitForText('❯ 2  Decline');
    terminal.type('1');
    await terminal.waitForText('1/3');
    terminal.type('A\r');
    await terminal.waitForText('Enter a text of a length of at least 2.');
    terminal.type('da\r');
    await terminal.waitForText('2/3');
    terminal.type('hunter2\r');
    await terminal.waitForText('3/3');
    expect(terminal.screen().join('\n')).not.toContain('hunter2');
    terminal.type(DOWN);
    await terminal.waitForText('❯ 2  green');
    terminal.type('\r');
    await terminal.waitForText('thanks');
    expect(terminal.screen().join('\n')).not.toContain('early');
    expect(JSON.stringify(model.requests[1]?.body)).not.toContain('early');
    expect(server.record.answers.at(-1)).toMatchObject({
      result: { action: 'accept', content: { name: 'Ada', token: 'hunter2', colour: 'green' } },
    });

    terminal.type('/rev');
    await terminal.waitForText('Reviews a file. (docs)');
    terminal.type('\t');
    await terminal.waitForText(/^❯ \/review$/m);
    terminal.type('--file="a');
    await terminal.waitForText('--file="a.ts"');
    terminal.type('\t');
    await terminal.waitForText('❯ /review --file="a.ts"');
    terminal.type('\r');
    await model.waitForRequest(3);
    expect(lastParts(model)).toEqual([
      { text: '<server_prompt server="docs" name="review">\nreview {"file":"a.ts"}\n\n</server_prompt>' },
    ]);
    await terminal.waitForText('done');

    terminal.type('@docs:doc://intro again\r');
    await terminal.waitForText('is not readable: The MCP server docs failed: gone');
    // What was not sent is in the input again.
    await terminal.waitForText('❯ @docs:doc://intro again');
    terminal.type('\u0015');
    await terminal.waitForText(/^❯ (?!@)/m);

    terminal.type('@docs:in');
    await terminal.waitForText('Introduction');
    terminal.type('\t');
    await terminal.waitForText('@docs:doc://intro');
    terminal.type('tell me\r');
    await model.waitForRequest(4);
    expect(JSON.stringify(lastParts(model))).toContain('Welcome.');
  });
});
