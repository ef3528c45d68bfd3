import { describe, expect, it } from 'vitest';
import { createMask } from './mask-secrets.ts';

describe('what is shown of settings', () => {
  const mask = createMask({ MY_TOKEN: 'abcdefgh12', HOME: '/home/somebody', SHORT_KEY: 'abc' });

  const CASES: [string, unknown, unknown][] = [
    ['ui.theme', 'Nord', 'Nord'],
    [
      'mcpServers.a.env',
      { PATH: '/x', B: '$TOKEN', C: '${TOKEN}', D: '${TOKEN:-real}' },
      { PATH: '***', B: '$TOKEN', C: '${TOKEN}', D: '***' },
    ],
    ['mcpServers.a.env', { A: '$abcdefgh12', B: '$abc' }, { A: '***', B: '***' }],
    ['mcpServers.a.headers.Accept', 'json', '***'],
    [
      'mcpServers',
      { keys: { command: 'x', oauth: { clientId: 'a', scopes: ['s'] } } },
      { keys: { command: 'x', oauth: { clientId: '***', scopes: ['***'] } } },
    ],
    ['mcpServers.a.args', ['--api-key', 'x', '--token=y', '-p', 'z'], ['--api-key', '***', '--token=***', '-p', 'z']],
    ['mcpServers.a.url', 'https://u:p@host/x?api_key=1&b=2', 'https://u:***@host/x?api_key=***&b=2'],
    ['general.plan.directory', '/x/abcdefgh12/y/abc', '/x/***/y/abc'],
    ['myOwn.password', 'x', '***'],
    ['myOwn.list', ['AIzaSyA1234567890abcdefghijkl', 'word'], ['***', 'word']],
    ['security.auth.selectedType', 'gemini-api-key', 'gemini-api-key'],
    ['contextManagement.historyWindow.maxTokens', 150_000, 150_000],
    [
      'hooks.BeforeTool',
      [{ hooks: [{ command: 'x', env: { A: 'b' } }] }],
      [{ hooks: [{ command: 'x', env: { A: '***' } }] }],
    ],
  ];

  it.each(CASES)('%s %j is %j', (key, value, expected) => {
    expect(mask(key, value)).toEqual(expected);
  });

  it('masks by the whole path, wherever one begins', () => {
    const value = { mcpServers: { a: { env: { A: 'b' } } }, security: { auth: { selectedType: 'gateway' } } };
    expect(mask('', value)).toEqual({
      mcpServers: { a: { env: { A: '***' } } },
      security: { auth: { selectedType: 'gateway' } },
    });
  });
});
