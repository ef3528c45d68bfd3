/**
 * What a submitted text means here: a slash command is run, `!command` is run in sight,
 * everything else becomes a prompt with the files it names.
 */

import { computeSources } from '@castor/core';
import { openCommands } from '../slash/index.ts';
import { isShellText, isSlashText } from '../slash/command-signs.ts';
import type { CommandContext, CommandList } from '../slash/command.ts';
import { watchCommand } from '../slash/watch-command.ts';
import { preparePrompt } from '../prompt/prompt-input.ts';
import { runShellPrompt } from '../prompt/shell-prompt.ts';
import { trustedFoldersFile } from '../start/trust.ts';
import type { App } from './app.ts';
import type { BesideAnswer } from './beside-prompt.ts';
import { applyResult } from './command-results.ts';
import { createServices } from './command-services.ts';
import type { PreparedTurn } from './conversation.ts';
import { sanitize } from '../sanitize.ts';
import { renderUser } from './render/transcript-item.ts';
import { expandTabs } from './render/wrap-rows.ts';

export class TurnPreparation {
  private readonly version: string;
  private readonly startedAt = Date.now();
  private commands: Promise<CommandList> | undefined;
  private shellCount = 0;

  constructor(version: string) {
    this.version = version;
  }

  readonly prepare = async (app: App, text: string, signal: AbortSignal): Promise<PreparedTurn | undefined> => {
    if (text.trim() === '') return undefined;
    const context = await this.context(app, signal);
    if (isSlashText(text)) {
      const found = context.commands.find(text);
      if (found) return this.runCommand(app, text, found, context);
    } else if (isShellText(text)) return this.runShell(app, text.trim().slice(1).trim(), context);
    const prepared = isSlashText(text)
      ? { kind: 'prompt' as const, parts: [{ text }], displayText: text, notes: [] }
      : await preparePrompt(text, context);
    if (prepared.kind === 'prompt') {
      for (const note of prepared.notes) app.warn(note);
      return { parts: prepared.parts, text: prepared.displayText };
    }
    if (prepared.kind === 'error') app.fail(prepared.message);
    else app.info(prepared.text);
    return undefined;
  };

  /** A command typed while a prompt runs. */
  readonly runBeside = async (app: App, text: string): Promise<BesideAnswer> => {
    const found = (await this.list(app)).find(text);
    if (!found) return 'words';
    if (found.command.run && !found.command.runsWhileBusy) return 'waits';
    await this.runCommand(app, text, found, await this.context(app, new AbortController().signal));
    return 'ran';
  };

  /** The commands of this session, read once. */
  async list(app: App): Promise<CommandList> {
    const { home, cwd: root } = app.options;
    const { platform } = process;
    // Before the start has decided on trust, the project brings nothing.
    const sources = app.state.start?.sources ?? computeSources({ home, root, trustedFolder: undefined, platform });
    this.commands ??= openCommands(sources);
    return this.commands;
  }

  private async context(app: App, signal: AbortSignal): Promise<CommandContext & { commands: CommandList }> {
    const { home } = app.options;
    const environment = app.state.start?.environment ?? app.options.environment;
    const [agent, commands] = await Promise.all([app.link.current(), this.list(app)]);
    return {
      agent,
      commands,
      home,
      version: this.version,
      trustedFoldersFile: trustedFoldersFile({ home, environment }),
      trustedFolder: app.state.start?.trustedFolder,
      isAttended: true,
      hasScreen: true,
      startedAt: this.startedAt,
      signal,
      services: createServices(app, agent, signal),
    };
  }

  private async runCommand(
    app: App,
    text: string,
    { command, args, path }: NonNullable<ReturnType<CommandList['find']>>,
    context: CommandContext,
  ): Promise<PreparedTurn | undefined> {
    const { run } = command;
    if (!run) {
      const names = (command.subCommands ?? []).map(({ name }) => `/${path} ${name}`);
      app.info(`/${path} needs one of: ${names.join(', ')}.`);
      return undefined;
    }
    app.print(['', ...renderUser(text, { styles: app.appearance.styles, width: app.width })]);
    const result = await watchCommand(path, context.agent, () => run(context, args));
    return applyResult(app, result, { text, context });
  }

  private async runShell(app: App, command: string, context: CommandContext): Promise<undefined> {
    const { styles } = app.appearance;
    app.print(['', `${styles.warning('! ')}${sanitize(expandTabs(command))}`]);
    const callId = `shell-${++this.shellCount}`;
    app.clientCalls.scheduleToolCalls([{ callId, name: 'Shell', description: command }]);
    const onOutput = (more: string) => app.clientCalls.outputUpdateHandler(callId, more);
    try {
      const onPid = (pid: number) => app.clientCalls.notePid(callId, pid);
      const result = await runShellPrompt(command, context, { onOutput, onPid });
      if (result.kind === 'error') app.fail(result.message);
      else if (result.kind === 'answered') {
        app.print(
          sanitize(expandTabs(result.text))
            .split('\n')
            .map((line) => styles.secondary(line)),
        );
      }
    } finally {
      app.clientCalls.markToolsAsSubmitted([callId]);
    }
    return undefined;
  }
}
