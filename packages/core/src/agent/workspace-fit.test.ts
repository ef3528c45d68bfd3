/** Which tools and instructions a model gets, by its window and its family, in the bytes of the first request. */

import { say } from '@castor/testkit';
import type { ProtocolName } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { KnownModel } from '../provider/catalogue/provider-catalogue.ts';
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
