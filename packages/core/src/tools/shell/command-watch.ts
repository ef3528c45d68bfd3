/**
 * Looks after a command while it is silent: one that waits for input, a server
 * that is up, and one from which nothing has come for too long. It says what it noticed
 * and ends nothing itself.
 */

import type { CommandOutput } from './command-output.ts';
import { PromptWatch } from './prompt-detector.ts';
import { ServerWatch } from './server-detector.ts';
import type { ShellEnding } from './shell-outcome.ts';
import type { ShellProcess } from './shell-process.ts';

export interface CommandWatchOptions {
  /** What to do with a command that waits for input when there is no user. */
  whenWaiting?: 'end' | 'report';
  /** How long the output must be silent before a command can count as waiting. */
  promptSilenceMs?: number;
  /** How long a server must be silent after it said it is ready before it runs on in the background. */
  serverSilenceMs?: number;
}

export interface WatchedCommand {
  process: ShellProcess;
  output: CommandOutput;
  /** Without output for so long it counts as hanging; 0 for never. */
  inactivityTimeoutMs: number;
  /** The line it waits at; undefined when it goes on. */
  onWait: (line: string | undefined) => void;
  onEnding: (ending: ShellEnding) => void;
}

const LONGEST_TIMER_MS = 2_147_483_647;

export class CommandWatch {
  private readonly command: WatchedCommand;
  private readonly options: CommandWatchOptions;
  private readonly silence: NodeJS.Timeout;
  private readonly prompt: PromptWatch;
  private readonly server: ServerWatch;
  private promptLine: string | undefined;
  private hasRemarked = false;

  constructor(command: WatchedCommand, options: CommandWatchOptions) {
    this.command = command;
    this.options = options;
    this.silence = setTimeout(() => this.onSilence(), silenceLimit(command.inactivityTimeoutMs)).unref();
    this.prompt = this.watchPrompt();
    this.server = this.watchServer();
  }

  /** The line it waits, or waited, at. */
  get waitingAt(): string | undefined {
    return this.promptLine;
  }

  /** The command wrote output, or the user typed into it. */
  touch(): void {
    this.silence.refresh();
    this.prompt.touch();
    this.server.touch();
    if (this.promptLine !== undefined) this.command.onWait(undefined);
    this.promptLine = undefined;
  }

  stop(): void {
    clearTimeout(this.silence);
    this.prompt.stop();
    this.server.stop();
  }

  private onSilence(): void {
    // Who has typed into it is the one it waits for, and may think for as long as they like.
    if (this.command.output.isAttended && this.promptLine !== undefined) this.silence.refresh();
    else this.command.onEnding('timed_out');
  }

  private onWaiting(line: string): void {
    const { process, output, onWait, onEnding } = this.command;
    this.promptLine = line;
    onWait(line);
    if (process.hasTerminal && this.options.whenWaiting !== 'report') onEnding('waiting_for_input');
    else if (!this.hasRemarked)
      output.remark(`[The command seems to wait for input${line === '' ? '' : ` at: ${line}`}]`);
    this.hasRemarked = true;
  }

  private watchPrompt(): PromptWatch {
    const { process, output } = this.command;
    const { promptSilenceMs, whenWaiting } = this.options;
    return new PromptWatch({
      pid: process.pid,
      hasTerminal: process.hasTerminal,
      unfinishedLine: () => output.unfinishedLine,
      onWaiting: (line) => this.onWaiting(line),
      // Who takes keys may well go on without one: that is worth a word, and no reason to end it.
      ...(whenWaiting === 'report' && { isRaw: () => process.isRaw() }),
      silenceMs: promptSilenceMs,
    });
  }

  private watchServer(): ServerWatch {
    const { process, output, onEnding } = this.command;
    const { serverSilenceMs } = this.options;
    return new ServerWatch({
      pid: process.pid,
      hasSaidReady: () => output.hasSaidReady,
      onServing: () => onEnding('serving'),
      silenceMs: serverSilenceMs,
    });
  }
}

/** A timer waits no longer than 24 days; asked for more it would end at once. */
function silenceLimit(milliseconds: number): number {
  return milliseconds === 0 ? LONGEST_TIMER_MS : Math.min(milliseconds, LONGEST_TIMER_MS);
}
