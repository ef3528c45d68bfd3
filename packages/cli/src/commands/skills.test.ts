import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { runSkillsCommand } from './skills.ts';

type Files = Awaited<ReturnType<typeof createWorkspace>>;

const skill = (name: string, description = `Does ${name}.`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBody of ${name}.\n`;

const run = (files: Files, ...argv: string[]) => runWith({}, files, ...argv);

async function runWith(environment: Record<string, string>, { home, project }: Files, ...argv: string[]) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const output = {
    answer: async (text: string) => void stdout.push(text),
    note: (text: string) => void stderr.push(text),
  };
  const code = await runSkillsCommand(argv, { output, cwd: project, home, environment });
  return { code, stdout: stdout.join(''), stderr: stderr.join('\n') };
}

describe('castor skills list', () => {
  it('shows name, state, description and location, and says why others are missing', async () => {
    await using files = await createWorkspace({
      homeFiles: {
        '.gemini/skills/b/SKILL.md': skill('b'),
        '.agents/skills/a/SKILL.md': skill('a'),
        '.gemini/skills/broken/SKILL.md': '---\nname: x\n---\n',
        '.gemini/settings.json': '{"skills":{"disabled":["B"]}}',
        '.claude/skills/c/SKILL.md': skill('c'),
      },
      files: { '.gemini/skills/theirs/SKILL.md': skill('theirs') },
    });
    const { home } = files;
    const { code, stdout, stderr } = await run(files, 'list');
    expect(code).toBe(0);
    expect(stdout).toBe(
      `Discovered Agent Skills:\n\na [Enabled]\n  Description: Does a.\n  Location:    ${home}/.agents/skills/a/SKILL.md\n\n` +
        `b [Disabled]\n  Description: Does b.\n  Location:    ${home}/.gemini/skills/b/SKILL.md\n\n`,
    );
    expect(stderr.split('\n')).toEqual([
      `castor: warning: ${home}/.gemini/skills/broken/SKILL.md:1: the skill was skipped: description is missing.`,
      'castor: 1 skill of this project not read, because the folder is not trusted.',
      `castor: 1 skill of Claude Code not read. To read them: castor config set castor.readFilesOf '["claude"]'`,
    ]);
    const all = JSON.parse((await run(files, 'list', '--all', '--json')).stdout) as { name: string; kind: string }[];
    expect(all.map(({ name, kind }) => `${name} ${kind}`).toSorted()).toEqual([
      'a user',
      'b user',
      'skill-creator builtin',
    ]);
  });

  it('without skills says so', async () => {
    await using files = await createWorkspace();
    expect((await run(files)).stdout).toBe('No skills discovered.\n');
    await using off = await createWorkspace({
      homeFiles: { '.gemini/settings.json': '{"skills":{"enabled":false}}', '.gemini/skills/a/SKILL.md': skill('a') },
    });
    expect(await run(off, 'list')).toMatchObject({
      stdout: 'No skills discovered.\n',
      stderr: 'castor: skills.enabled is false, so no skill is read.',
    });
  });

  it('reads the skills of Claude Code where the user allows it', async () => {
    await using files = await createWorkspace({
      homeFiles: {
        '.gemini/settings.json': '{"castor":{"readFilesOf":["claude"]}}',
        '.claude/skills/c/SKILL.md': skill('c'),
      },
    });
    const { stdout, stderr } = await run(files, 'list');
    expect(stdout).toContain('c [Enabled]');
    expect(stderr).toBe('');
  });
});

describe('castor skills enable and disable', () => {
  it('edit the list of the settings', async () => {
    await using files = await createWorkspace();
    const { home, project } = files;
    const workspace = `${project}/.gemini/settings.json`;
    const user = `${home}/.gemini/settings.json`;
    const trusted = (...argv: string[]) => runWith({ GEMINI_CLI_TRUST_WORKSPACE: 'true' }, files, ...argv);
    expect((await run(files, 'enable', 'a')).stdout).toBe('Skill "a" is already enabled.\n');
    expect((await trusted('disable', 'a')).stdout).toBe(
      `Skill "a" disabled by adding it to the disabled list in workspace (${workspace}) settings.\n`,
    );
    expect((await trusted('disable', 'A')).stdout).toContain('is already disabled');
    await run(files, 'disable', 'a', '-s', 'user');
    expect([readFileSync(workspace, 'utf8'), readFileSync(user, 'utf8')].map((text) => JSON.parse(text))).toEqual([
      { skills: { disabled: ['a'] } },
      { skills: { disabled: ['a'] } },
    ]);
    expect((await run(files, 'enable', 'A')).stdout).toBe(
      `Skill "A" enabled by removing it from the disabled list in user (${user}) and workspace (${workspace}) settings.\n`,
    );
    expect(JSON.parse(readFileSync(workspace, 'utf8'))).toEqual({ skills: { disabled: [] } });
  });

  it('disables in the settings that are read here: those of the user, where the folder is not trusted', async () => {
    await using files = await createWorkspace({ homeFiles: { '.gemini/skills/a/SKILL.md': skill('a') } });
    const { home, project } = files;
    const forced = await run(files, 'disable', 'a', '--scope', 'workspace');
    expect(forced.stderr).toContain(`${project} is not trusted, so the skill stays enabled here.`);
    expect((await run(files, 'list')).stdout).toContain('a [Enabled]');
    const { stdout, stderr } = await run(files, 'disable', 'a');
    expect([stdout, stderr]).toEqual([expect.stringContaining(`in user (${home}/.gemini/settings.json)`), '']);
    expect((await run(files, 'list')).stdout).toContain('a [Disabled]');
  });
});

describe('castor skills install', () => {
  const repository = {
    'repo/skills/a/SKILL.md': skill('a'),
    'repo/skills/a/scripts/run.sh': 'echo hi',
    'repo/skills/b/SKILL.md': skill('b'),
    'repo/README.md': 'x',
  };

  it('copies every skill of a folder, also from where repositories keep them, with consent only', async () => {
    await using files = await createWorkspace({ homeFiles: repository });
    chmodSync(join(files.home, 'repo/skills/a/scripts/run.sh'), 0o755);
    const source = join(files.home, 'repo');
    const refused = await run(files, 'install', source);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Add --consent.')]);
    expect(existsSync(join(files.home, '.gemini/skills'))).toBe(false);
    const { code, stdout, stderr } = await run(files, 'install', source, '--consent');
    const place = join(files.home, '.gemini/skills');
    expect(code).toBe(0);
    expect(stdout).toBe(
      ['a', 'b']
        .map((name) => `Successfully installed skill: ${name} (scope: user, location: ${place}/${name})\n`)
        .join(''),
    );
    expect(stderr).toMatch(/You have consented to the following:[^]*\* a: Does a\.[^]*Destination: .*\.gemini\/skills/);
    expect(statSync(join(place, 'a/scripts/run.sh')).mode & 0o111).not.toBe(0);
    const again = await run(files, 'install', source, '--consent', '--scope', 'workspace', '--path', 'skills/b');
    expect(again.stdout).toContain(`location: ${files.project}/.gemini/skills/b`);
    expect((await run(files, 'install', source, '--consent')).stderr).toContain(
      'Skill "a" already exists. Overwriting...',
    );
  });

  it('replaces a skill whole: files of the old one are gone', async () => {
    await using files = await createWorkspace({
      homeFiles: { ...repository, '.gemini/skills/a/SKILL.md': skill('a', 'old'), '.gemini/skills/a/old.md': 'x' },
    });
    await run(files, 'install', join(files.home, 'repo/skills/a'), '--consent');
    const place = join(files.home, '.gemini/skills/a');
    expect([existsSync(join(place, 'old.md')), readFileSync(join(place, 'SKILL.md'), 'utf8')]).toEqual([
      false,
      skill('a'),
    ]);
  });

  it.each<[string, (home: string) => void, string]>([
    ['a link out of it', (home) => symlinkSync('/etc/passwd', join(home, 'repo/skills/a/link')), 'no links'],
    [
      'a hostile name',
      (home) => writeFileSync(join(home, 'repo/skills/a/SKILL.md'), skill('..')),
      'cannot be the name',
    ],
    ['its name twice', (home) => writeFileSync(join(home, 'repo/skills/a/SKILL.md'), skill('B')), 'more than once'],
  ])('refuses a folder with %s and leaves nothing behind', async (_what, spoil, reason) => {
    await using files = await createWorkspace({ homeFiles: repository });
    spoil(files.home);
    const { code, stderr } = await run(files, 'install', join(files.home, 'repo'), '--consent');
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
    expect(existsSync(join(files.home, '.gemini/skills/a'))).toBe(false);
    expect(existsSync(join(files.home, '.gemini/skills/..new'))).toBe(false);
  });

  it.each([
    [['install', 'nowhere'], 'does not exist'],
    [['install', '.', '--consent'], 'No valid skills found'],
    [['install', '.', '--consent', '--path', '../..'], 'not a folder inside the source'],
    [['install'], 'expected a source'],
    [['instal', 'x'], 'Did you mean install?'],
    [['list', '--what'], '--what is an unknown option'],
    [['disable', 'a', '--scope', 'system'], '--scope must be user or workspace'],
  ])('%j is an error', async (argv, reason) => {
    await using files = await createWorkspace();
    const { code, stderr } = await run(files, ...argv);
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  it('shows control characters of a description instead of sending them', async () => {
    await using files = await createWorkspace({
      homeFiles: { 'repo/a/SKILL.md': '---\nname: a\ndescription: "x \\u001b[31m red"\n---\n' },
    });
    const { stderr } = await run(files, 'install', join(files.home, 'repo'), '--consent');
    expect(stderr.includes('\u001b')).toBe(false);
  });
});

describe('castor skills link and uninstall', () => {
  it('link the folder itself, and remove only the link', async () => {
    await using files = await createWorkspace({ homeFiles: { 'mine/a/SKILL.md': skill('a') } });
    const { home } = files;
    const linked = await run(files, 'link', join(home, 'mine'), '--consent');
    expect(linked.stdout).toContain('Successfully linked skills.');
    const place = join(home, '.gemini/skills/a');
    expect(lstatSync(place).isSymbolicLink()).toBe(true);
    writeFileSync(join(home, 'mine/a/SKILL.md'), skill('a', 'Changed.'));
    expect((await run(files, 'list')).stdout).toContain('Description: Changed.');
    expect((await run(files, 'uninstall', 'A')).stdout).toBe(
      `Successfully uninstalled skill: A (scope: user, location: ${place})\n`,
    );
    expect(existsSync(join(home, 'mine/a/SKILL.md'))).toBe(true);
  });

  it('do not replace a folder by a link, and find a skill by its folder', async () => {
    await using files = await createWorkspace({
      homeFiles: { 'mine/a/SKILL.md': skill('a'), '.gemini/skills/a/SKILL.md': 'no front matter' },
    });
    const { code, stderr } = await run(files, 'link', join(files.home, 'mine'), '--consent');
    expect([code, stderr]).toEqual([1, expect.stringContaining('is a folder, not a link')]);
    expect((await run(files, 'uninstall', 'a')).stdout).toContain('Successfully uninstalled');
    expect(await run(files, 'uninstall', 'a')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Skill "a" is not installed in the user scope.',
    });
    expect((await run(files, 'uninstall', '../x')).code).toBe(1);
  });

  it('leave out the rest of an interrupted installation', async () => {
    await using files = await createWorkspace({ homeFiles: { '.gemini/skills/.a.1.new/SKILL.md': skill('a') } });
    mkdirSync(join(files.home, '.gemini/skills/empty'));
    expect((await run(files, 'list')).stdout).toBe('No skills discovered.\n');
  });
});
