/**
 * Attaches the comforts of the composer when the program is idle: completion, earlier prompts, the clipboard.
 */

import { join } from 'node:path';
import { systemClock } from '@castor/core';
import { resolveProjectDirectory } from '@castor/core/program';
import type { App } from './app.ts';
import { createCommandCompletion } from '../completion/command-completion.ts';
import { createFileCompletion } from '../completion/file-completion.ts';
import type { FindResources } from '../completion/file-completion.ts';
import { FileFacts } from '../completion/file-facts.ts';
import { createFileIndex } from '../completion/file-index.ts';
import type { FileIndexOptions } from '../completion/file-index.ts';
import { openPromptLog } from '../input/prompt-log.ts';
import type { SlashCommand } from '../../slash/command.ts';
import { byGroup } from '../../slash/command-groups.ts';
import { commandsOf } from './read-text.ts';
import { watchReferences } from './watch-references.ts';

export async function attachInput(app: App): Promise<void> {
  const { home, cwd } = app.options;
  const commands = await commandsOf(app);
  for (const notice of commands.notices) app.warn(notice);
  const files = createFileIndex({ root: cwd, clock: systemClock, ...searchOptions(app) });
  const findResources: FindResources = async (typed, signal) =>
    (await app.state.agent?.servers?.contents.completeReference(typed, signal)) ?? [];
  app.composer.setCompletion([
    createCommandCompletion(() => withNames(app, byGroup(commands.all))),
    createFileCompletion(files, { findResources, facts: new FileFacts(cwd, systemClock) }),
  ]);
  app.onClose.push(() => files.dispose());
  const directory = await resolveProjectDirectory({ home, root: cwd });
  const { createImageClipboard } = await import('../input/clipboard-image.ts');
  const images = { directory: join(directory, 'images'), platform: process.platform, now: () => systemClock.now() };
  app.composer.setClipboard(createImageClipboard({ ...images, environment: app.options.environment }));
  const agent = await app.link.current().catch(() => undefined);
  if (!agent) return;
  const { composer } = app;
  app.onClose.push(watchReferences({ composer, references: () => app.state.agent?.references }));
  const log = await openPromptLog({
    directory,
    sessionId: agent.session.sessionId,
    clock: systemClock,
    conceal: agent.conceal,
  });
  app.composer.setHistory(log.prompts, log.commands);
  app.onClose.push(() => log.settled());
}

/** Commands whose arguments are names of servers, extensions, skills or agents complete them. */
function withNames(app: App, commands: readonly SlashCommand[]): SlashCommand[] {
  return commands.map((command) => {
    const { names, subCommands } = command;
    if (!names && !subCommands) return command;
    return {
      ...command,
      ...(subCommands && { subCommands: withNames(app, subCommands) }),
      ...(names && { complete: (partial, _signal, before) => completeName(app, names, { partial, before }) }),
    };
  });
}

async function completeName(
  app: App,
  names: NonNullable<SlashCommand['names']>,
  { partial, before }: { partial: string; before: string },
): Promise<readonly string[]> {
  const { agent } = app.state;
  if (!agent) return [];
  const typed = before.split(' ');
  const found = await names({ agent, home: app.options.home });
  return found.filter((name) => !typed.includes(name) && name.toLowerCase().startsWith(partial.toLowerCase()));
}

/** The suggestions after `@`, as the settings configure them. */
function searchOptions({ state: { start } }: App): Partial<FileIndexOptions> {
  if (!start) return {};
  const { fileFiltering } = start.settings.context;
  return {
    git: fileFiltering.respectGitIgnore,
    gemini: fileFiltering.respectGeminiIgnore,
    customIgnoreFiles: fileFiltering.customIgnoreFilePaths,
    isFuzzy: fileFiltering.enableFuzzySearch,
    isRecursive: fileFiltering.enableRecursiveFileSearch,
    useRipgrep: start.settings.tools.useRipgrep,
  };
}
