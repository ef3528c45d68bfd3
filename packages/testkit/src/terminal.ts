/**
 * Runs the built program in a real terminal: a pty, and an emulator that shows what a user would see. It waits for the
 * content of the screen, never for time; the test runner times out a program that hangs, and the program dies with this
 * process.
 */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import type { IPty } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { Condition } from './condition.ts';
import { cleanEnvironment } from './run-cli.ts';
import { createWorkspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly workspace?: Pick<Workspace, 'home' | 'project'>;
  /** Default the workspace's project. */
  readonly cwd?: string;
  /** Points the program at this model with a key. */
  readonly model?: { readonly url: string };
  /** Default the built program of this repository. */
  readonly program?: string;
  /** Lines kept above the screen. */
  readonly scrollback?: number;
  /** The background colour it reports, such as `rgb:ffff/ffff/ffff`; without it the query gets no answer. */
  readonly background?: string;
  /** Written to the terminal before the program starts, as by a shell. */
  readonly before?: string;
}

export interface TerminalExit {
  readonly code: number;
  readonly signal: number | undefined;
}

export interface Terminal extends AsyncDisposable {
  readonly pid: number;
  readonly home: string;
  readonly project: string;
  /** All output of the program so far. */
  readonly bytes: string;
  /** The visible rows, without trailing blanks. */
  screen(): string[];
  /** The screen and all above it, as the lines that were written: wrapped lines are joined again. */
  lines(): string[];
  /** On the screen, from 0. */
  cursor(): { row: number; column: number; isVisible: boolean };
  modes(): { isAlternate: boolean; hasBracketedPaste: boolean; hasMouse: boolean; hasFocusReports: boolean };
  title(): string;
  type(text: string): void;
  /** Resolves when the screen shows this; rejects if the program ends first. */
  waitForText(expected: string | RegExp): Promise<void>;
  /** Resolves when the screen no longer shows this. */
  waitForNoText(unexpected: string | RegExp): Promise<void>;
  /** Resolves when this is true of a complete frame, as `waitForText` does. */
  waitUntil(isMet: (terminal: Terminal) => boolean): Promise<void>;
  /** Resolves when this is true of the bytes so far, also in the middle of a frame. */
  waitForBytes(isMet: (bytes: string) => boolean): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Resizes the window only: `resize` also informs the program. */
  reshape(columns: number, rows: number): Promise<void>;
  kill(signal?: NodeJS.Signals): void;
  readonly done: Promise<TerminalExit>;
}

const PROGRAM = fileURLToPath(new URL('../../cli/bin/castor.cjs', import.meta.url));
/** Less than the runner's time limit for a test. */
const GIVE_UP_MS = 50_000;
const running = new Set<IPty>();

/** Starts the program and returns it. */
export async function startTerminal(args: readonly string[] = [], options: TerminalOptions = {}): Promise<Terminal> {
  const program = options.program ?? PROGRAM;
  if (!existsSync(program)) throw new Error(`There is no program at ${program}; build it first.`);
  const ownWorkspace = options.workspace ? undefined : await createWorkspace();
  const { home, project } = options.workspace ?? ownWorkspace!;
  const { columns = 80, rows = 24 } = options;
  const env = cleanEnvironment(home, {
    ...options,
    // xterm.js, as in VS Code: it moves its cursor on a resize in its own way.
    // The signs on the screen do not depend on the machine that runs the tests.
    env: { TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', LC_ALL: 'C.UTF-8', ...options.env },
  });
  const emulator = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: options.scrollback ?? 100_000,
    allowProposedApi: true,
  });
  if (options.before !== undefined) await new Promise<void>((resolve) => emulator.write(options.before ?? '', resolve));
  const pty = spawn(process.execPath, [program, ...args], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: options.cwd ?? project,
    env: env as Record<string, string>,
  });
  const { background } = options;
  if (background !== undefined) {
    emulator.parser.registerOscHandler(11, (data) => {
      if (data === '?') pty.write(`\x1b]11;${background}\x1b\\`);
      return true;
    });
  }
  if (running.size === 0) process.on('exit', killRunning);
  running.add(pty);
  return new RunningTerminal(pty, emulator, { home, project }, () => ownWorkspace?.dispose());
}

function killRunning(): void {
  for (const pty of running) pty.kill('SIGKILL');
}

class RunningTerminal implements Terminal {
  readonly home: string;
  readonly project: string;
  readonly done: Promise<TerminalExit>;
  bytes = '';
  private windowTitle = '';
  private isCursorVisible = true;
  private readonly pty: IPty;
  private readonly emulator: InstanceType<typeof headless.Terminal>;
  private readonly condition = new Condition();

  constructor(
    pty: IPty,
    emulator: InstanceType<typeof headless.Terminal>,
    { home, project }: Pick<Workspace, 'home' | 'project'>,
    cleanUp: () => Promise<void> | undefined,
  ) {
    this.pty = pty;
    this.emulator = emulator;
    this.home = home;
    this.project = project;
    emulator.onTitleChange((title) => {
      this.windowTitle = title;
    });
    // Answers of the terminal to queries of the program.
    emulator.onData((answer) => pty.write(answer));
    pty.onData((data) => {
      this.bytes += data;
      this.noteCursor(data);
      emulator.write(data, () => this.condition.changed());
    });
    this.done = this.finish(cleanUp);
    // A test that awaits `done` gets the error; one that only kills must not fail on it.
    this.done.catch(() => {});
  }

