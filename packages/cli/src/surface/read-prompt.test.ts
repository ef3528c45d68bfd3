import { describe, expect, it } from 'vitest';
import { openPromptFixture } from './prompt.fixture.ts';
import type { FixtureOptions } from './prompt.fixture.ts';
import { readPrompt } from './read-prompt.ts';

async function prepared(text: string, options: FixtureOptions = {}) {
  await using fixture = await openPromptFixture(options);
  return await readPrompt(text, fixture.context);
}

const asIs = (text: string) => ({ kind: 'prompt', parts: [{ text }], displayText: text, notes: [] });

describe('readPrompt', () => {
  it.each([
    'hello',
    '// a comment',
    '/* a comment */',
    '/home/me/x is broken',
    '/nope',
    '/help me with this',
    '!',
    '!!important',
    '!ls\nand more',
    '/ is the root',
  ])('sends %j as it is', async (text) => {
    expect(await prepared(text)).toEqual(asIs(text));
  });

  it.each([
    ['a\0b', 'a\uFFFDb'],
    ['half \uD83D emoji', 'half \uFFFD emoji'],
    ['line\u2028separator', 'line\u2028separator'],
  ])('makes %j harmless', async (text, expected) => {
    expect(await prepared(text)).toEqual(asIs(expected));
  });

  it('puts piped data before the prompt and does not look into it', async () => {
    const options = { files: { a: '1' }, dependencies: { piped: '/help\n@a\n!ls\0' } };
    expect(await prepared('explain', options)).toEqual(asIs('/help\n@a\n!ls\uFFFD\n\nexplain'));
    expect(await prepared('@a', options)).toMatchObject({
      parts: [{ text: '/help\n@a\n!ls\uFFFD\n\n@a' }, {}, {}, {}, {}],
    });
  });

  it('looks for files in words that only look like a command', async () => {
    const parts = [{ text: '/srv/x is like @a' }, {}, {}, {}, {}];
    expect(await prepared('/srv/x is like @a', { files: { a: '1' } })).toMatchObject({ kind: 'prompt', parts });
  });

  it('is an error, not an exception, when it is cancelled', async () => {
    const options = { files: { a: '1' }, dependencies: { signal: AbortSignal.abort() } };
    const cancelled = { kind: 'error', message: 'the prompt was cancelled before it was sent.' };
    expect(await prepared('@a', options)).toEqual(cancelled);
    expect(await prepared('!echo a', options)).toMatchObject({ kind: 'answered', exitCode: 1 });
  });
});

describe('!command in a prompt', () => {
  const policies = (rule: string) => ({ '.gemini/policies/p.toml': rule });

  it.each<[string, string, FixtureOptions, object]>([
    ['runs what a policy allows', '!echo hi', {}, { kind: 'answered', text: 'hi', exitCode: 0 }],
    [
      'runs in yolo mode',
      '! touch x && exit 3',
      { agent: { approvalMode: 'yolo' } },
      { kind: 'answered', text: '[The command ended with exit code 3]', exitCode: 1 },
    ],
    [
      'runs for a person at a terminal',
      '!touch x',
      { dependencies: { isAttended: true } },
      { kind: 'answered', text: '(Command produced no output)', exitCode: 0 },
    ],
    [
      'is refused without a user',
      '!touch x',
      {},
      { kind: 'error', message: expect.stringContaining('!touch x was not run: without a terminal') },
    ],
    [
      'is refused where a rule denies it, to a person too',
      '!touch x',
      {
        dependencies: { isAttended: true },
        homeFiles: policies(
          '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch"\ndecision = "deny"\npriority = 100\ndenyMessage = "No touching."\n',
        ),
      },
      { kind: 'error', message: '!touch x was not run: No touching.' },
    ],
  ])('%s', async (_, text, options, expected) => {
    expect(await prepared(text, options)).toEqual(expected);
  });

  it('is in the history for the model to read', async () => {
    await using fixture = await openPromptFixture({});
    await readPrompt("!echo 'a`b\\c' && seq 3000", fixture.context);
    const text = fixture.agent.chat.getLastContent()?.parts?.[0]?.text ?? '';
    const head =
      "I ran the following shell command:\n```sh\necho 'a\\`b\\\\c' && seq 3000\n```\n\nThis produced the following result:\n```\na\\`b\\\\c\n1\n2\n";
    expect(text.slice(0, head.length)).toBe(head);
    expect(text.endsWith('\n... (truncated)\n```')).toBe(true);
    expect(text.length).toBeLessThan(10_300);
  });
});
