/**
 * A second opinion: a server of other authors answers every protocol, and our adapters read the same from it as from our
 * own. It judges reading, not sending. Skipped where it is not installed.
 */

import { describe, expect, it } from 'vitest';
import { openScene, PROTOCOLS } from './scene.fixture.ts';
import { createEndpoint } from '../../packages/core/src/provider/wire/endpoint.ts';

interface Mock {
  readonly url: string;
  on(match: object, response: object): unknown;
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
}

/** Named by a variable: the types of a package that may be absent are not checked. */
const PACKAGE = '@copilotkit/aimock';
const LLMock = await import(PACKAGE).then(
  (module: { LLMock: new (options: { port: number }) => Mock }) => module.LLMock,
  () => undefined,
);
const BASES = { gemini: '/v1beta', chat: '/v1', responses: '/v1', anthropic: '', ollama: '' };

describe.skipIf(!LLMock).each(PROTOCOLS)('%s', (protocol) => {
  it('reads thoughts, text and parallel calls, and the answer after their results', async () => {
    const mock = new LLMock!({ port: 0 });
    const calls = ['a', 'b'].map((path) => ({ name: 'read_file', arguments: JSON.stringify({ path }) }));
    mock.on({ userMessage: 'read both', hasToolResult: false }, { toolCalls: calls });
    mock.on({ userMessage: 'read both', hasToolResult: true }, { content: 'Both are read. 🦫' });
    mock.on({ userMessage: 'think' }, { reasoning: 'I ponder.', content: 'Thought.' });
    await mock.start();
    try {
      const endpoint = createEndpoint({
        baseUrl: `${mock.url}${BASES[protocol]}`,
        key: { value: 'any-key-at-all', header: 'authorization' },
      });
      await using scene = await openScene(protocol, [], {
        access: { endpoint: { ...endpoint, isLocal: false }, models: { m: { tools: true } } },
      });
      expect(await scene.ask('read both')).toMatchObject({
        text: 'Both are read. 🦫',
        retries: [],
        outcome: 'completed',
      });
      expect(scene.ran.map(({ args }) => args)).toEqual([{ path: 'a' }, { path: 'b' }]);
      expect(await scene.ask('think')).toMatchObject({ text: 'Thought.', retries: [], outcome: 'completed' });
    } finally {
      await mock.stop();
    }
  });
});
