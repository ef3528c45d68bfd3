import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import type { FixtureOptions } from '../surface/prompt.fixture.ts';
import { readPrompt } from '../surface/read-prompt.ts';
import { openCommands } from './index.ts';
import { variants } from '../../../../test/house/variants.ts';

type Agent = 'claude' | 'codex';

async function run(text: string, homeFiles: Record<string, string>, options: FixtureOptions = {}, agents?: Agent[]) {
  await using fixture = await openPromptFixture({ homeFiles, ...options });
  const { home, agent, context } = fixture;
  const readFilesOf = agents ?? ['claude', 'codex'];
  const commands = await openCommands(agent.sources, undefined, { home, skills: {}, readFilesOf });
  const result = await readPrompt(text, { ...context, commands });
  return { result, commands, hasRun: existsSync(join(fixture.project, 'ran')) };
}

async function textOf(text: string, homeFiles: Record<string, string>, options: FixtureOptions = {}) {
  const { result } = await run(text, homeFiles, options);
  return result.kind === 'prompt' ? result.parts.map((part) => part.text).join('¦') : JSON.stringify(result);
}

const claude = (prompt: string) => ({ '.claude/commands/do.md': prompt });
const codex = (prompt: string) => ({ '.codex/prompts/do.md': prompt });

describe('a command of Claude Code', () => {
  it.each<[string, string, string, string, FixtureOptions?]>([
    ['all arguments', '/do a  b', 'Fix $ARGUMENTS.', 'Fix a  b.'],
    ['single arguments', '/do 12 "very high"', 'PR $1 with $2 and $3.', 'PR 12 with very high and .'],
    ['an argument by its index', '/do a b', 'The second is $ARGUMENTS[1].', 'The second is b.'],
    ['the invocation when it wants none', '/do a b', 'Fix it.', 'Fix it.\n\n/do a b'],
    ['what a command printed', '/do', 'On !`echo main`.', 'On main.'],
    ['arguments as one word of a command', '/do $(touch ran)', '!`echo $ARGUMENTS`', '$(touch ran)'],
    ['a file', '/do', 'Rules: @r.md.', 'Rules: Be kind..', { files: { 'r.md': 'Be kind.' } }],
    ['names as they are', '/do', 'Ask @alice or me@example.org', 'Ask @alice or me@example.org'],
    ['its body without the front matter', '/do', '---\ndescription: d\n---\n\nHi.', 'Hi.'],
    ['the placeholders of Gemini CLI as text', '/do x', 'a {{args}} !{touch ran} $1', 'a {{args}} !{touch ran} x'],
  ])('sends %s', async (_what, text, prompt, expected, options) => {
    expect(await textOf(text, claude(prompt), options)).toBe(expected);
  });

  it('has a description, a hint with choices, and the name of its folder', async () => {
    const { commands } = await run('/x', {
      '.claude/commands/git/tag.md': '---\ndescription: Tags.\nargument-hint: "[add|remove] <tag>"\n---\n$1',
      '.claude/commands/pr.md': '---\nargument-hint: [number] [priority]\n---\nReview $1',
    });
    const tag = commands.find('/git:tag')?.command;
    expect([tag?.description, tag?.usage]).toEqual(['[add|remove] <tag>  Tags.', '[add|remove] <tag>']);
    const { signal } = new AbortController();
    expect(await tag?.complete?.('a', signal, '')).toEqual(['add']);
    expect(commands.find('/pr')?.command.description).toBe('[number] [priority]  Review $1');
  });

  it('is restricted by its allowed-tools, which allow nothing', async () => {
    const head = '---\nallowed-tools: Bash(echo:*), Read\n---\n';
    expect(await textOf('/do', claude(`${head}!\`echo a\``))).toContain('use only these tools');
    const { result, hasRun } = await run('/do', claude(`${head}!\`touch ran\``));
    expect([result, hasRun]).toEqual([
      { kind: 'error', message: expect.stringContaining('its allowed-tools do not include the command touch ran') },
      false,
    ]);
    const granted = await run('/do', claude('---\nallowed-tools: Bash(touch:*)\n---\n!`touch ran`'));
    expect([granted.result.kind, granted.hasRun]).toEqual(['error', false]);
  });

  variants.each<[string, string, boolean]>([
    ['Bash', 'git status', true],
    ['Bash(*)', 'git status', true],
    ['Bash(git:*)', 'git status', true],
    ['Bash(git status)', 'git status', true],
    ['Bash(git *)', 'git status', true],
    ['Bash(git:*)', 'gitx status', false],
    ['Read, Edit', 'git status', false],
  ])('with allowed-tools %s may run %s: %s', async (tools, command, isAllowed) => {
    const { result } = await run('/do', claude(`---\nallowed-tools: ${tools}\n---\n!\`${command}\``));
    expect(JSON.stringify(result).includes('do not include the command')).toBe(!isAllowed);
  });

  it('that names a model says that it is not used', async () => {
    const { result } = await run('/do', claude('---\nmodel: claude-haiku\n---\nHi.'));
    expect(result).toMatchObject({ notes: [expect.stringContaining('The model claude-haiku')] });
  });

  it.each([
    ['---\ndescription: {a: 1}\n---\nx', 'line 2: the command was skipped: description must be a string.'],
    ['---\ndescription: a\n', 'line 1: the command was skipped: the front matter is not closed.'],
    ['---\nmodel: a\n---\n', 'the command was skipped: its prompt is empty.'],
  ])('%j is reported by /commands and by the command itself', async (text, problem) => {
    const { commands, result } = await run('/do', claude(text));
    expect(commands.notices).toEqual([expect.stringContaining(problem)]);
    expect(result).toEqual({ kind: 'error', message: expect.stringContaining(problem) });
  });

  it('is words for the model where the user has not allowed it, and behind a command of Castor', async () => {
    expect((await run('/do it', claude('Hi.'), {}, [])).result).toMatchObject({ parts: [{ text: '/do it' }] });
    const both = { ...claude('Claude.'), '.gemini/commands/do.toml': 'prompt = "Castor."' };
    const { result, commands } = await run('/do', both);
    expect(result).toMatchObject({ parts: [{ text: 'Castor.' }] });
    expect(commands.all.map(({ name }) => name)).toEqual(expect.arrayContaining(['user.do', 'user.do1']));
  });

  it('of a project is read only in a trusted folder', async () => {
    const files = claude('Theirs.');
    expect((await run('/do', {}, { files })).result).toMatchObject({ parts: [{ text: 'Theirs.' }] });
    const untrusted = await run('/do', {}, { files, agent: { trustedFolder: false } });
    expect(untrusted.result).toMatchObject({ parts: [{ text: '/do' }] });
  });
});

