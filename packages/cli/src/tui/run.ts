/**
 * runTui: runs the conversation in a terminal, from the first frame to the last line. The order matters: read keys
 * first, then show a prompt, and only then load anything large. Whatever happens, the terminal is restored.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as afterInput } from 'node:timers/promises';
import { ExitCode } from '../exit-codes.ts';
import { TerminalApp } from './app/terminal-app.ts';
import { readBranch } from './app/git-branch.ts';
import { holdMessages } from './app/hold-messages.ts';
import { createKeymap } from './input/keymap.ts';
import { hasAsciiOnly } from './terminal/has-ascii-only.ts';
import { reflowOf } from './terminal/resize-behaviour.ts';
import { TerminalSession } from './terminal/terminal-session.ts';
import type { TuiOptions } from './tui-options.ts';

/** Throws an ExitError when the run cannot start; the terminal is restored by then. */
export async function runTui(options: TuiOptions): Promise<ExitCode> {
  const { args, environment, cwd, home } = options;
  if (Object.keys(args).length > 0) (await import('../args/idle-flags.ts')).refuseOnScreen(args);
  const isPlain = args.screenReader === true;
  const spell = hasAsciiOnly(environment) ? (await import('./terminal/ascii-signs.ts')).toAsciiSigns : undefined;
  const terminal = new TerminalSession({ input: process.stdin, output: process.stdout, isPlain, spell });
  const ended = Promise.withResolvers<void>();
  const app = new TerminalApp({
    terminal,
    environment,
    cwd,
    home,
    reflow: reflowOf(environment),
    version: options.version,
    onExit: ended.resolve,
  });
  app.state.branch = readBranch(cwd);
  const messages = holdMessages();
  app.takeMessages = () => messages.take();
  const keyWarnings = await useCustomKeys(app, join(home, '.gemini', 'keybindings.json'));
  terminal.enter((bytes) => app.composer.feed(bytes));
  if (isPlain) app.useLinear();
  else app.composer.probeWidths((bytes) => terminal.write(bytes));
  const onInterruption = () => {
    app.exit();
    app.hurry.abort();
  };
  options.interruption.signal.addEventListener('abort', onInterruption, { once: true });
  const giveBack = () =>
    runEach([
      () => app.inkView?.close(),
      () => app.screen.close(),
      () => app.composer.dispose(),
      () => terminal.leave(),
      () => messages.release(),
    ]);
  // Exits that bypass the end of this function: the shutdown timed out, or other code ends the process.
  options.interruption.lastWords = giveBack;
  process.on('exit', giveBack);
  // SIGQUIT must dump core: restore the terminal, then re-raise.
  const onQuit = () => {
    giveBack();
    process.kill(process.pid, 'SIGQUIT');
  };
  process.once('SIGQUIT', onQuit);
  let summary: readonly string[] = [];
  let problems: unknown[] = [];
  try {
    app.screen.drawNow();
    // The frame is written before the rest is loaded.
    await afterInput();
    const { openApp } = await import('./app/open-app.ts');
    await afterInput();
    const opening = openApp(app, options, keyWarnings);
    await Promise.race([opening, ended.promise]);
    await ended.promise;
    const { closeApp } = await import('./app/close-app.ts');
    summary = await closeApp(app);
  } finally {
    problems = giveBack();
    process.off('exit', giveBack);
    process.off('SIGQUIT', onQuit);
    // On the original screen, where it stays.
    terminal.write(summary.map((line) => `${line}\n`).join(''));
  }
  if (problems.length > 0) throw problems[0];
  return ExitCode.Success;
}

/** Before the first key is read, so that a default never acts in place of the user's key; returns warnings. */
async function useCustomKeys(app: TerminalApp, file: string): Promise<readonly string[]> {
  if (!existsSync(file)) return [];
  const { loadKeyBindings } = await import('./input/keybindings-file.ts');
  const { bindings, warnings } = await loadKeyBindings(file);
  if (bindings.length > 0) app.composer.setKeymap(createKeymap(bindings));
  return warnings;
}

/** Runs every step, whatever one throws; returns the errors. */
function runEach(steps: readonly (() => void)[]): unknown[] {
  return steps.flatMap((step) => {
    try {
      step();
      return [];
    } catch (error) {
      return [error];
    }
  });
}
