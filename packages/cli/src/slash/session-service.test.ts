import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSession } from '@castor/core';
import type { Content } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import { createSessionService } from './session-service.ts';

const SAID: Content[] = [
  { role: 'user', parts: [{ text: '/etc, what is it?' }] },
  {
    role: 'model',
    parts: [{ text: 'Let me look.' }, { functionCall: { id: 'c', name: 'ls', args: { dir: '`/etc`' } } }],
  },
  { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'ls', response: { output: '```' } } }] },
  { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'A folder.' }] },
];

async function open(authType: string | undefined = 'gemini-api-key') {
  const fixture = await openPromptFixture({});
  for (const turn of SAID) fixture.agent.chat.addHistory(turn);
  const options = { agent: fixture.agent, home: fixture.home, now: () => 12 };
  return { fixture, options, service: createSessionService({ ...options, authType }) };
}

describe('/chat', () => {
  it('saves, lists, goes on in a session of its own, and deletes', async () => {
    const { fixture, service } = await open();
    await using _disposed = fixture;
    expect(await service.list()).toMatch(/^No saved conversations\./);
    expect(await service.save('my tag')).toBe(
      'The conversation is saved as "my tag". Resume it with /chat resume my tag.',
    );
    expect(await service.list()).toMatch(/^Saved conversations, oldest first:\n {2}my tag {2}\(\d{4}-/);
    await expect(service.save('my tag')).rejects.toThrow('The conversation "my tag" already exists.');
    const resume = await service.resume('my tag');
    const session = await openSession({ home: fixture.home, root: fixture.project, resume });
    expect([session.sessionId, session.history, session.notices]).toEqual([resume, SAID, []]);
    session.recorder.close();
    expect(await service.delete('my tag')).toBe('The conversation "my tag" is deleted.');
    await expect(service.resume('my tag')).rejects.toThrow('Unknown conversation "my tag".');
  });

  it('does not go on with a conversation of another authentication', async () => {
    const { fixture, service, options } = await open();
    await using _disposed = fixture;
    await service.save('a');
    const other = createSessionService({ ...options, authType: 'vertex-ai' });
    await expect(other.resume('a')).rejects.toThrow('was saved with the authentication "gemini-api-key"');
  });

  it('writes the conversation out, never over a file', async () => {
    const { fixture, service } = await open();
    await using _disposed = fixture;
    const path = join(fixture.project, 'conversation-12.md');
    expect(await service.share('')).toBe(`The conversation is in ${path}.`);
    expect(await readFile(path, 'utf8')).toBe(
      [
        ...['## You', '/etc, what is it?', '## Model', 'Let me look.', 'Call of `ls`:'],
        ...['```json\n{\n  "dir": "`/etc`"\n}\n```', '## You', 'Result of `ls`:'],
        ...['````json\n{\n  "output": "```"\n}\n````', '## Model', 'A folder.\n'],
      ].join('\n\n'),
    );
    await expect(service.share('')).rejects.toThrow(`${path} already exists; choose another name.`);
    await service.share('all.json');
    expect(JSON.parse(await fixture.read('all.json'))).toEqual(SAID);
    await expect(service.share('all.txt')).rejects.toThrow('"all.txt" must end in .md or .json.');
  });

  it('writes what a request would hold', async () => {
    const { fixture, service } = await open();
    await using _disposed = fixture;
    const path = join(fixture.project, 'castor-request-12.json');
    expect(await service.debug()).toBe(`The request is in ${path}.`);
    const { model, contents, tools } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown[]>;
    expect([model, contents?.at(-4), tools]).toEqual(['gemini-2.5-flash', SAID[0], []]);
    await expect(service.debug()).rejects.toThrow(`${path} already exists`);
  });

  it('has nothing to keep before something was said', async () => {
    await using fixture = await openPromptFixture({});
    const service = createSessionService({ agent: fixture.agent, home: fixture.home, authType: undefined });
    await expect(service.save('a')).rejects.toThrow('The conversation is empty.');
    await expect(service.share('a.md')).rejects.toThrow('The conversation is empty.');
  });
});
