import { info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const bug: SlashCommand = {
  name: 'bug',
  description: 'Prints the content of a bug report.',
  source: 'builtin',
  usage: '[title]',
  runsWhileBusy: true,
  runsHeadless: true,
  run({ agent, version }, title) {
    return info(
      [
        'Send this to the maintainers of Castor, with what you did and what you expected:',
        '',
        `  ${title || '(what went wrong, in one line)'}`,
        `  Castor ${version}, Node ${process.version}, ${process.platform} ${process.arch}`,
        `  Model ${agent.requestedModel()}, session ${agent.session.sessionId}`,
        '',
        '/chat share writes the conversation to a file, /chat debug the last request. Review them before you send them.',
      ].join('\n'),
    );
  },
};
