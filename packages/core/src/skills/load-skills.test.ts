import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { loadSkills } from './load-skills.ts';
import { findSkillFolders } from './skill-folders.ts';
import { loadOf, skillFile, sourcesOf } from './skills.fixture.ts';

describe('the skills of the sources', () => {
  const everywhere = (place: string) => ({ [`${place}/same/SKILL.md`]: skillFile('same', `from ${place}`) });

  it('are found in every place, and the later place wins, with a sentence for each conflict', async () => {
    await using folders = await createWorkspace({
      homeFiles: { ...everywhere('.gemini/skills'), ...everywhere('.agents/skills'), ...everywhere('.claude/skills') },
      files: { ...everywhere('.gemini/skills'), ...everywhere('.agents/skills'), ...everywhere('.claude/skills') },
    });
    const { home, project } = folders;
    const order = (...paths: string[]) => paths.map((path) => join(path, 'same', 'SKILL.md'));
    const own = order(
      ...[join(home, '.gemini/skills'), join(home, '.agents/skills')],
      ...[join(project, '.gemini/skills'), join(project, '.agents/skills')],
    );
    const pairs = (files: string[]) =>
      files
        .slice(1)
        .map(
          (file, index) =>
            `Skill conflict detected: "same" from "${file}" is overriding the same skill from "${files[index]}".`,
        );
    const loaded = await loadOf(folders);
    expect(loaded.skills.map(({ file }) => file)).toEqual([own.at(-1)]);
    expect(loaded.conflicts).toEqual(pairs(own));
    const all = order(
      ...[join(home, '.claude/skills'), join(home, '.gemini/skills'), join(home, '.agents/skills')],
      ...[join(project, '.claude/skills'), join(project, '.gemini/skills'), join(project, '.agents/skills')],
    );
    expect((await loadOf(folders, { readsClaude: true })).conflicts).toEqual(pairs(all));
  });

  it('of Claude Code need neither a name nor a description; those of others do', async () => {
    const files = (place: string) => ({
      [`${place}/deploy/SKILL.md`]: '---\ndisable-model-invocation: true\n---\n# Deploys the site.\n\nSteps.',
      [`${place}/bare/SKILL.md`]: 'Bare words.\n\nMore.',
    });
    await using folders = await createWorkspace({
      homeFiles: { ...files('.claude/skills'), ...files('.gemini/skills') },
    });
    const { skills, problems } = await loadOf(folders, { readsClaude: true });
    expect(skills).toMatchObject([
      { name: 'deploy', description: 'Deploys the site.', isUserOnly: true },
      { name: 'bare', description: 'Bare words.' },
    ]);
    expect(problems).toHaveLength(2);
    // The second time from the cache.
    expect((await loadOf(folders, { readsClaude: true })).skills).toEqual(skills);
  });

  it('of an untrusted project are not read', async () => {
    await using folders = await createWorkspace({
      homeFiles: { '.gemini/skills/mine/SKILL.md': skillFile('mine') },
      files: { '.gemini/skills/theirs/SKILL.md': skillFile('theirs') },
    });
    const { skills } = await loadOf(folders, { trusted: false });
    expect(skills.map(({ name }) => name)).toEqual(['mine']);
  });

  it('come from extensions and from Castor itself below the user’s', async () => {
    await using folders = await createWorkspace({
      homeFiles: {
        '.gemini/skills/a/SKILL.md': skillFile('a', 'mine'),
        'ext/skills/a/SKILL.md': skillFile('a', 'of the extension'),
        'ext/skills/b/SKILL.md': skillFile('b', 'of the extension'),
        'own/skills/b/SKILL.md': skillFile('b', 'built in'),
        'own/skills/c/SKILL.md': skillFile('c', 'built in'),
      },
    });
    const sources = [
      ...sourcesOf(folders),
      { kind: 'extension', name: 'ext', directory: join(folders.home, 'ext'), trusted: true } as const,
      { kind: 'builtin', name: 'castor', directory: join(folders.home, 'own'), trusted: true } as const,
    ];
    const loaded = await loadSkills(findSkillFolders(sources, { readsClaude: false }), folders);
    expect(loaded.skills.map(({ name, description }) => `${name} ${description}`)).toEqual([
      'a mine',
      'b of the extension',
      'c built in',
    ]);
    // Replacing a built-in skill is no conflict.
    expect(loaded.conflicts).toHaveLength(1);
  });

  it('may be the place itself or one folder deep, a link too, but not in node_modules', async () => {
    await using folders = await createWorkspace({
      homeFiles: {
        '.gemini/skills/SKILL.md': skillFile('root'),
        '.gemini/skills/node_modules/SKILL.md': skillFile('package'),
        '.gemini/skills/deep/er/SKILL.md': skillFile('deep'),
        '.gemini/skills/file': 'no folder',
        'elsewhere/SKILL.md': skillFile('linked'),
      },
    });
    symlinkSync(join(folders.home, 'elsewhere'), join(folders.home, '.gemini/skills/link'));
    symlinkSync('/nowhere', join(folders.home, '.gemini/skills/dangling'));
    const { skills, problems } = await loadOf(folders);
    expect(skills.map(({ name }) => name).toSorted()).toEqual(['linked', 'root']);
    expect(problems).toEqual([]);
  });

  it('of a home that is the project count once', async () => {
    await using folders = await createWorkspace({ homeFiles: { '.gemini/skills/a/SKILL.md': skillFile('a') } });
    const { skills, conflicts } = await loadOf({ home: folders.home, project: folders.home });
    expect([skills.length, conflicts]).toEqual([1, []]);
  });
});

