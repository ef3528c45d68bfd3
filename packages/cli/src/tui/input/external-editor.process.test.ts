import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { editExternally } from './external-editor.ts';

/** An editor that is a shell script; its first argument is the file. */
async function createEditor(script: string): Promise<{ command: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'castor editor '));
  onTestFinished(() => rm(folder, { recursive: true }));
  const command = join(folder, 'editor');
  await writeFile(command, `#!/bin/sh\n${script}\n`);
  await chmod(command, 0o700);
  return { command, folder };
}

function port(editor: string, log: string[] = []) {
  return {
    environment: { EDITOR: editor, PATH: process.env['PATH'] },
    async suspend(run: () => Promise<void>) {
      log.push('suspended');
      try {
        await run();
      } finally {
        log.push('resumed');
      }
    },
  };
}

describe('editExternally', () => {
  it('gives the prompt to the editor and takes back what was written, then leaves no file', async () => {
    const { command, folder } = await createEditor(
      `printf '%s' "$2" > "$(dirname "$0")/path"; stat -c %a "$2" > "$(dirname "$0")/mode"; printf '%s + more\\n' "$(cat "$2")" > "$2"`,
    );
    const log: string[] = [];
    const answer = await editExternally('one\n漢字', port(`"${command}" --flag`, log));
    expect(answer).toEqual({ type: 'edited', text: 'one\n漢字 + more' });
    expect(log).toEqual(['suspended', 'resumed']);
    expect((await readFile(join(folder, 'mode'), 'utf8')).trim()).toBe('600');
    await expect(readFile(await readFile(join(folder, 'path'), 'utf8'))).rejects.toThrow(/ENOENT/);
  });

  it.each<[string, string]>([
    ['exit 3', 'ended with code 3; the prompt is unchanged.'],
    ['kill -TERM $$', 'ended with SIGTERM; the prompt is unchanged.'],
  ])('takes nothing over when the editor fails with %s', async (script, message) => {
    const { command } = await createEditor(`echo lost > "$1"; ${script}`);
    expect(await editExternally('kept', port(`"${command}"`))).toEqual({
      type: 'failed',
      message: `The editor "${command}" ${message}`,
    });
  });

  it('says what to do when there is no such editor', async () => {
    const log: string[] = [];
    expect(await editExternally('kept', port('no-such-editor-here', log))).toEqual({
      type: 'failed',
      message: 'Unknown editor "no-such-editor-here". Set VISUAL or EDITOR to an installed editor.',
    });
    expect(log).toEqual(['suspended', 'resumed']);
  });
});
