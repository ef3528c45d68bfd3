import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPromptFixture } from '../surface/prompt.fixture.ts';
import type { FixtureOptions } from '../surface/prompt.fixture.ts';
import { readPrompt } from '../surface/read-prompt.ts';
import { openCommands } from './index.ts';
import { createSkillServices } from './skill-services.ts';

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nBody of ${name}.\n`;

/** A session with skills, at a terminal. */
async function open(options: FixtureOptions = {}, { skipTrust = false } = {}) {
  const fixture = await openPromptFixture(options);
  const { home, project, context, agent } = fixture;
  const commands = await openCommands(agent.sources, undefined, { home, skills: {} });
  const services = createSkillServices({
    args: { skipTrust },
    installed: undefined,
    cwd: project,
    home,
    environment: {},
  });
  return Object.assign(fixture, {
    commands,
    type: (text: string) => readPrompt(text, { ...context, commands, services, hasScreen: true, isAttended: true }),
  });
}

describe('/skills', () => {
  it('lists what is enabled and what is not, with every invalid file', async () => {
    await using session = await open({
      homeFiles: {
        '.gemini/skills/a/SKILL.md': skill('a'),
        '.gemini/skills/b/SKILL.md': skill('b'),
        '.gemini/skills/broken/SKILL.md': 'x',
      },
      agent: { skills: { disabled: ['b'] } },
    });
    const namesOf = async (text: string) => session.commands.find(text)?.command.names?.(session);
    expect(await Promise.all(['/skills disable', '/skills enable'].map(namesOf))).toEqual([['a'], ['b']]);
    const agents = await Promise.all(['/agents disable', '/agents enable', '/agents auth'].map(namesOf));
    expect(agents).toEqual([['codebase_investigator', 'generalist', 'cli_help'], [], []]);
    const broken = join(session.home, '.gemini/skills/broken/SKILL.md');
    const problem = `${broken}:1: the skill was skipped: the file must start with a line "---".`;
    expect(await session.type('/skills')).toMatchObject({
      text: `Available Agent Skills:\n  - a (user)\n    Does a.\nDisabled Skills:\n  - b (user)\n    Does b.\n${problem}`,
    });
    expect(await session.type('/skills list nodesc all')).toMatchObject({
      text: `Available Agent Skills:\n  - a (user)\nDisabled Skills:\n  - b (user)\n${problem}`,
    });
    expect(await session.type('/skills list everything')).toMatchObject({ kind: 'error' });
  });

  it('without skills says how to write one', async () => {
    await using session = await open();
    expect(await session.type('/skills')).toMatchObject({ text: expect.stringContaining('No skills. Write one to') });
  });

  it('disables and enables at once, in the settings of the project', async () => {
    await using session = await open({ files: { '.gemini/skills/a/SKILL.md': skill('a') } }, { skipTrust: true });
    const path = join(session.project, '.gemini/settings.json');
    expect(session.commands.find('/a')).toBeDefined();
    expect(await session.type('/skills disable A')).toMatchObject({
      text: `Skill "a" disabled by adding it to the disabled list in workspace (${path}) settings.`,
    });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ skills: { disabled: ['a'] } });
    expect(session.commands.find('/a')).toBeUndefined();
    expect(await session.type('/skills disable nothing')).toMatchObject({
      kind: 'error',
      message: 'Skill "nothing" not found. /skills list all lists the skills.',
    });
    expect(await session.type('/skills enable a')).toMatchObject({
      text: expect.stringContaining('enabled by removing'),
    });
  });

  it('disables in the settings of the user where those of the folder are not read', async () => {
    await using session = await open({ homeFiles: { '.gemini/skills/a/SKILL.md': skill('a') } });
    const path = join(session.home, '.gemini/settings.json');
    expect(await session.type('/skills disable a')).toMatchObject({
      text: `Skill "a" disabled by adding it to the disabled list in user (${path}) settings.`,
    });
    expect(session.commands.find('/a')).toBeUndefined();
  });

  it('links a folder and reloads', async () => {
    await using session = await open({ homeFiles: { 'mine/late/SKILL.md': skill('late') } });
    expect(await session.type('/late now')).toMatchObject({ kind: 'prompt', parts: [{ text: '/late now' }] });
    expect(await session.type('/skills link ~/mine')).toMatchObject({ text: expect.stringContaining('Linked late') });
    expect(session.agent.tools.names()).toContain('activate_skill');
    expect(session.commands.find('/late')).toBeDefined();
    await session.write('.gemini/skills/two/SKILL.md', skill('two'));
    expect(await session.type('/skills reload')).toMatchObject({
      text: 'Agent skills reloaded successfully. 1 newly available skills.',
    });
    expect(await session.type('/skills link')).toMatchObject({ kind: 'error' });
  });
});

describe('a skill as a command', () => {
  it('activates it without a question and sends the words with it', async () => {
    await using session = await open({ homeFiles: { '.gemini/skills/a/SKILL.md': skill('a b') } });
    const read = await session.type('/a-b fix the form');
    expect(read).toMatchObject({
      kind: 'prompt',
      displayText: '/a-b fix the form',
      parts: [{ text: expect.stringContaining('Body of a b.') }, { text: 'fix the form' }],
    });
    expect(await session.type('/a-b')).toMatchObject({ parts: [{}, { text: 'Use the skill a b' }] });
    expect((await session.agent.openSkills()).activeNames).toEqual(['a b']);
  });

  it('gives way to a command of its name, and to the built-in ones', async () => {
    await using session = await open({
      homeFiles: {
        '.gemini/skills/a/SKILL.md': skill('review'),
        '.gemini/skills/b/SKILL.md': skill('help'),
        '.gemini/commands/review.toml': 'prompt = "Mine"',
      },
    });
    const names = session.commands.all.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['review', 'user.review', 'user.review1', 'user.help']));
    expect(await session.type('/review')).toMatchObject({ parts: [{ text: 'Mine' }] });
    expect(await session.type('/user.help')).toMatchObject({ parts: [{ text: expect.stringContaining('help') }, {}] });
    expect(session.commands.notices).toHaveLength(3);
  });

  it('of an extension has the name of the extension', async () => {
    await using session = await open({ homeFiles: { 'ext/skills/a/SKILL.md': skill('a') } });
    const extension = {
      kind: 'extension',
      name: 'cloud',
      directory: join(session.home, 'ext'),
      trusted: true,
    } as const;
    const commands = await openCommands([...session.agent.sources, extension], undefined, {
      home: session.home,
      skills: {},
    });
    expect(commands.find('/cloud:a')?.command.description).toBe('Skill: Does a.');
    expect(commands.find('/a')).toBeUndefined();
  });
});
