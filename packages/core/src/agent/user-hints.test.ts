import { answer, call, createWorkspace, fakeModel, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import type { UserHints } from '../protocol/user-hints.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { createWorkspaceAgent } from './workspace-agent.ts';

/** Every sentence that the user and the model receive in a folder that is not trusted, in a run that cannot ask. */
async function sentences(hints?: UserHints): Promise<string> {
  await using files = await createWorkspace({ files: { 'GEMINI.md': 'Be brief.' } });
  const write = call('write_file', { file_path: 'a.txt', content: 'a' }, { id: 'c' });
  await using model = await fakeModel([answer(write), say('I may not.')]);
  const agent = await createWorkspaceAgent({
    root: files.project,
    home: files.home,
    generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
    model: 'gemini-2.5-flash',
    ...(hints && { hints }),
  });
  const said: string[] = [];
  for await (const event of agent.session.prompt('Go', new AbortController().signal)) {
    if (event.type === 'notice') said.push(event.message);
    if (event.type === 'tool_call_response') said.push(event.value.error?.message ?? '');
  }
  await agent.dispose();
  return said.join('\n');
}

describe('the sentences of an agent', () => {
  it('give a library the reason, and no flag', async () => {
    expect(await sentences()).toBe(
      'GEMINI.md was skipped, because this folder is not trusted.\n' +
        'Tool "write_file" is not allowed in this run. Continue without it, or tell the user what is needed.',
    );
  });

  it('end with what the caller’s user does about it', async () => {
    const allowTool = (name: string, mode: string) => `Allow ${name} in ${mode} with --yes.`;
    expect(await sentences({ trustFolder: 'Trust it with --trust.', allowTool })).toBe(
      'GEMINI.md was skipped, because this folder is not trusted. Trust it with --trust.\n' +
        'Tool "write_file" is not allowed in this run. Allow write_file in default with --yes. Continue without it, or tell the user what is needed.',
    );
  });
});
