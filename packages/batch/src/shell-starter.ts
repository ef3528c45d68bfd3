/**
 * Starts programs by lines to a shell, and hears of their starts and ends by lines from it. What the shell has not started when the worker
 * dies does not start any more.
 */

import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { FIRST_FAILED, LIFELINE_DESCRIPTOR, signalGroup, StarterDiedError } from './starter.ts';
import type { Environment, Start, Started, Starter } from './starter.ts';

/** Of the shell: it reads its lines as a script, writes what happened, and keeps two lifelines for those it starts. */
const [NEWS, READ_LIFELINE] = [4, 5];
/** In a process that was forked for a worker which has died since; a dead one that its parent has not noticed counts as dead. */
const unlessDead = (pid: number) =>
  `read -r castor_stat 2>/dev/null </proc/${pid}/stat || exit 125; case "\${castor_stat##*) }" in [ZX]*) exit 125; esac`;

/** The number and the start time of the forked process, as `startTimeOf` tells it. It keeps both when it becomes the program. */
const identify = (path: string) =>
  `read -r castor_stat </proc/self/stat; castor_tell() { echo "\${castor_stat%% *} \${20}"; }; castor_tell \${castor_stat##*) } >${quote(path)} || exit 125`;
const LATE_NEWS_MS = 500;
/** Variables that a shell does not let go. */
const OWN = /^(?:_|PPID|E?UID|BASHOPTS|BASH_VERSINFO|SHELLOPTS)$/;

export class ShellStarter implements Starter {
  readonly hasFirst = true;
  private readonly environment: Environment;
  private readonly shells = new Set<Shell>();
  private current: Shell | undefined;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  start(options: Start): Started {
    // One that was killed is replaced; what it started goes on.
    if (!this.current?.isAlive) {
      this.current = new Shell(this.environment);
      this.shells.add(this.current);
    }
    return this.current.start(options);
  }

  close(): void {
    for (const shell of this.shells) shell.close();
  }
}

class Shell {
  isAlive = true;
  private readonly base: Environment;
  private readonly child;
  private readonly running = new Map<number, Running>();
  private readonly changes = new WeakMap<Environment, string>();
  private count = 0;
  private rest = '';

  constructor(environment: Environment) {
    this.base = environment;
    this.child = spawn('/bin/sh', [], {
      env: environment as NodeJS.ProcessEnv,
      stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      // A terminal's Ctrl+C is for the worker.
      detached: true,
    });
    this.child.once('error', () => this.die());
    this.child.once('exit', () => this.die());
    for (const pipe of this.child.stdio) pipe?.on('error', () => undefined);
    this.child.stdin?.write('castor_mask=$(umask)\n');
    const news = this.child.stdio[NEWS] as Socket;
    news.setEncoding('utf8');
    news.on('data', (text: string) => this.hear(text));
    // All who would have told are gone.
    news.once('close', () => this.giveUp(() => true));
  }

  start(options: Start): Started {
    if (options.words.some((word) => word.includes('\0')))
      throw new Error('A text of the task has a null character, which no program takes.');
    const number = (this.count += 1);
    let resolve: Running['resolve'] = () => undefined;
    let reject: Running['reject'] = () => undefined;
    const ended = new Promise<number | null>((...give) => ([resolve, reject] = give));
    const { stdout, stderr } = options;
    const running: Running = { stdout, stderr, pid: undefined, signal: undefined, isEnded: false, resolve, reject };
    // A caller that does not wait for it is not to crash.
    ended.catch(() => undefined);
    this.running.set(number, running);
    this.child.stdin?.write(this.script(number, options));
    return { ended, end: (signal) => end(running, signal) };
  }

  close(): void {
    for (const pipe of this.child.stdio) pipe?.destroy();
  }

  private die(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    // News of what it did start may be on their way.
    setTimeout(() => this.giveUp(({ pid }) => pid === undefined), LATE_NEWS_MS).unref();
  }

  private giveUp(which: (running: Running) => boolean): void {
    for (const [number, running] of this.running) {
      if (!which(running)) continue;
      this.running.delete(number);
      running.reject(new StarterDiedError());
    }
  }

