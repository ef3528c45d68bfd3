/** `castor skills install` from repositories and `.skill` files, as `package_skill` writes them. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { runSkillsCommand } from './skills.ts';

const SCRIPTS = join(import.meta.dirname, '../../skills/skill-creator/scripts');
const SKILL = '---\nname: notes\ndescription: Writes notes.\n---\nBody.\n';

async function run(files: Awaited<ReturnType<typeof createWorkspace>>, ...argv: string[]) {
  const lines: string[] = [];
  const output = {
    answer: async (text: string) => void lines.push(text),
    note: (text: string) => void lines.push(text),
  };
  const environment = { PATH: process.env['PATH'], HOME: files.home };
  const code = await runSkillsCommand(argv, { output, cwd: files.project, home: files.home, environment });
  return { code, text: lines.join('\n') };
}

describe('castor skills install', () => {
  it('installs a .skill file that the skill-creator packed', async () => {
    await using files = await createWorkspace({ files: { 'notes/SKILL.md': SKILL, 'notes/scripts/a.sh': 'echo' } });
    execFileSync(process.execPath, [join(SCRIPTS, 'package_skill.cjs'), 'notes', '.'], { cwd: files.project });
    const { code, text } = await run(files, 'install', 'notes.skill', '--consent');
    expect([code, text]).toEqual([0, expect.stringContaining('Extracting skill from ')]);
    const place = join(files.home, '.gemini', 'skills', 'notes');
    expect(text).toContain(`Successfully installed skill: notes (scope: user, location: ${place})`);
    expect(readFileSync(join(place, 'scripts', 'a.sh'), 'utf8')).toBe('echo');
  });

  it('installs the skills of a repository, without its history', async () => {
    await using files = await createWorkspace({ files: { 'repo/skills/notes/SKILL.md': SKILL } });
    const cwd = join(files.project, 'repo');
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      ['-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'x'],
    ])
      execFileSync('git', args, { cwd });
    const { code, text } = await run(files, 'install', `file://${cwd}`, '--consent');
    expect([code, text]).toEqual([0, expect.stringContaining(`Cloning skill from file://${cwd}...`)]);
    expect(readdirSync(join(files.home, '.gemini', 'skills', 'notes'))).toEqual(['SKILL.md']);
  });

  it('installs nothing without consent, and names what cannot be a source', async () => {
    await using files = await createWorkspace({ files: { 'notes/SKILL.md': SKILL, 'notes.txt': 'x' } });
    execFileSync(process.execPath, [join(SCRIPTS, 'package_skill.cjs'), 'notes', '.'], { cwd: files.project });
    expect((await run(files, 'install', 'notes.skill')).text).toContain('Add --consent.');
    expect(existsSync(join(files.home, '.gemini', 'skills'))).toBe(false);
    expect((await run(files, 'install', 'notes.txt')).text).toContain('neither a folder nor a .skill');
    expect((await run(files, 'install', './nothing')).text).toContain('does not exist. Name a folder, a .skill file');
  });
});
