/** `castor branch` of the built program: a copy with the files of a moment, compared, merged with conflicts marked, dropped. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

/** It starts the program a dozen times, one after the other. */
const TIMEOUT_MS = 240_000;
const shell = (command: string) => answer(call('run_shell_command', { command }));

describe('castor branch', () => {
  it('copies files and conversation of a moment; compares, merges and drops', { timeout: TIMEOUT_MS }, async () => {
    await using workspace = await createWorkspace();
    await workspace.write('a.txt', 'one\ntwo\nthree\nfour\nfive\n');
    await workspace.write('b.txt', 'base\n');
    await using model = await fakeModel([
      shell('echo first > first.txt'),
      say('First done.'),
      shell('echo second > second.txt'),
      say('Second done.'),
    ]);
    const run = (...args: string[]) => runCli(args, { workspace, model });
    await run('-p', 'First', '-y');
    await run('-r', 'latest', '-p', 'Second', '-y');
    const made = JSON.parse((await run('branch', 'try', '--at', '2', '-o', 'json')).stdout) as {
      root: string;
      sessionId: string;
    };
    expect(made.root).toBe(`${workspace.project}-try`);
    const there = (name: string) => join(made.root, name);
    expect([existsSync(there('first.txt')), existsSync(there('second.txt'))]).toEqual([true, false]);
    expect((await run('branch', 'list')).stdout).toContain('try (before prompt 2)');
    expect(await run('branch', 'try')).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });
    // Both go on.
    writeFileSync(there('a.txt'), 'ONE\ntwo\nthree\nfour\nfive\n');
    writeFileSync(there('b.txt'), 'branch\n');
    writeFileSync(there('new.txt'), 'new\n');
    await workspace.write('a.txt', 'one\ntwo\nthree\nfour\nFIVE\n');
    await workspace.write('b.txt', 'here\n');
    const compared = (await run('branch', 'compare', 'try')).stdout;
    expect(compared).toMatch(/^file +branch try +this folder$/m);
    expect(compared).toMatch(/^a\.txt +modified \+1 −1 +modified \+1 −1$/m);
    expect(compared).toMatch(/^second\.txt +– +added \+1 −0$/m);
    expect(compared).toMatch(/^cost +\$0 +\$0$/m);
    expect(await run('branch', 'drop', 'try')).toMatchObject({ code: 1, stderr: expect.stringContaining('3 changes') });
    const merged = await run('branch', 'merge', 'try', '-o', 'json');
    expect(JSON.parse(merged.stdout)).toEqual({
      merged: ['a.txt', 'b.txt', 'new.txt'],
      conflicts: ['b.txt'],
      leftAlone: [],
      isVerified: true,
    });
    expect(await workspace.read('a.txt')).toBe('ONE\ntwo\nthree\nfour\nFIVE\n');
    expect(await workspace.read('b.txt')).toBe('<<<<<<< this folder\nhere\n=======\nbranch\n>>>>>>> branch try\n');
    expect(await workspace.read('second.txt')).toBe('second\n');
    // The merge is a step of its own: undo takes it back and leaves what the prompt before it changed.
    const { prompts } = JSON.parse((await run('undo', '--list', '-o', 'json')).stdout) as {
      prompts: { calls: { callId: string }[] }[];
    };
    const callId = prompts.at(-1)?.calls.at(-1)?.callId ?? '';
    expect(callId).toMatch(/^merge-try-/);
    expect(await run('undo')).toMatchObject({ code: 0, stdout: expect.stringContaining('verified') });
    expect(await workspace.read('second.txt')).toBe('second\n');
    expect(await workspace.read('b.txt')).toBe('here\n');
    expect(existsSync(join(workspace.project, 'new.txt'))).toBe(false);
    expect(await run('branch', 'drop', 'try', '--yes')).toMatchObject({ code: 0 });
    expect(existsSync(made.root)).toBe(false);
    expect((await run('branch', 'list')).stdout).toBe('This folder has no branches.\n');
  });

  it('is dropped without a question when this folder has all of it, or its own is gone', async () => {
    await using workspace = await createWorkspace({ files: { 'a.txt': 'one\ntwo\nthree\n' } });
    await using model = await fakeModel([say('Hello.')]);
    const run = (...args: string[]) => runCli(args, { workspace, model });
    await run('-p', 'Hi');
    for (const name of ['try', 'gone']) await run('branch', name);
    writeFileSync(join(`${workspace.project}-try`, 'a.txt'), 'ONE\ntwo\nthree\n');
    writeFileSync(join(`${workspace.project}-try`, 'b.txt'), 'new\n');
    await workspace.write('a.txt', 'one\ntwo\nTHREE\n');
    expect((await run('branch', 'merge', 'try')).stdout).toContain('Merged 2 paths, verified.');
    expect((await run('branch', 'merge', 'try')).stdout).toBe('Nothing to merge: this folder has all of it.\n');
    // Taken back, the merge is no copy of the branch's work.
    await run('undo', '--yes');
    expect(await run('branch', 'drop', 'try')).toMatchObject({ code: 1, stderr: expect.stringContaining('2 changes') });
    await run('undo', '--redo', '--yes');
    expect(await run('branch', 'drop', 'try')).toMatchObject({ code: 0 });
    rmSync(`${workspace.project}-gone`, { recursive: true });
    expect(await run('branch', 'drop', 'gone')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('was gone already'),
    });
  });

  it('gives one prompt to two branches with two models', { tags: 'wide' }, async () => {
    await using workspace = await createWorkspace();
    await workspace.write('a.txt', 'one\n');
    await using model = await fakeModel([say('Hello.'), say('Answer.'), say('Answer.')]);
    const run = (...args: string[]) => runCli(args, { workspace, model });
    await run('-p', 'Hi');
    const paired = await run(
      'branch',
      'pair',
      'duel',
      '--models',
      'gemini-2.5-pro,gemini-2.5-flash',
      '-p',
      'Which way?',
      '-o',
      'json',
    );
    expect(JSON.parse(paired.stdout)).toMatchObject([
      { model: 'gemini-2.5-pro', code: 0, answer: 'Answer.\n', branch: { name: 'duel-a' } },
      { model: 'gemini-2.5-flash', code: 0, answer: 'Answer.\n', branch: { name: 'duel-b' } },
    ]);
    const paths = model.requests.slice(1).map(({ path }) => /models\/([^:]+)/.exec(path)?.[1]);
    expect(new Set(paths)).toEqual(new Set(['gemini-2.5-flash', 'gemini-2.5-pro']));
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Hello.');
    expect(readFileSync(join(`${workspace.project}-duel-b`, 'a.txt'), 'utf8')).toBe('one\n');
  });
});
