import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorkspace, fakeModel, runCli } from '@castor/testkit';

const PREFACE = "I am Castor's offline model: a few fixed rules, not a language model.";

describe('castor --model offline', () => {
  it('says what it is and describes the folder', async () => {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'hello', 'src/b.ts': '' } });
    const result = await runCli(['--model', 'offline', '-p', 'What is in this folder?'], { workspace });
    expect(result).toEqual({
      stdout: `${PREFACE}\n\nThis folder holds 1 folder and 1 file:\n\n- src/\n- a.txt (5 bytes)\n`,
      stderr: '',
      code: 0,
      signal: null,
    });
  });

  it('counts in a file of the folder and refuses one outside of it', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'one\ntwo\n' }, homeFiles: { secret: 'x' } });
    const ask = async (prompt: string) => (await runCli(['-m', 'offline', prompt], { workspace })).stdout;
    expect(await ask('count the lines in a.txt')).toBe(`${PREFACE}\n\nThere are 2 lines in a.txt.\n`);
    expect(await ask('show ../home/secret')).toContain('Path not in workspace');
  });

  it('creates a file and shows it, with the tools, when it may', async () => {
    await using workspace = await createWorkspace();
    const args = ['-m', 'offline', '-y', '-p', 'create hello.txt with the text hi, then show it'];
    const result = await runCli(args, { workspace });
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout).toContain('hello.txt:\n\n```\nhi\n```');
    expect(await readFile(join(workspace.project, 'hello.txt'), 'utf8')).toBe('hi');
  });

  it('changes nothing without leave', async () => {
    await using workspace = await createWorkspace();
    await runCli(['-m', 'offline', '-p', 'create hello.txt with the text hi'], { workspace });
    expect(await readdir(workspace.project)).toEqual([]);
  });

  it('sends nothing anywhere when CASTOR_OFFLINE is set, key or no key', async () => {
    await using model = await fakeModel([]);
    const result = await runCli(['-p', 'help'], { model, env: { CASTOR_OFFLINE: '1' } });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout.startsWith(PREFACE)).toBe(true);
    expect(model.connections).toBe(0);
  });
});
