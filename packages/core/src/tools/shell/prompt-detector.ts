/**
 * Detects that a command waits for input. It is certain when the kernel reports that one
 * of its processes reads from its terminal; likely when the output stopped at an
 * unfinished line that looks like a question, or while a program reads single keys.
 * Nothing else counts as waiting: a slow command must not be mistaken for a waiting one.
 */

import { readFile, readlink } from 'node:fs/promises';
import { findGroupMembers } from './stray-processes.ts';

const DEFAULT_SILENCE_MS = 1200;
const AGAIN_MS = 700;
/** The system call number of `read` in /proc/<pid>/syscall. */
const READ_CALL: Partial<Record<NodeJS.Architecture, string>> = { x64: '0', arm64: '63', ia32: '3', arm: '3' };

const QUESTIONS = [
  /[[(]\s*(y|yes)\s*[/|]\s*(n|no)\b[^\])]*[\])]\s*[:?>]?\s*$/i,
  /\((y|yes)\)\s*[:?]?\s*$/i,
  /\b(password|passphrase|passcode|username|login|pin|one-time code|verification code)\b[^\n]{0,80}:\s*$/i,
  /\b(are you sure|do you want|would you like|ok to proceed|continue|proceed|overwrite|replace)\b[^\n]{0,120}\?\s*$/i,
  /\bpress (any key|enter|return)\b[^\n]{0,60}$/i,
  /\(yes\/no(\/\[fingerprint\])?\)\?\s*$/i,
];

/** Whether an unfinished line is a question that waits for an answer. */
export function isQuestion(line: string): boolean {
  const end = line.slice(-200);
  return QUESTIONS.some((pattern) => pattern.test(end));
}

export interface PromptWatchOptions {
  pid: number;
  hasTerminal: boolean;
  unfinishedLine: () => string;
  /** Whether a program reads single keys; called once per silence. Default not called. */
  isRaw?: () => Promise<boolean>;
  /** Called once per silence, with the line where the command waits, which may be empty. */
  onWaiting: (line: string) => void;
  silenceMs?: number | undefined;
}

/** Checks once the output has been silent for a while, and then repeatedly. */
export class PromptWatch {
  private readonly options: PromptWatchOptions;
  private readonly timer: NodeJS.Timeout;
  private stopped = false;
  private activity = 0;
  private askedAt = -1;

  constructor(options: PromptWatchOptions) {
    this.options = options;
    this.timer = setTimeout(() => void this.look(), options.silenceMs ?? DEFAULT_SILENCE_MS).unref();
  }

  /** The command wrote output, so it is not waiting. */
  touch(): void {
    this.activity++;
    if (!this.stopped) this.timer.refresh();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    const { pid, hasTerminal, unfinishedLine, onWaiting } = this.options;
    const seen = this.activity;
    const waiting =
      isQuestion(unfinishedLine()) || (hasTerminal && ((await isReadingTerminal(pid)) || (await this.takesKeys(seen))));
    // The prompt may have been written just before the read: let it arrive.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.stopped || this.activity !== seen) return;
    if (!waiting) {
      setTimeout(() => {
        if (!this.stopped && this.activity === seen) void this.look();
      }, AGAIN_MS).unref();
      return;
    }
    onWaiting(unfinishedLine().trim());
  }

  /** Called once per silence; output written meanwhile starts a new silence. */
  private async takesKeys(seen: number): Promise<boolean> {
    const { isRaw } = this.options;
    if (!isRaw || this.askedAt === seen) return false;
    this.askedAt = seen;
    return isRaw();
  }
}

/** Whether a process of the group is blocked reading its terminal. False when that cannot be determined. */
async function isReadingTerminal(group: number): Promise<boolean> {
  const read = READ_CALL[process.arch];
  if (process.platform !== 'linux' || read === undefined) return false;
  const members = await findGroupMembers(group);
  const answers = await Promise.all(members.map((pid) => isBlockedInRead(pid, read).catch(() => false)));
  return answers.includes(true);
}

async function isBlockedInRead(pid: number, read: string): Promise<boolean> {
  const [call, descriptor] = (await readFile(`/proc/${pid}/syscall`, 'latin1')).split(' ');
  if (call !== read || descriptor === undefined) return false;
  const target = await readlink(`/proc/${pid}/fd/${Number(descriptor)}`);
  return target.startsWith('/dev/pts/') || target.startsWith('/dev/tty');
}
