/**
 * One session of thirty calls that is killed again and again: the program runs until
 * the driver has seen so many things happen (a request at the server, a change of the
 * session's folder or of the project), dies by SIGKILL there, and is told to go on. The
 * model is a function of the conversation, as a real one is: it asks for what is not
 * done, and does not ask again for what may have been done.
 */

import { watch } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answer, call, createWorkspace, fakeModel, say, seededRandom, startCli, text, together } from '@castor/testkit';
import type { CliResult, FakeModel, ModelRequest, Step, Workspace } from '@castor/testkit';

export const CALLS = 30;
/** More than the program keeps in memory of an answer under way. */
const LONG_TEXT = Array.from({ length: 900 }, (_, index) => (index * index).toString(36)).join(' ');

export interface Turn {
  role: string;
  parts: {
    text?: string;
    functionCall?: { id: string; name: string; args: Record<string, unknown> };
    functionResponse?: { id: string; name: string; response: Record<string, unknown> };
  }[];
}

export interface KilledSession {
  kills: number;
  /** What the last process said and ended with. */
  last: CliResult;
  /** The conversation of every request that reached the model, in order. */
  requests: Turn[][];
  violations: FakeModel['violations'];
  /** Which calls left their mark in the project, in order. */
  effects: number[];
  /** Files in the folder of sessions, and the lines of the session. */
  files: string[];
  lines: string[];
}

export async function runKilled(seed: number, kills: number): Promise<KilledSession> {
  const random = seededRandom(seed);
  await using workspace = await createWorkspace();
  const chats = await prepare(workspace);
  const seen = new Counter();
  await using model = await fakeModel((request) => {
    seen.add();
    return nextStep(request, random);
  });
  const watchers = [chats, workspace.project, join(workspace.project, 'written')].map((folder) =>
    watch(folder, () => seen.add()),
  );
  let done = 0;
  let last = await runUntil(seen, 1 + Math.floor(random() * 8));
  while (last.signal === 'SIGKILL') {
    done++;
    last = await runUntil(seen, done < kills ? 1 + Math.floor(random() * 8) : Number.POSITIVE_INFINITY);
  }
  for (const watcher of watchers) watcher.close();
  return {
    kills: done,
    last,
    requests: model.requests.map(({ body }) => body.contents as Turn[]),
    violations: model.violations,
    effects: await readEffects(workspace),
    files: await readdir(chats),
    lines: await readLines(chats),
  };

  async function runUntil(counter: Counter, count: number): Promise<CliResult> {
    await using cli = await startCli(await toArguments(chats), { workspace, model });
    await Promise.race([counter.reaches(count), cli.done]);
    cli.kill('SIGKILL');
    return cli.done;
  }
}

/** The folder of sessions is made beforehand, so that it can be watched from the first line on. */
async function prepare({ home, project, write }: Workspace): Promise<string> {
  const chats = join(home, '.gemini', 'tmp', 'project', 'chats');
  await mkdir(chats, { recursive: true });
  await writeFile(join(home, '.gemini', 'projects.json'), JSON.stringify({ projects: { [project]: 'project' } }));
  await mkdir(join(project, 'written'));
  for (let index = 0; index < CALLS; index++) await write(`data/${index}.txt`, `content ${index}\n`);
  return chats;
}

async function toArguments(chats: string): Promise<string[]> {
  const lines = await readLines(chats);
  const hasPrompt = lines.some((line) => line.includes('"type":"user"'));
  return hasPrompt ? ['-y', '--continue'] : ['-y', '-p', 'Make all thirty calls.'];
}

async function readLines(chats: string): Promise<string[]> {
  const names = (await readdir(chats)).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(names.map((name) => readFile(join(chats, name), 'utf8')));
  return texts.flatMap((content) => content.split('\n')).filter((line) => line !== '');
}

async function readEffects(workspace: Workspace): Promise<number[]> {
  const log = await workspace.read('effects.log').catch(() => '');
  // What a program died while writing is beside its file, under another name.
  const names = (await readdir(join(workspace.project, 'written'))).filter((name) => /^\d+\.txt$/.test(name));
  const written = await Promise.all(names.map((name) => workspace.read(`written/${name}`)));
  return [log, ...written].flatMap((text) => text.split('\n')).flatMap((line) => (line === '' ? [] : [Number(line)]));
}

/** Two of three change something, one of them by a command and one a file; the third only reads. */
export function hasEffect(index: number): boolean {
  return index % 3 !== 2;
}

/** Which of the thirty a call is. */
export function indexOf(args: Record<string, unknown>): number {
  return Number(/\d+/.exec(String(args['command'] ?? args['file_path']))?.[0]);
}

function nextStep({ body }: ModelRequest, random: () => number): Step {
  const done = new Set<number>();
  const indexes = new Map<string, number>();
  for (const { functionCall, functionResponse } of (body.contents as Turn[]).flatMap(({ parts }) => parts)) {
    if (functionCall) indexes.set(functionCall.id, indexOf(functionCall.args));
    const isOpen = functionResponse?.response['status'] === 'not_started';
    if (functionResponse && !isOpen) done.add(indexes.get(functionResponse.id) ?? -1);
  }
  const open = Array.from({ length: CALLS }, (_, index) => index).filter((index) => !done.has(index));
  if (open.length === 0) return say('All thirty calls are made.');
  const calls = open.slice(0, 1 + Math.floor(random() * 3)).map((index) => toCall(index));
  return random() < 0.3 ? answer(text(LONG_TEXT), text('So: '), together(...calls)) : answer(together(...calls));
}

function toCall(index: number) {
  if (!hasEffect(index)) return call('read_file', { file_path: `data/${index}.txt` });
  return index % 3 === 0
    ? call('run_shell_command', { command: `echo ${index} >> effects.log` })
    : call('write_file', { file_path: `written/${index}.txt`, content: `${index}\n` });
}

/** Counts what happens, and says when enough has. */
class Counter {
  private left = Number.POSITIVE_INFINITY;
  private resolve: () => void = () => undefined;

  add(): void {
    this.left--;
    if (this.left <= 0) this.resolve();
  }

  reaches(count: number): Promise<void> {
    this.left = count;
    return new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}
