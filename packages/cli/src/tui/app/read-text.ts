/**
 * Reads a submitted text on this screen: parses it as on every surface, with the services available here, and shows the
 * result.
 */

import type { Source } from '@castor/core';
import type { PreparedTurn, BesideAnswer, GivenPrompt } from '../../surface/conversation-ports.ts';
import { isShellText } from '../../prompt/prompt-signs.ts';
import { sanitize } from '../../sanitize.ts';
import type { CommandContext, CommandList } from '../../slash/command.ts';
import { openCommands } from '../../slash/index.ts';
import { toListOptions } from '../../start/agent-options.ts';
import { trustedFoldersFile } from '../../start/trust.ts';
import { readPrompt } from '../../surface/read-prompt.ts';
import type { ReadContext, ReadPrompt } from '../../surface/prompt-reading.ts';
import type { App } from './app.ts';
import { applyResult } from './command-results.ts';
import { createServices } from './command-services.ts';
import { hang } from '../conversation/tool-call.ts';
import { renderUser } from '../conversation/transcript-item.ts';
import { renderTurnNotes } from '../conversation/turn-notes.ts';
import { expandTabs } from '../text/wrap-rows.ts';

/** Keyed by the sources they were loaded from: trust changes those. */
const lists = new WeakMap<readonly Source[], Promise<CommandList>>();

/** The commands of this session, loaded once. */
export async function commandsOf(app: App): Promise<CommandList> {
  await app.link.asked;
  const start = app.state.start!;
  const { sources } = start;
  const list = lists.get(sources) ?? openCommands(sources, () => app.state.agent?.servers, toListOptions(start));
  lists.set(sources, list);
  return list;
}

export async function readText(app: App, given: GivenPrompt, signal: AbortSignal): Promise<PreparedTurn | undefined> {
  const { text, isShell = isShellText(given.text) } = given;
  if (text.trim() === '') return undefined;
  const context = await contextOf(app, signal);
  const shown = new ShownWork(app);
  try {
    const read = await readPrompt(text, { ...context, isShell, ...shown.ports() });
    return await showRead(app, read, { text, isShell, context, isShown: shown.isCommand });
  } finally {
    shown.end();
  }
}

/** A command typed while a prompt runs. */
export async function runBeside(app: App, text: string): Promise<BesideAnswer> {
  const found = (await commandsOf(app)).find(text);
  if (!found) return 'words';
  if (found.command.run && !found.command.runsWhileBusy) return 'waits';
  await readText(app, { text }, new AbortController().signal);
  return 'ran';
}

/** Pages that are closed again. */
const LEAVES_NOTHING = /^[/?](?:help|\?|shortcuts)\s*$/;

/** Shows the command while it runs, above its result. */
class ShownWork {
  isCommand = false;
  private readonly app: App;
  private callId: string | undefined;

  constructor(app: App) {
    this.app = app;
  }

  ports(): Required<Pick<ReadContext, 'onCommand' | 'onShell'>> {
    const { app } = this;
    return {
      onCommand: (text) => {
        this.isCommand = true;
        if (app.isSpoken || !LEAVES_NOTHING.test(text)) app.showCommand(text);
      },
      onShell: (command) => {
        const rows = renderUser(`!${command}`, { styles: app.appearance.styles, width: app.width });
        app.print(['', ...rows], 'turn');
        const callId = `shell-${++app.state.shellCount}`;
        this.callId = callId;
        app.clientCalls.scheduleToolCalls([{ callId, name: 'Shell', description: command }]);
        return {
          onOutput: (more) => app.clientCalls.outputUpdateHandler(callId, more),
          onPid: (pid) => app.clientCalls.notePid(callId, pid),
        };
      },
    };
  }

  end(): void {
    if (this.callId !== undefined) this.app.clientCalls.markToolsAsSubmitted([this.callId]);
  }
}

interface Occasion {
  readonly text: string;
  readonly isShell: boolean;
  readonly isShown: boolean;
  readonly context: CommandContext;
}

async function showRead(
  app: App,
  read: ReadPrompt,
  { text, isShell, isShown, context }: Occasion,
): Promise<PreparedTurn | undefined> {
  switch (read.kind) {
    case 'prompt':
      app.state.turnNotes = () =>
        renderTurnNotes(
          { brought: read.brought ?? [], problems: read.notes },
          { styles: app.appearance.styles, width: app.width },
        );
      return { parts: read.parts, text: read.displayText, isShown };
    case 'answered':
      // What the user cancelled did not fail.
      if (isShell) app.print(outputRows(app, read.text, read.exitCode !== 0 && !context.signal.aborted));
      else app.info(read.text);
      return undefined;
    case 'error':
      if (context.signal.aborted) return undefined;
      app.fail(read.message);
      // A message that was not sent is the user's to correct; a command is in the history.
      if (!isShell && !isShown && app.composer.isEmpty()) app.composer.setText(text);
      return undefined;
    case 'command':
      if (read.result.type === 'propose_call') {
        app.info(read.result.message);
        return { parts: [], proposal: read.result.call, isShown };
      }
      await applyResult(app, read.result, context);
      app.endCommand();
      return undefined;
  }
}

/** The last line of a command that failed says how it ended. */
function outputRows({ appearance: { styles } }: App, output: string, hasFailed: boolean): string[] {
  const { secondary, error } = styles;
  const lines = sanitize(expandTabs(output)).split('\n');
  const ending = hasFailed ? lines.splice(-1).map(endingOf) : [];
  if (styles.isSpoken) return [...lines, ...ending.map((words) => `Failed: ${words}.`)];
  const rows = [...lines.map((line) => secondary(line)), ...ending.map((words) => error(`✗ ${words}`))];
  return hang(rows, styles);
}

/** The brackets are for the model: a sign of ours stands before it here. */
function endingOf(line: string): string {
  const words = /^\[(.*)\]$/.exec(line)?.[1] ?? line;
  return words.replace(/^The command ended with exit code /, 'exit ');
}

async function contextOf(app: App, signal: AbortSignal): Promise<CommandContext> {
  const { home, version } = app.options;
  const [agent, commands] = await Promise.all([app.link.current(), commandsOf(app)]);
  const { environment, trustedFolder } = app.state.start!;
  return {
    agent,
    commands,
    home,
    version,
    trustedFoldersFile: trustedFoldersFile({ home, environment }),
    trustedFolder,
    isAttended: true,
    hasScreen: true,
    columns: app.width,
    startedAt: app.startedAt,
    signal,
    services: createServices(app, agent, signal),
  };
}
