/** Where a program under test keeps its sessions, and what is in there by now. */

import { watch } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Workspace } from '@castor/testkit';

/** The project's folder of sessions, made beforehand so that it can be watched. */
export async function prepareChats({ home, project }: Workspace): Promise<string> {
  const chats = join(home, '.gemini', 'tmp', 'project', 'chats');
  await mkdir(chats, { recursive: true });
  await writeFile(join(home, '.gemini', 'projects.json'), JSON.stringify({ projects: { [project]: 'project' } }));
  return chats;
}

export async function readSessions(chats: string): Promise<string> {
  const names = (await readdir(chats)).filter((name) => name.endsWith('.jsonl'));
  return (await Promise.all(names.map((name) => readFile(join(chats, name), 'utf8')))).join('');
}

/** Resolves when the sessions hold the text. */
export async function untilRecorded(chats: string, expected: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = async () => {
    if ((await readSessions(chats)).includes(expected)) resolve();
  };
  const watcher = watch(chats, () => void look());
  await look();
  await promise;
  watcher.close();
}
