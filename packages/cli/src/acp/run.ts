/**
 * runAcp: Castor behind an editor, over the Agent Client Protocol on stdin and stdout. It answers `initialize` before
 * it loads anything else, and ends when the editor closes stdin.
 */

import type { CliArguments } from '../args/args.ts';
import { refuseBesideEditor } from '../args/idle-flags.ts';
import { ExitCode } from '../exit-codes.ts';
import { homeDirectory } from '../home-directory.ts';
import type { Output } from '../output.ts';
import type { Interruption } from '../signals.ts';
import { toJson } from '../to-json.ts';
import { Greeting } from './greeting.ts';
import { readMessages, toStream } from './message-stream.ts';

declare const CASTOR_VERSION: string;

const ON_TERMINAL =
  'castor: --acp speaks the Agent Client Protocol on stdin and stdout; an editor starts it (docs/editors.md). Ctrl+D ends it.';
/** How long hooks and processes may take once the editor is gone; all of it is over within a second. */
const HOOKS_MS = 500;
const END_MS = 900;

export interface AcpOptions {
  readonly args: CliArguments;
  readonly output: Output;
  readonly interruption: Interruption;
}

export async function runAcp({ args, output, interruption }: AcpOptions): Promise<ExitCode> {
  refuseBesideEditor(args);
  if (process.stdin.isTTY) output.note(ON_TERMINAL);
  const send = (message: unknown) => output.answer(`${toJson(message)}\n`);
  const greeting = new Greeting(
    readMessages(process.stdin, (message) => void send(message)),
    send,
    CASTOR_VERSION,
  );
  const messages = greeting.messages();
  // Reads while the library is loaded: the answer to `initialize` does not wait for it.
  const first = messages.next();
  const stopped = Promise.race([aborted(interruption.signal), aborted(output.closed)]);
  const capabilities = await Promise.race([greeting.answered, stopped, ended(first)]);
  if (!capabilities) return ExitCode.Success;
  // The answer is written before the library is read.
  await new Promise((resolve) => setImmediate(resolve));
  const { connectEditor } = await import('./connect-editor.ts');
  const { connection, endAll } = connectEditor({
    ...{ stream: toStream(first, messages, send), capabilities },
    ...{ args, output, environment: process.env, home: homeDirectory(process.env), cwd: process.cwd() },
  });
  await Promise.race([connection.closed, stopped]);
  // An editor that does not read any more holds nothing up.
  await endSoon(endAll(HOOKS_MS).then(() => output.drained()));
  connection.close();
  output.abandon();
  return ExitCode.Success;
}

/** Resolves when the editor left without a word; never when it sent a message. */
async function ended(first: Promise<IteratorResult<unknown>>): Promise<undefined> {
  const { done } = await first;
  if (!done) await new Promise<never>(() => undefined);
  return undefined;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** What is not over then ends with the process; what is not read then is dropped. */
async function endSoon(ending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, END_MS)));
  await Promise.race([ending, late]);
  clearTimeout(timer);
}
