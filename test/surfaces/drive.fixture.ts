/** One scene played on every surface: the same words, and afterwards what the model was sent and what was recorded. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace, fakeModel, say, startCli, startTerminal } from '@castor/testkit';
import type { FakeModel, Gate, Script, Workspace, WorkspaceOptions } from '@castor/testkit';
import { Editor } from '../acp/editor.fixture.ts';

export interface Scene extends WorkspaceOptions {
  readonly settings?: object;
  /** The words of the first prompt; without them the flags begin one. */
  readonly words?: string;
  /** Answers in order; by default one. Each run makes its own. */
  readonly script?: (held: Gate | undefined) => Script;
  readonly args?: readonly string[];
  /** Where the first answer stops until the scene has done its part. */
  readonly held?: () => Gate;
  /** Typed while the first answer is held, which then continues. */
  readonly queued?: string;
  /** Cancels the prompt while its answer is held. */
  readonly isCancelled?: boolean;
  /** Ends when the model has answered this often; 0 when the program answers itself. */
  readonly answers?: number;
  /** What an earlier run leaves in the workspace. */
  readonly before?: (workspace: Workspace) => Promise<void>;
}

/** What a scene came to: the conversations of all requests, and the session's messages without ids and times. */
export interface Seen {
  readonly requests: readonly unknown[];
  readonly recorded: readonly unknown[];
}

type Stage = { scene: Scene; workspace: Workspace; model: FakeModel; held: Gate | undefined };

export const TRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
const LAST = 'All is said.';
export const lastAnswer = say(LAST);

export const SURFACES: Readonly<Record<string, (scene: Scene) => Promise<Seen>>> = {
  '-p': (scene) => play(scene, print),
  'stream-json': (scene) => play(scene, converse),
  terminal: (scene) => play(scene, sit),
  acp: (scene) => play(scene, edit),
};

async function play(scene: Scene, act: (stage: Stage) => Promise<void>): Promise<Seen> {
  const { settings, files = {}, homeFiles = {} } = scene;
  await using workspace = await createWorkspace({
    files,
    homeFiles: { ...(settings && { '.gemini/settings.json': JSON.stringify(settings) }), ...homeFiles },
  });
  await scene.before?.(workspace);
  const held = scene.held?.();
  await using model = await fakeModel(scene.script?.(held) ?? [lastAnswer]);
  await act({ scene, workspace, model, held });
  const withoutPlaces = (value: unknown) => JSON.parse(neutral(JSON.stringify(value), workspace)) as unknown;
  return {
    requests: model.requests.map(({ body }) => withoutPlaces(body.contents)),
    recorded: (await readRecords(workspace)).map(withoutPlaces),
  };
}

/** `castor -p`; what no argument can hold comes through stdin. */
async function print({ scene, workspace, model, held }: Stage): Promise<void> {
  const { words, args = [], isCancelled = false } = scene;
  const isArgument = words !== undefined && !words.includes('\0');
  const cli = await startCli([...args, ...(isArgument ? ['-p', words] : [])], {
    model,
    workspace,
    env: TRUSTED,
    ...(!isArgument && words !== undefined && { stdin: words }),
  });
  if (isCancelled) {
    await held?.reached;
    cli.kill('SIGINT');
  }
  await cli.done;
}

async function converse({ scene, workspace, model, held }: Stage): Promise<void> {
  const { words, queued, args = [], isCancelled = false } = scene;
  const cli = await startCli([...args, '--input-format', 'stream-json'], {
    model,
    workspace,
    env: TRUSTED,
    keepStdinOpen: true,
  });
  const tell = (message: object) => cli.writeStdin(`${JSON.stringify(message)}\n`);
  if (words !== undefined) tell({ type: 'prompt', content: words });
  await held?.reached;
  if (queued !== undefined) tell({ type: 'prompt', content: queued });
  if (isCancelled) tell({ type: 'interrupt' });
  else held?.release();
  if (isCancelled) await cli.waitForStdout('"prompt_ended"');
  tell({ type: 'end' });
  await cli.done;
}

async function sit({ scene, workspace, model, held }: Stage): Promise<void> {
  const { words, queued, args = [], isCancelled = false, answers = 1 } = scene;
  const isArgument = words !== undefined && !words.includes('\0');
  await using terminal = await startTerminal([...args, ...(isArgument ? ['-i', words] : [])], {
    model,
    workspace,
    env: TRUSTED,
  });
  if (!isArgument && words !== undefined) {
    await terminal.waitForText('Type your message');
    terminal.type(`\x1b[200~${words}\x1b[201~`);
    terminal.type('\r');
  }
  await held?.reached;
  if (queued !== undefined) {
    terminal.type(`${queued}\r`);
    await terminal.waitForText(`next  ${queued}`);
  }
  if (isCancelled) {
    terminal.type('\x1b');
    await terminal.waitForText('Request cancelled.');
  } else held?.release();
  if (answers > 0 && !isCancelled) await terminal.waitForText(LAST);
  await terminal.waitUntil((seen) => seen.title().includes('Ready'));
  terminal.type('/quit\r');
  await terminal.done;
}

/** An editor. A prompt that waits is not for it: a newer prompt cancels the one that runs. */
async function edit({ scene, workspace, model, held }: Stage): Promise<void> {
  const { words = '', args = [], isCancelled = false } = scene;
  await using editor = await Editor.open({ workspace, model, args, env: TRUSTED });
  const session = await editor.newSession();
  const prompt = editor.prompt(session, words);
  if (isCancelled) {
    await held?.reached;
    await editor.until(() => editor.text() !== '');
    await editor.notify('session/cancel', { sessionId: session });
  }
  await prompt;
  editor.closeStdin();
  await editor.done;
}

/** The project's sessions, oldest first, message by message. */
async function readRecords({ home }: Workspace): Promise<unknown[]> {
  const projects = join(home, '.gemini', 'tmp');
  const folders = await readdir(projects).catch(() => []);
  const records: unknown[] = [];
  for (const folder of folders) {
    const chats = join(projects, folder, 'chats');
    const names = (await readdir(chats).catch(() => [])).filter((name) => name.endsWith('.jsonl')).toSorted();
    for (const name of names) {
      const lines = (await readFile(join(chats, name), 'utf8')).trim().split('\n');
      const messages = lines.map((line) => JSON.parse(line) as object);
      // Notes on what is unsettled, written when a screen or a reader is shown it: that depends on the moment.
      records.push(...messages.filter((message) => !('$partial' in message || '$prompt' in message)));
    }
  }
  return records;
}

const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:########\d+)?/g, '<id>'],
  [/"projectHash":"[0-9a-f]+"/g, '"projectHash":"<hash>"'],
  [/Today's date is [^.]+\./g, '<date>'],
];

function neutral(text: string, { root }: Workspace): string {
  return CHANGING.reduce((sofar, [pattern, word]) => sofar.replaceAll(pattern, word), text.replaceAll(root, '<root>'));
}
