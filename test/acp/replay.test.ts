/** A session that an editor loads looks as it did live: every call, both versions of a file, output, pictures, messages. */

import type { ContentBlock } from '@agentclientprotocol/sdk';
import { answer, call, say, text } from '@castor/testkit';
import { expect, it } from 'vitest';
import { Editor } from './editor.fixture.ts';
import type { ShownCall } from './editor.fixture.ts';
import { openScene } from './scene.fixture.ts';

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const MANY = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join('');
const TODOS = [{ description: 'one', status: 'pending' }];

/** A formatter. */
const SCRIPT =
  'const fs = require("fs"); const f = process.argv[1]; fs.writeFileSync(f, fs.readFileSync(f, "utf8").trim() + "\\n")';
const TIDY = { command: process.execPath, args: ['-e', SCRIPT, '{file}'], extensions: ['.md'] };

const edit = (id: string, from: string, to: string, file_path = 'many.txt') =>
  call('replace', { file_path, old_string: from, new_string: to, instruction: 'x' }, { id });

/** What the user sees of a call. */
function seen({ toolCallId, title, kind, locations, content, rawInput, statuses }: ShownCall) {
  return { toolCallId, title, kind, locations, content, rawInput, status: statuses.at(-1) };
}

it('a loaded session shows what the live one showed', async () => {
  const script = [
    answer(
      text('I work.'),
      call('read_file', { file_path: 'many.txt', start_line: 2 }, { id: 'read' }),
      edit('edit', 'line 20\n', 'LINE\n'),
      call('write_file', { file_path: 'new.txt', content: 'new\n' }, { id: 'write' }),
      call('write_file', { file_path: 'kept.md', content: '  one  ' }, { id: 'formatted' }),
      call('run_shell_command', { command: 'seq 1 400' }, { id: 'long' }),
      call('run_shell_command', { command: 'echo hi; exit 3' }, { id: 'failed' }),
      call('write_todos', { todos: TODOS }, { id: 'todos' }),
      call('grep_search', { pattern: 'LINE', dir_path: '.' }, { id: 'search' }),
    ),
    answer(
      text('I edit again.'),
      edit('again', 'line 2\n', 'line two\n'),
      edit('windows', 'b', 'B\nand', 'windows.txt'),
      edit('mixed', 'b', 'B', 'mixed.txt'),
      call('write_file', { file_path: 'whole.txt', content: 'a\nB\n' }, { id: 'whole' }),
    ),
    say('done'),
  ];
  await using scene = await openScene(script, {
    files: {
      ...{ 'many.txt': MANY, 'kept.md': 'zero\n', 'whole.txt': 'a\r\nb\r\n' },
      ...{ 'windows.txt': '\uFEFFa\r\nb\r\nc\r\n', 'mixed.txt': 'a\r\nb\nc\r\n' },
    },
    settings: { castor: { diagnostics: { formatters: { tidy: TIDY }, timeout: 60 } } },
    args: ['--model', 'gemini-2.5-pro', '--approval-mode', 'yolo'],
  });
  const { editor, session, workspace, model } = scene;
  const picture: ContentBlock = { type: 'image', data: PICTURE, mimeType: 'image/png' };
  const sound: ContentBlock = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
  await editor.prompt(session, [{ type: 'text', text: 'look' }, picture, sound]);
  // The diff is that of the file as it is on disk, after the formatter.
  expect(await workspace.read('kept.md')).toBe('one\n');
  const diffOf = (id: string) => {
    const [{ oldText, newText } = {}] = editor.calls().find(({ toolCallId }) => toolCallId === id)!.content;
    return [oldText, newText];
  };
  expect(diffOf('formatted')).toEqual(['zero\n', 'one\n']);
  // Both texts have the line ends of the file; its byte order mark is no text.
  expect(diffOf('windows')).toEqual(['a\r\nb\r\nc\r\n', 'a\r\nB\r\nand\r\nc\r\n']);
  expect(await workspace.read('windows.txt')).toBe('\uFEFFa\r\nB\r\nand\r\nc\r\n');
  expect(diffOf('mixed')).toEqual(['a\r\nb\nc\r\n', 'a\r\nB\nc\r\n']);
  expect(diffOf('whole')).toEqual(['a\r\nb\r\n', 'a\r\nB\r\n']);
  await editor.request('session/close', { sessionId: session });

  await using second = await Editor.open({ workspace, model, env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } });
  await second.request('session/load', { sessionId: session, cwd: workspace.project, mcpServers: [] });
  expect(second.calls().map(seen)).toEqual(editor.calls().map(seen));
  expect(second.of('user_message_chunk').map(({ content }) => content)).toEqual([
    { type: 'text', text: 'look' },
    picture,
    sound,
  ]);
  expect(second.of('plan')).toEqual(editor.of('plan'));
  const messages = second.of('agent_message_chunk').map(({ content, messageId }) => ({ content, messageId }));
  expect(messages.map(({ content }) => content.type === 'text' && content.text)).toEqual([
    'I work.',
    'I edit again.',
    'done',
  ]);
  expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(3);
});
