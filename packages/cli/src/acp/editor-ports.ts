/** What the editor does for an agent: its unsaved files, and its terminals. Only what it said it offers. */

import type { ShellOutcome, WorkspaceAgentOptions } from '@castor/core';
import type { Client } from './client.ts';

type EditorPorts = NonNullable<WorkspaceAgentOptions['editor']>;
type ForeignCommand = Parameters<NonNullable<EditorPorts['runCommand']>>[0];

export interface EditorPortsOptions {
  readonly client: Client;
  readonly sessionId: () => string;
  /** Ends every request. */
  readonly signal: AbortSignal;
  /** The command of a call is shown in this terminal. */
  readonly onTerminal: (callId: string, terminalId: string) => void;
  /** The environment the editor was started in, as far as we know: what a command there inherits. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
}

/** What a terminal keeps of the output; the model reads less. */
const OUTPUT_BYTES = 1024 * 1024;
const LOOK_MS = 2_000;

export function createEditorPorts(options: EditorPortsOptions): EditorPorts {
  const { fs, terminal } = options.client.capabilities;
  const files = {
    ...(fs?.readTextFile && { read: (path: string) => readFile(path, options) }),
    ...(fs?.writeTextFile && { write: (path: string, text: string) => writeFile(path, text, options) }),
  };
  return { files, ...(terminal && { runCommand: (command: ForeignCommand) => runInTerminal(command, options) }) };
}

/** An editor that cannot read a file leaves it to the disk. */
async function readFile(path: string, { client, sessionId, signal }: EditorPortsOptions): Promise<string | undefined> {
  try {
    const { content } = await client.request('fs/read_text_file', { sessionId: sessionId(), path }, signal);
    return content;
  } catch {
    return undefined;
  }
}

async function writeFile(
  path: string,
  content: string,
  { client, sessionId, signal }: EditorPortsOptions,
): Promise<void> {
  await client.request('fs/write_text_file', { sessionId: sessionId(), path, content }, signal);
}

async function runInTerminal(command: ForeignCommand, options: EditorPortsOptions): Promise<ShellOutcome> {
  const { client, onTerminal, signal } = options;
  const sessionId = options.sessionId();
  if (command.signal.aborted) return outcomeOf('cancelled', '');
  let terminalId: string;
  try {
    const started = await client.request('terminal/create', { sessionId, ...toInvocation(command, options) }, signal);
    terminalId = started.terminalId;
  } catch (error) {
    return { ...outcomeOf('exited', ''), error: error instanceof Error ? error : new Error(String(error)) };
  }
  onTerminal(command.callId, terminalId);
  const terminal = { sessionId, terminalId };
  const read = async () => (await client.request('terminal/output', terminal, signal)).output;
  try {
    const ending = await untilEnd(command, terminal, read, options);
    if (ending !== 'exited') await client.request('terminal/kill', terminal, signal);
    const { output, exitStatus } = await client.request('terminal/output', terminal, signal);
    const name = exitStatus?.signal as NodeJS.Signals | null | undefined;
    return { ...outcomeOf(ending, output), exitCode: exitStatus?.exitCode ?? null, signal: name ?? null };
  } catch (error) {
    const failed = error instanceof Error ? error : new Error(String(error));
    return command.signal.aborted ? outcomeOf('cancelled', '') : { ...outcomeOf('exited', ''), error: failed };
  } finally {
    // The editor keeps the output where it is shown.
    await client.request('terminal/release', terminal, signal).catch(() => undefined);
  }
}

type Ending = 'exited' | 'cancelled' | 'timed_out';

async function untilEnd(
  { signal: cancelled, inactivityTimeoutMs }: ForeignCommand,
  terminal: { sessionId: string; terminalId: string },
  read: () => Promise<string>,
  { client, signal }: EditorPortsOptions,
): Promise<Ending> {
  const ended = Promise.withResolvers<Ending>();
  const onAbort = () => ended.resolve('cancelled');
  cancelled.addEventListener('abort', onAbort, { once: true });
  client.request('terminal/wait_for_exit', terminal, signal).then(() => ended.resolve('exited'), ended.reject);
  let last = '';
  let quietMs = 0;
  const look = async () => {
    const output = await read();
    quietMs = output === last ? quietMs + LOOK_MS : 0;
    last = output;
    if (quietMs >= inactivityTimeoutMs) ended.resolve('timed_out');
  };
  const timer = inactivityTimeoutMs > 0 ? setInterval(() => void look().catch(ended.reject), LOOK_MS) : undefined;
  try {
    return await ended.promise;
  } finally {
    clearInterval(timer);
    cancelled.removeEventListener('abort', onAbort);
  }
}

/** Credentials of ours that the editor would pass on are taken away before the command starts. */
function toInvocation({ command, directory: cwd, environment }: ForeignCommand, { inherited }: EditorPortsOptions) {
  const withheld = Object.keys(inherited).filter((name) => environment[name] === undefined);
  const env = Object.entries(environment)
    .filter(([name, value]) => inherited[name] !== value)
    .map(([name, value]) => ({ name, value }));
  const unset = withheld.flatMap((name) => ['-u', name]);
  const shell = { command: 'bash', args: ['-c', command] };
  const run = unset.length === 0 ? shell : { command: 'env', args: [...unset, shell.command, ...shell.args] };
  return { ...run, env, cwd, outputByteLimit: OUTPUT_BYTES };
}

function outcomeOf(ending: Ending, output: string): ShellOutcome {
  return { ending, output, exitCode: null, signal: null, backgroundPids: [] };
}