  get pid(): number {
    return this.pty.pid;
  }

  screen(): string[] {
    const { active } = this.emulator.buffer;
    const rows = Array.from({ length: this.emulator.rows }, (_, row) => {
      return (
        active
          .getLine(active.baseY + row)
          ?.translateToString(true)
          .trimEnd() ?? ''
      );
    });
    while (rows.at(-1) === '') rows.pop();
    return rows;
  }

  lines(): string[] {
    const { active } = this.emulator.buffer;
    const lines: string[] = [];
    for (let index = 0; index < active.length; index++) {
      const line = active.getLine(index);
      if (!line) continue;
      if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += line.translateToString(true);
      else lines.push(line.translateToString(true));
    }
    while (lines.at(-1)?.trimEnd() === '') lines.pop();
    return lines.map((line) => line.trimEnd());
  }

  cursor(): { row: number; column: number; isVisible: boolean } {
    const { cursorX, cursorY } = this.emulator.buffer.active;
    return { row: cursorY, column: cursorX, isVisible: this.isCursorVisible };
  }

  modes() {
    const { bracketedPasteMode, mouseTrackingMode, sendFocusMode } = this.emulator.modes;
    return {
      isAlternate: this.emulator.buffer.active.type === 'alternate',
      hasBracketedPaste: bracketedPasteMode,
      hasMouse: mouseTrackingMode !== 'none',
      hasFocusReports: sendFocusMode,
    };
  }

  title(): string {
    return this.windowTitle;
  }

  type(text: string): void {
    this.pty.write(text);
  }

  /** A user never sees half of a frame. The bytes a program leaves when it ends count as complete. */
  private get isWhole(): boolean {
    return !this.emulator.modes.synchronizedOutputMode || !running.has(this.pty);
  }

  waitForText(expected: string | RegExp): Promise<void> {
    return this.until(
      () => this.isWhole && holds(this.screen(), expected),
      () => `"${expected}" on the screen`,
    );
  }

  waitForNoText(unexpected: string | RegExp): Promise<void> {
    return this.until(
      () => this.isWhole && !holds(this.screen(), unexpected),
      () => `"${unexpected}" off the screen`,
    );
  }

  waitUntil(isMet: (terminal: Terminal) => boolean): Promise<void> {
    return this.until(
      () => this.isWhole && isMet(this),
      () => 'what was waited for',
    );
  }

  waitForBytes(isMet: (bytes: string) => boolean): Promise<void> {
    return this.until(
      () => isMet(this.bytes),
      () => 'the bytes that were waited for',
    );
  }

  /** Earlier output of the program is processed first: a terminal shows bytes in the size it has when they arrive. */
  async resize(columns: number, rows: number): Promise<void> {
    await this.reshape(columns, rows);
    this.pty.resize(columns, rows);
  }

  async reshape(columns: number, rows: number): Promise<void> {
    await new Promise<void>((resolve) => this.emulator.write('', resolve));
    this.emulator.resize(columns, rows);
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.pty.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (running.has(this.pty)) this.pty.kill('SIGKILL');
    await this.done.catch(() => {});
  }

  private async until(isMet: () => boolean, describe: () => string): Promise<void> {
    const late = Promise.withResolvers<never>();
    // Before the test runner's timeout, so that the error contains the screen.
    const deadline = setTimeout(() => late.reject(new Error('It took too long.')), GIVE_UP_MS);
    try {
      await Promise.race([this.condition.until(isMet), late.promise]);
    } catch (error) {
      const seen = this.lines().slice(-40).join('\n');
      const end = JSON.stringify(this.bytes.slice(-300));
      throw new Error(`There was never ${describe()}. Last seen:\n${seen}\nLast written: ${end}`, { cause: error });
    } finally {
      clearTimeout(deadline);
    }
  }

  private noteCursor(data: string): void {
    const shown = data.lastIndexOf('\x1b[?25h');
    const hidden = data.lastIndexOf('\x1b[?25l');
    if (shown !== hidden) this.isCursorVisible = shown > hidden;
  }

  private async finish(cleanUp: () => Promise<void> | undefined): Promise<TerminalExit> {
    const exit = await new Promise<TerminalExit>((resolve) => {
      this.pty.onExit(({ exitCode, signal }) => resolve({ code: exitCode, signal: signal || undefined }));
    });
    await new Promise<void>((resolve) => this.emulator.write('', resolve));
    running.delete(this.pty);
    if (running.size === 0) process.off('exit', killRunning);
    this.condition.finish(new Error(`It ended with ${JSON.stringify(exit)}.`));
    await cleanUp();
    return exit;
  }
}

function holds(screen: readonly string[], expected: string | RegExp): boolean {
  const text = screen.join('\n');
  return typeof expected === 'string' ? text.includes(expected) : text.search(expected) >= 0;
}