describe('a prompt of codex', () => {
  it.each<[string, string, string, string]>([
    ['single arguments', '/prompts:do a b', 'Fix $1 in $2.', 'Fix a in b.'],
    ['all arguments', '/prompts:do a b', 'Fix $ARGUMENTS.', 'Fix a b.'],
    ['named ones', '/prompts:do FILES="a b" x', 'Read $FILES, then $1, not $OTHER.', 'Read a b, then x, not $OTHER.'],
    ['a dollar', '/prompts:do', 'Costs $$5.', 'Costs $5.'],
    ['no commands and no files', '/prompts:do', 'On !`touch ran` @r.md', 'On !`touch ran` @r.md'],
  ])('sends %s', async (_what, text, prompt, expected) => {
    expect(await textOf(text, codex(prompt))).toBe(expected);
  });
});

it('that is not read is counted where commands are listed, with the setting that allows it', async () => {
  const homeFiles = { ...claude('x'), '.claude/commands/git/b.md': 'y', ...codex('z') };
  const list = async (agents: Agent[]) => {
    await using fixture = await openPromptFixture({ homeFiles });
    const listOptions = { home: fixture.home, skills: {}, readFilesOf: agents };
    const commands = await openCommands(fixture.agent.sources, undefined, listOptions);
    const result = await readPrompt('/commands', { ...fixture.context, commands, listOptions });
    return 'text' in result ? result.text : '';
  };
  expect(await list([])).toMatch(
    /\n2 commands of Claude Code and 1 command of codex not read\. To read them: castor config set castor\.readFilesOf '\["claude","codex"\]'$/,
  );
  expect(await list(['codex'])).toMatch(/\n2 commands of Claude Code not read\. .* '\["codex","claude"\]'$/);
  expect(await list(['claude', 'codex'])).not.toContain('not read');
});
