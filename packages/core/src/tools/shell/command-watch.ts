/**
 * Watches a silent command: one that waits for input, a server that is ready, and one
 * without output for too long. It reports what it detects and ends nothing itself.
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
  /** How long a server must be silent after its ready message before it is moved to the background. */
  serverSilenceMs?: number;
}

export interface WatchedCommand {
  process: ShellProcess;
  output: CommandOutput;
  /** After this long without output the command counts as hanging; 0 for never. */
  inactivityTimeoutMs: number;
  /** Called with the line the command waits at; undefined when it continues. */
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

  /** The line where it waits, or last waited. */
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
    // The command waits for a user who has typed into it, and who may take any time to answer.
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
      // A program that reads single keys may continue without one: report it, but do not end the command.
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

/** Timers are limited to 24 days; a longer one would fire immediately. */
function silenceLimit(milliseconds: number): number {
  return milliseconds === 0 ? LONGEST_TIMER_MS : Math.min(milliseconds, LONGEST_TIMER_MS);
}