  /** The outer process tells the end of the inner one, which becomes the program. `jobs` makes the shell forget those that ended. */
  private script(number: number, options: Start): string {
    const { words, directory, environment, stdin = '/dev/null', stdout, stderr, lifeline, identity, isBrief } = options;
    const pipe = {
      polled: `${READ_LIFELINE}<&-`,
      read: `${LIFELINE_DESCRIPTOR}<&${READ_LIFELINE} ${READ_LIFELINE}<&-`,
      none: `${LIFELINE_DESCRIPTOR}<&- ${READ_LIFELINE}<&-`,
    }[lifeline ?? 'none'];
    const [out, err] = [quote(stdout), quote(stderr)];
    // It does not lead a group, so setsid becomes the program as well.
    const asLeader = lifeline === undefined ? '' : 'setsid ';
    const started = isBrief ? '' : `echo "started ${number} $!" >&${NEWS}; `;
    // Files are for their owner only; `true` is a command whose files may fail to open.
    return `{ umask 077; if true >>${out} 2>>${err}; then (
exec <${quote(stdin)} >>${out} 2>>${err} ${NEWS}>&- ${pipe}
${this.firstOf(options)}
${identity === undefined ? '' : identify(identity)}
umask $castor_mask
${unlessDead(process.pid)}
cd ${quote(directory)} || exit 126
${this.changesFor(environment)}
exec ${asLeader}${words.map(quote).join(' ')}
) & ${started}wait $!; echo "ended ${number} $?" >&${NEWS}
else echo "unwritable ${number}" >&${NEWS}; fi; } &
jobs >/dev/null 2>&1
`;
  }

  /** A process of its own, named as the program will be: who signals the shell that waits for it leaves it behind. */
  private firstOf({ first, identity }: Start): string {
    if (!first) return '';
    return `(
${identity === undefined ? '' : identify(identity)}
umask $castor_mask
${unlessDead(process.pid)}
cd ${quote(first.directory)} || exit 126
${this.changesFor(first.environment)}
exec ${first.words.map(quote).join(' ')} </dev/null >/dev/null ${LIFELINE_DESCRIPTOR}<&-
) & wait $! || exit ${FIRST_FAILED}`;
  }

  private changesFor(environment: Environment): string {
    const known = this.changes.get(environment);
    if (known !== undefined) return known;
    const gone = Object.keys(this.base).filter((name) => environment[name] === undefined && !OWN.test(name));
    const set = Object.entries(environment).filter(
      ([name, value]) => value !== undefined && this.base[name] !== value && !OWN.test(name),
    );
    const text = [
      ...(gone.length > 0 ? [`unset ${gone.join(' ')}`] : []),
      ...set.map(([name, value = '']) => `export ${name}=${quote(value)}`),
    ].join('\n');
    this.changes.set(environment, text);
    return text;
  }

  private hear(text: string): void {
    const lines = `${this.rest}${text}`.split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) {
      const [kind, number, value] = line.split(' ');
      const running = this.running.get(Number(number));
      if (!running) continue;
      if (kind === 'started') {
        running.pid = Number(value);
        if (running.signal) end(running, running.signal);
        continue;
      }
      this.running.delete(Number(number));
      running.isEnded = true;
      const code = Number(value);
      if (kind === 'unwritable') running.reject(whyUnwritable(running));
      // The shell tells a signal as a number beyond 128.
      else running.resolve(running.signal && code > 128 ? null : code);
    }
  }
}

interface Running extends Pick<Start, 'stdout' | 'stderr'> {
  pid: number | undefined;
  /** The last one that the worker sent. */
  signal: NodeJS.Signals | undefined;
  isEnded: boolean;
  resolve: (code: number | null) => void;
  reject: (error: Error) => void;
}

/** In the words of the system. */
function whyUnwritable({ stdout, stderr }: Running): Error {
  try {
    for (const path of [stdout, stderr]) closeSync(openSync(path, 'a', 0o600));
    return new Error(`${stdout} could not be written for a moment.`);
  } catch (error) {
    return error as Error;
  }
}

function end(running: Running, signal: NodeJS.Signals): void {
  const { pid, isEnded } = running;
  if (!isEnded) running.signal = signal;
  if (pid === undefined || signalGroup(pid, signal) || isEnded) return;
  try {
    // It has no group of its own, or not yet.
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
