/**
 * A command in a terminal of the editor: opened there, waited for, and closed there. A cancelled prompt does not wait for
 * an editor that does not answer, and a terminal that is opened too late is closed again.
 */

import type { ShellOutcome, WorkspaceAgentOptions } from '@castor/core';
import type { Client } from './client.ts';
import { describeEditorFailure } from './editor-failure.ts';

export type ForeignCommand = Parameters<NonNullable<NonNullable<WorkspaceAgentOptions['editor']>['runCommand']>>[0];

export interface EditorTerminalOptions {
  readonly client: Client;
  readonly sessionId: string;
  /** The session ended. */
  readonly ended: AbortSignal;
  /** The command of a call is shown in this terminal. */
  readonly onTerminal: (callId: string, terminalId: string) => void;
  /** The environment the editor was started in, as far as we know: what a command there inherits. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
}

type ExitStatus = { readonly exitCode?: number | null; readonly signal?: string | null };
type Ending = 'exited' | 'cancelled' | 'timed_out';

/** What a terminal keeps of the output; the model reads less. */
const OUTPUT_BYTES = 1024 * 1024;
const LOOK_MS = 2_000;
/** How long an editor may take to end a command that is no longer wanted. */
const CLOSE_MS = 1_000;

export async function runInTerminal(command: ForeignCommand, options: EditorTerminalOptions): Promise<ShellOutcome> {
  const { client, sessionId, ended, onTerminal } = options;
  if (command.signal.aborted) return outcomeOf('cancelled');
  const unwanted = AbortSignal.any([command.signal, ended]);
  const opening = client.request('terminal/create', { sessionId, ...toInvocation(command, options) }, ended);
  let terminal: EditorTerminal;
  try {
    terminal = new EditorTerminal(readText((await until(opening, unwanted)).terminalId, 'id'), options);
  } catch (error) {
    if (!unwanted.aborted) return failure('The editor could not open a terminal, so the command did not run', error);
    opening.then(
      ({ terminalId }) => terminalId !== undefined && new EditorTerminal(terminalId, options).close(),
      () => undefined,
    );
    return outcomeOf('cancelled');
  }
  onTerminal(command.callId, terminal.id);
  try {
    const ending = await terminal.untilEnd(command);
    if (ending !== 'exited') await terminal.kill();
    return { ...outcomeOf(ending), ...(await terminal.result(ending)) };
  } catch (error) {
    if (unwanted.aborted) return outcomeOf('cancelled');
    return failure('The terminal of the editor failed while the command ran', error);
  } finally {
    terminal.close();
  }
}

class EditorTerminal {
  readonly id: string;
  private readonly options: EditorTerminalOptions;
  /** What the editor said when the command ended. */
  private exit: ExitStatus = {};

  constructor(id: string, options: EditorTerminalOptions) {
    this.id = id;
    this.options = options;
  }

  /** Rejects when the editor fails. */
  async untilEnd({ signal, inactivityTimeoutMs }: ForeignCommand): Promise<Ending> {
    const { client, ended } = this.options;
    const over = Promise.withResolvers<Ending>();
    const onAbort = () => over.resolve('cancelled');
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const onExit = (exit: ExitStatus) => {
      this.exit = exit;
      over.resolve('exited');
    };
    client.request('terminal/wait_for_exit', this.place, ended).then(onExit, over.reject);
    let last = '';
    let quietMs = 0;
    const look = async () => {
      const output = readText((await client.request('terminal/output', this.place, ended)).output, 'output');
      quietMs = output === last ? quietMs + LOOK_MS : 0;
      last = output;
      if (quietMs >= inactivityTimeoutMs) over.resolve('timed_out');
    };
    const timer = inactivityTimeoutMs > 0 ? setInterval(() => void look().catch(over.reject), LOOK_MS) : undefined;
    try {
      return await over.promise;
    } finally {
      clearInterval(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  async kill(): Promise<void> {
    await this.options.client.request('terminal/kill', this.place, this.patience());
  }

  async result(ending: Ending): Promise<Pick<ShellOutcome, 'output' | 'exitCode' | 'signal'>> {
    const { client, ended } = this.options;
    const signal = ending === 'exited' ? ended : this.patience();
    const { output, exitStatus } = await client.request('terminal/output', this.place, signal);
    // Some editors tell it in one of the two answers only.
    const exitCode = this.exit.exitCode ?? exitStatus?.exitCode ?? null;
    const name = (this.exit.signal ?? exitStatus?.signal ?? null) as NodeJS.Signals | null;
    return { output: readText(output, 'output').slice(-OUTPUT_BYTES), exitCode, signal: name };
  }

  /** Ends what still runs in it. The editor keeps the output where it is shown. */
  close(): void {
    const { client, ended } = this.options;
    client.request('terminal/release', this.place, ended).catch(() => undefined);
  }

  private get place() {
    return { sessionId: this.options.sessionId, terminalId: this.id };
  }

  private patience(): AbortSignal {
    return AbortSignal.any([this.options.ended, AbortSignal.timeout(CLOSE_MS)]);
  }
}

/** Rejects with the abort, without waiting any longer. */
function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const onAbort = () => stopped.reject(toError(signal.reason));
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, stopped.promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

/** Credentials of ours that the editor would pass on are taken away before the command starts. */
function toInvocation({ command, directory: cwd, environment }: ForeignCommand, { inherited }: EditorTerminalOptions) {
  const withheld = Object.keys(inherited).filter((name) => environment[name] === undefined);
  const env = Object.entries(environment)
    .filter(([name, value]) => inherited[name] !== value)
    .map(([name, value]) => ({ name, value }));
  const unset = withheld.flatMap((name) => ['-u', name]);
  const shell = { command: 'bash', args: ['-c', command] };
  const run = unset.length === 0 ? shell : { command: 'env', args: [...unset, shell.command, ...shell.args] };
  return { ...run, env, cwd, outputByteLimit: OUTPUT_BYTES };
}

function outcomeOf(ending: Ending): ShellOutcome {
  return { ending, output: '', exitCode: null, signal: null, backgroundPids: [] };
}

function failure(what: string, error: unknown): ShellOutcome {
  const { message } = describeEditorFailure(error);
  return { ...outcomeOf('exited'), error: new Error(`${what}: ${message}`, { cause: error }) };
}

/** Throws for an answer without it. */
function readText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new Error(`its answer has no ${name}.`);
  return value;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
