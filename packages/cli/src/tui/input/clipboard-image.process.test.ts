import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createImageClipboard } from './clipboard-image.ts';

/** A clipboard whose programs are scripts of ours. */
async function clipboard(programs: Record<string, string>, more: { timeoutMs?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'castor-clip-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o700);
  }
  const directory = join(folder, 'images');
  const environment = { PATH: `${folder}:/usr/bin:/bin` };
  return {
    directory,
    read: () => createImageClipboard({ directory, platform: 'linux', environment, now: () => 7, ...more }).read(),
  };
}

const PNG_SCRIPT = String.raw`case "$*" in *image/png*) printf '\211PNG\r\n';; *) printf text;; esac`;
const TEXT_SCRIPT = `case "$*" in *image/png*) exit 1;; *) printf 'some text';; esac`;

describe('createImageClipboard', () => {
  it('saves an image', async () => {
    const { directory, read } = await clipboard({ 'wl-paste': PNG_SCRIPT });
    const path = join(directory, 'clipboard-7.png');
    expect(await read()).toEqual({ type: 'image', path });
    expect(await readFile(path)).toEqual(Buffer.from('\x89PNG\r\n', 'latin1'));
  });

  it('gives the text when there is no image', async () => {
    const { read } = await clipboard({ xclip: TEXT_SCRIPT });
    expect(await read()).toEqual({ type: 'text', text: 'some text' });
  });

  it('says what to install when there is no program', async () => {
    const { read } = await clipboard({});
    expect(await read()).toEqual({
      type: 'none',
      message: 'To paste from the clipboard install xclip or wl-paste, or type @ and the path of the image.',
    });
  });

  it('says that the clipboard is empty', async () => {
    const { read } = await clipboard({ xclip: 'exit 1', 'wl-paste': 'exit 1' });
    expect(await read()).toEqual({ type: 'none', message: 'The clipboard is empty.' });
  });

  it('says that an image cannot be saved', async () => {
    const { directory, read } = await clipboard({ xclip: PNG_SCRIPT });
    await writeFile(directory, 'in the way');
    expect(await read()).toEqual({ type: 'none', message: expect.stringMatching(/^The image could not be saved: E/) });
  });

  it('takes no more than it can use', async () => {
    const { read } = await clipboard({ xclip: 'exec cat /dev/zero' });
    expect(await read()).toEqual({ type: 'none', message: 'The clipboard content is larger than 20 MB.' });
  });

  it.each([
    ['hangs', 'exec sleep 10'],
    ['leaves its pipe to a process that hangs', 'sleep 5 &'],
  ])('gives up a program that %s', async (_title, script) => {
    const { read } = await clipboard({ xclip: script }, { timeoutMs: 300 });
    expect(await read()).toEqual({ type: 'none', message: 'Reading the clipboard timed out (xclip).' });
  });
});
