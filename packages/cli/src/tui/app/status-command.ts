/**
 * The user's own status line: a command of the user gets what is known of the session as JSON, and the first line that
 * it writes stands in the rule instead of our parts. It runs when something it is told has changed, never by a clock.
 */

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { StreamingState } from '@castor/core';
import { toCliName } from '@castor/core/program';
import { sanitizeLine } from '../../sanitize.ts';
import type { Start } from '../../start/start.ts';
import type { App } from './app.ts';
import { modelOf } from './frame-state.ts';

/** A slower one would show what was. */
const LONGEST_MS = 5_000;
const LONGEST_LINE = 500;

export function watchStatus(app: App, start: Start, command: string): void {
  const status = new StatusCommand(app, start, command);
  const before = app.onStateChange;
  app.onStateChange = () => {
    before?.();
    status.update();
  };
  app.onClose.push(() => status.stop());
  status.update();
}

class StatusCommand {
  private readonly app: App;
  private readonly start: Start;
  private readonly command: string;
  private child: ChildProcess | undefined;
  private told = '';
  private hasFailed = false;

  constructor(app: App, start: Start, command: string) {
    this.app = app;
    this.start = start;
    this.command = command;
  }

  update(): void {
    // Settings that were read again have a command of their own.
    if (this.app.state.start !== this.start || this.app.streaming !== StreamingState.Idle) return;
    const facts = factsOf(this.app, this.start);
    if (facts === this.told || this.child) return;
    this.told = facts;
    this.run(facts);
  }

  stop(): void {
    this.child?.kill();
  }

  private run(facts: string): void {
    const { cwd, environment } = this.start;
    const stdio = ['pipe', 'pipe', 'ignore'] as const;
    const child = spawn(this.command, {
      shell: true,
      cwd,
      env: { ...environment },
      stdio: [...stdio],
      timeout: LONGEST_MS,
    });
    this.child = child;
    let written = '';
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      if (written.length < LONGEST_LINE) written += piece;
    });
    // A command that reads nothing closes its input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${facts}\n`);
    child.once('error', (error) => this.end(error.message, ''));
    child.once('close', (code, signal) => {
      const problem = code === 0 ? undefined : signal === null ? `exit ${code}` : `ended by ${signal}`;
      this.end(problem, written);
    });
  }

  private end(problem: string | undefined, written: string): void {
    if (!this.child) return;
    this.child = undefined;
    const { app } = this;
    if (app.state.start !== this.start) return;
    const [line = ''] = written.slice(0, LONGEST_LINE).toWellFormed().split('\n', 1);
    const shown = sanitizeLine(line).trim();
    app.state.statusLine = problem === undefined && shown !== '' ? shown : undefined;
    if (problem !== undefined && !this.hasFailed) {
      this.hasFailed = true;
      app.warn(`castor.statusLine: ${sanitizeLine(this.command)} failed (${problem}); the usual parts are shown.`);
    }
    app.screen.refresh();
    // Something may have changed meanwhile.
    this.update();
  }
}

function factsOf(app: App, { cwd }: Start): string {
  const { agent, branch, mode } = app.state;
  const model = modelOf(app);
  const tokens = agent?.chat.getLastPromptTokenCount() ?? 0;
  const window = agent?.tokenLimit(model);
  return JSON.stringify({
    version: app.options.version,
    session_id: agent?.session.sessionId,
    cwd,
    branch,
    model,
    approval_mode: toCliName(mode),
    context: { tokens, window, used: window === undefined ? 0 : Number((tokens / window).toFixed(4)) },
    cost_usd: agent?.ledger.cost().usd,
  });
}
