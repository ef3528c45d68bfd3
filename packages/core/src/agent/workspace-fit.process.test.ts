/** Which tools and instructions a model gets, by its window and its family, in the bytes of the first request. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, finish, say } from '@castor/testkit';
import type { ProtocolName } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { KnownModel } from '../provider/catalogue/provider-catalogue.ts';
import { GeminiEventType } from '../protocol/events.ts';
import { openSession } from '../records/open-session.ts';
import { listRewindPoints, revertEdits } from '../records/rewind.ts';
import { openForeignWorkspace } from './foreign-model.fixture.ts';

const PROTOCOLS: ProtocolName[] = ['chat', 'responses', 'anthropic', 'ollama', 'gemini'];
const SERVERS = { ollama: { models: [{ name: 'm' }], key: null } };
const PROMPT = 'hi';

function provider(protocol: ProtocolName, known: KnownModel) {
  return {
    script: [say('ok'), say('ok')],
    protocol,
    options: SERVERS[protocol as 'ollama'] ?? {},
    access: { models: { m: known } },
  };
}

const toolNames = (body: unknown): string[] => {
  const { tools = [] } = body as { tools?: ToolOnWire[] };
  return tools.flatMap(({ name, function: own, functionDeclarations }) =>
    functionDeclarations ? functionDeclarations.map((each) => each.name) : [name ?? own?.name ?? ''],
  );
};
interface ToolOnWire {
  name?: string;
  function?: { name: string };
  functionDeclarations?: { name: string }[];
}

describe('the first request', () => {
  it.each(PROTOCOLS)('of a small window over %s has six tools, no tree and at most 4 KB', async (protocol) => {
    await using env = await openForeignWorkspace(
      { far: provider(protocol, { contextWindow: 16_384 }) },
      { model: 'far/m', tellsTree: true, files: { 'deep/in/a-file.txt': 'x' } },
    );
    await env.ask(PROMPT);
    const body = env.sent('far')[0]?.body;
    expect(toolNames(body).toSorted()).toEqual([
      'grep_search',
      'list_directory',
      'read_file',
      'replace',
      'run_shell_command',
      'write_file',
    ]);
    expect(JSON.stringify(body)).not.toContain('a-file.txt');
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(4_096 + PROMPT.length);
  });

  it.each(PROTOCOLS)('of a large window over %s has all tools and at most 12 KB', async (protocol) => {
    await using env = await openForeignWorkspace(
      { far: provider(protocol, { contextWindow: 200_000 }) },
      { model: 'far/m' },
    );
    await env.ask(PROMPT);
    const body = env.sent('far')[0]?.body;
    expect(toolNames(body)).toEqual(expect.arrayContaining(['glob', 'web_fetch', 'ask_user', 'replace']));
    expect(toolNames(body)).not.toContain('google_web_search');
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(12_288);
  });

  it('follows the model when it changes, and back', async () => {
    await using env = await openForeignWorkspace(
      { far: provider('chat', { contextWindow: 200_000 }), near: provider('chat', { contextWindow: 16_384 }) },
      { model: 'far/m' },
    );
    await env.ask('one');
    env.agent.setModel('near/m');
    await env.ask('two');
    env.agent.setModel('far/m');
    await env.ask('three');
    const [first, last] = env.sent('far');
    const small = env.sent('near')[0];
    expect(toolNames(small?.body)).toHaveLength(6);
    expect(toolNames(last?.body)).toEqual(toolNames(first?.body));
    const systemOf = (body: unknown) => (body as { messages: { content: string }[] }).messages[0]?.content;
    expect(systemOf(last?.body)).toBe(systemOf(first?.body));
    expect(systemOf(small?.body)).not.toBe(systemOf(first?.body));
  });
});

describe('a family that edits by patches', () => {
  const GPT: KnownModel = { family: 'gpt', contextWindow: 200_000 };
  const PATCH = [
    '*** Begin Patch',
    '*** Update File: a.txt',
    '-one',
    '+ONE',
    '*** Add File: .git/hooks/x',
    '+evil',
    '*** End Patch',
  ];
  const patch = (lines: readonly string[]) =>
    answer(call('apply_patch', { patch: lines.join('\n') }, { id: 'c' }), finish());
  const script = (lines: readonly string[]) => ({
    far: { script: [patch(lines), say('done')], access: { models: { m: GPT } } },
  });
  const SMALL = [...PATCH.slice(0, 4), '*** End Patch'];

  it('gets apply_patch instead of replace, and others do not', async () => {
    await using env = await openForeignWorkspace(
      { far: provider('chat', GPT), other: provider('chat', { contextWindow: 200_000 }) },
      { model: 'other/m' },
    );
    await env.ask('one');
    env.agent.setModel('far/m');
    await env.ask('two');
    const edits = (id: string) =>
      toolNames(env.sent(id)[0]?.body).filter((name) => ['apply_patch', 'replace', 'write_file'].includes(name));
    expect([edits('other'), edits('far')]).toEqual([
      ['replace', 'write_file'],
      ['write_file', 'apply_patch'],
    ]);
  });

  it('edits, and all its edits are undone with the session', async () => {
    const lines = [...PATCH.slice(0, 4), '*** Add File: b.txt', '+b', '*** Delete File: c.txt', '*** End Patch'];
    await using files = await createWorkspace({ files: { 'a.txt': 'one\n', 'c.txt': 'c\n' } });
    const { project: root, home } = files;
    const session = await openSession({ root, home });
    await using env = await openForeignWorkspace(script(lines), { model: 'far/m', root, home, session });
    await env.ask('go');
    const here = () => ['a.txt', 'b.txt', 'c.txt'].map((name) => existsSync(join(root, name)));
    expect([await files.read('a.txt'), here()]).toEqual(['ONE\n', [true, true, false]]);
    const [first] = listRewindPoints({ chat: env.agent.chat, recorder: session.recorder });
    const { problems } = await revertEdits(first!.edits, env.agent.workspace);
    expect([problems, await files.read('a.txt'), here()]).toEqual([[], 'one\n', [true, false, true]]);
  });

  it.each([
    ['autoEdit', SMALL, []],
    ['autoEdit', PATCH, ['c']],
    ['default', SMALL, ['c']],
  ] as const)('is asked in %s as for the edits the patch consists of', async (approvalMode, lines, asked) => {
    await using env = await openForeignWorkspace(script(lines), {
      model: 'far/m',
      approvalMode,
      trustedFolder: true,
      files: { 'a.txt': 'one\n' },
    });
    const questions: string[] = [];
    for await (const event of env.agent.session.prompt('go', new AbortController().signal)) {
      if (event.type !== GeminiEventType.ToolCallConfirmation) continue;
      questions.push(event.value.request.callId);
      env.agent.session.respond(event.value.request.callId, 'cancel');
    }
    expect(questions).toEqual(asked);
  });

  it('is not offered where a rule denies the edits', async () => {
    await using env = await openForeignWorkspace(script(SMALL), {
      model: 'far/m',
      rules: { exclude: ['replace'] },
      files: { 'a.txt': 'one\n' },
    });
    await env.ask('go');
    expect(toolNames(env.sent('far')[0]?.body)).not.toContain('apply_patch');
    expect(await env.workspace.read('a.txt')).toBe('one\n');
  });
});

describe('the family of a model', () => {
  const systemOf = async (known: KnownModel) => {
    await using env = await openForeignWorkspace({ far: provider('chat', known) }, { model: 'far/m' });
    await env.ask(PROMPT);
    const { body } = env.sent('far')[0]!;
    return (body as { messages: { content: string }[] }).messages[0]!.content;
  };

  it('adds at most a paragraph, and the advice to call tools side by side only where it works', async () => {
    const [claude, qwen, unknown] = [
      await systemOf({ family: 'claude', contextWindow: 200_000 }),
      await systemOf({ family: 'qwen', contextWindow: 200_000 }),
      await systemOf({ contextWindow: 200_000 }),
    ];
    expect(claude.split('\n\n').length).toBe(unknown.split('\n\n').length + 1);
    expect(qwen).toContain('never as text in an answer');
    expect([claude, qwen, unknown].map((text) => text.includes('side by side'))).toEqual([true, false, false]);
  });
});