describe('the front matter of a SKILL.md', () => {
  async function read(text: string) {
    await using folders = await createWorkspace({ homeFiles: { '.gemini/skills/x/SKILL.md': text } });
    const { skills, problems } = await loadOf(folders);
    const file = join(folders.home, '.gemini/skills/x/SKILL.md');
    return {
      skills: skills.map(({ name, description }) => ({ name, description })),
      problems: problems.map((problem) => problem.replace(file, 'F')),
    };
  }

  it.each([
    ['quotes and unknown keys', '---\nname: "a"\ndescription: \'b\'\nlicense: MIT\nallowed-tools: x\n---\n', 'a', 'b'],
    ['a folded description', '---\nname: a\ndescription: >-\n  one\n  two\n---\nbody', 'a', 'one two'],
    [
      'an unquoted colon',
      '---\nname: a\ndescription: use when: needed\n  and more\n---\n',
      'a',
      'use when: needed and more',
    ],
    ['characters of paths', '---\nname: a/b:c?\ndescription: d\n---\n', 'a-b-c-', 'd'],
    ['a number', '---\nname: 2048\ndescription: game\n---\n', '2048', 'game'],
    ['CRLF and a mark at the beginning', '\uFEFF---\r\nname: a\r\ndescription: b\r\n---\r\nx', 'a', 'b'],
    ['a long description', `---\nname: a\ndescription: ${'d'.repeat(3000)}\n---\n`, 'a', 'd'.repeat(2000)],
  ])('may have %s', async (_what, text, name, description) => {
    expect(await read(text)).toEqual({ skills: [{ name, description }], problems: [] });
  });

  it.each([
    ['no fence', 'name: a', 'F:1: the skill was skipped: the file must start with a line "---".'],
    ['no end', '---\nname: a\n', 'F:1: the skill was skipped: the front matter is not closed'],
    ['no name', '---\ndescription: d\n---\n', 'F:1: the skill was skipped: name is missing.'],
    ['no description', '---\nname: n\n---\n', 'F:1: the skill was skipped: description is missing.'],
    ['an empty one', '---\nname: n\n\ndescription:\n---\n', 'F:4: the skill was skipped: description is missing.'],
    ['a list', '---\nname: [a]\ndescription: d\n---\n', 'F:2: the skill was skipped: name must be a non-empty string.'],
    [
      'a long name',
      `---\nname: ${'n'.repeat(101)}\ndescription: d\n---\n`,
      'F:2: the skill was skipped: name is longer',
    ],
    ['invalid YAML', '---\nname: n\nfoo: {\n---\n', 'F:'],
    ['binary data', '\u0000\u0001\u0002', 'F: the skill was skipped: it is not a text file.'],
  ])('with %s is a problem with its line', async (_what, text, problem) => {
    expect(await read(text)).toEqual({ skills: [], problems: [expect.stringContaining(problem)] });
  });
});

describe('the cache of skills', () => {
  const cacheOf = (home: string) => join(home, '.gemini/tmp/skills-cache.json');

  it('answers without reading an unchanged file, and notices a changed and a removed one', async () => {
    await using folders = await createWorkspace({
      homeFiles: {
        '.gemini/skills/a/SKILL.md': skillFile('a', 'one'),
        '.gemini/skills/b/SKILL.md': skillFile('b'),
      },
    });
    const descriptions = async () => (await loadOf(folders)).skills.map(({ description }) => description).toSorted();
    expect(await descriptions()).toEqual(['Does b.', 'one']);
    // What only the cache says proves that the file was not read.
    const cached = readFileSync(cacheOf(folders.home), 'utf8');
    writeFileSync(cacheOf(folders.home), cached.replace('"one"', '"from the cache"'));
    expect(await descriptions()).toEqual(['Does b.', 'from the cache']);
    writeFileSync(join(folders.home, '.gemini/skills/a/SKILL.md'), skillFile('a', 'changed'));
    rmSync(join(folders.home, '.gemini/skills/b'), { recursive: true });
    expect(await descriptions()).toEqual(['changed']);
  });

  it.each(['{', '[]', '{"version":1,"entries":{"x":1}}', '{"version":0}'])('survives %s', async (damage) => {
    await using folders = await createWorkspace({
      homeFiles: { '.gemini/skills/a/SKILL.md': skillFile('a'), '.gemini/tmp/skills-cache.json': damage },
    });
    expect((await loadOf(folders)).skills).toHaveLength(1);
  });

  it('is not needed where it cannot be written', async () => {
    await using folders = await createWorkspace({ homeFiles: { '.gemini/skills/a/SKILL.md': skillFile('a') } });
    mkdirSync(cacheOf(folders.home), { recursive: true });
    expect((await loadOf(folders)).skills).toHaveLength(1);
  });
});
