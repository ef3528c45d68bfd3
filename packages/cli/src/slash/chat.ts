import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, SessionService, SlashCommand } from './command.ts';

const NAMELESS = 'Missing name: /chat';

const list: SlashCommand = {
  name: 'list',
  description: 'Lists the saved conversations.',
  source: 'builtin',
  runsHeadless: true,
  run: (context) => withSessions(context, async (sessions) => info(await sessions.list())),
};

const save = named('save', 'Saves the conversation under a name.', async (sessions, tag) =>
  info(await sessions.save(tag)),
);

const resume = named(
  'resume',
  'Resumes a saved conversation.',
  async (sessions, tag) => ({ type: 'resume_session', sessionId: await sessions.resume(tag) }),
  ['load'],
);

const remove = named('delete', 'Deletes a saved conversation.', async (sessions, tag) =>
  info(await sessions.delete(tag)),
);

export const share: SlashCommand = {
  name: 'share',
  description: 'Writes the conversation to a file.',
  source: 'builtin',
  usage: '[file.md|file.json]',
  run: (context, file) => withSessions(context, async (sessions) => info(await sessions.share(file))),
};

const debug: SlashCommand = {
  name: 'debug',
  description: 'Writes the conversation to a file as the model receives it.',
  source: 'builtin',
  run: (context) => withSessions(context, async (sessions) => info(await sessions.debug())),
};

export const chat: SlashCommand = {
  name: 'chat',
  aliases: ['resume'],
  description: 'Manages saved conversations; alone, opens the list of sessions.',
  source: 'builtin',
  subCommands: [list, save, resume, remove, share, debug],
  run: () => ({ type: 'open_dialog', dialog: 'sessions' }),
};

function named(
  name: string,
  description: string,
  act: (sessions: SessionService, tag: string) => Promise<CommandResult>,
  aliases: readonly string[] = [],
): SlashCommand {
  return {
    name,
    aliases,
    description,
    source: 'builtin',
    usage: '<tag>',
    run: (context, tag) =>
      tag === '' ? failure(`${NAMELESS} ${name} <tag>`) : withSessions(context, (sessions) => act(sessions, tag)),
  };
}

async function withSessions(
  { services }: CommandContext,
  act: (sessions: SessionService) => Promise<CommandResult>,
): Promise<CommandResult> {
  if (!services?.openSessions) return failure('Saving conversations is not supported here.');
  try {
    return await act(await services.openSessions());
  } catch (error) {
    return failure(getErrorMessage(error));
  }
}
