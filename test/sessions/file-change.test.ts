/** Killed after a file was changed and before it was told: the resumed session knows that it was. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, runCli, say } from '@castor/testkit';
import { describe, expect, it } from 'vitest';

/** Runs when the tool has done its work, and before its result is on record. */
const KILLS = { AfterTool: [{ hooks: [{ type: 'command', command: 'kill -9 $PPID' }] }] };

interface Turn {
  parts: { functionResponse?: { response: Record<string, unknown> } }[];
}

describe('a program that is killed between an edit and its result', () => {
  it('tells the resumed session that the edit was made, has what was there before, and removes it with the session', async () => {
    await using workspace = await createWorkspace({
      files: { 'a.txt': 'before\r\n' },
      homeFiles: { '.gemini/settings.json': JSON.stringify({ hooks: KILLS }) },
    });
    const write = call('write_file', { file_path: 'a.txt', content: 'after\n' });
    await using model = await fakeModel([answer(write), say('It is written.')]);
    const killed = await runCli(['-y', '-p', 'Write'], { workspace, model });
    expect([killed.signal, await workspace.read('a.txt')]).toEqual(['SIGKILL', 'after\r\n']);

    const resumed = await runCli(['-y', '--continue'], { workspace, model });
    expect(resumed).toMatchObject({ code: 0, stdout: 'It is written.\n' });
    expect(resumed.stderr).toContain('was carried out: its file has the new content; only its result is lost.');
    const results = (model.requests[1]?.body.contents as Turn[]).at(-1)?.parts;
    expect(results?.map(({ functionResponse }) => functionResponse?.response)).toEqual([
      { output: expect.stringContaining('The call was carried out'), status: 'carried_out' },
    ]);

    const chats = (await runCli(['sessions', 'path'], { workspace })).stdout.trim();
    const listed = async () => (await readdir(chats)).filter((name) => name !== '.seal');
    const folders = (await listed()).filter((name) => !name.endsWith('.jsonl'));
    const [copy] = await readdir(join(chats, folders[0] ?? '', 'pre-images'));
    // Sealed: a search of the disk does not find what was in the file, undo does.
    const kept = await readFile(join(chats, folders[0] ?? '', 'pre-images', copy ?? ''), 'latin1');
    expect(kept).not.toContain('before');
    expect((await runCli(['undo', '--yes'], { workspace })).code).toBe(0);
    expect(await workspace.read('a.txt')).toBe('before\r\n');
    await runCli(['--delete-session', '1'], { workspace });
    expect(await listed()).toEqual([]);
  });
});
