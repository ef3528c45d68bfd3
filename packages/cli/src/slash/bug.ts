import { info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const bug: SlashCommand = {
  name: 'bug',
  description: 'Writes down what a report of a mistake should say.',
  source: 'builtin',
  usage: '[title]',
  runsWhileBusy: true,
  runsHeadless: true,
  run({ agent, version }, title) {
    return info(
      [
        'Send this to whoever gave you Castor, with what you did and what you expected:',
        '',
        `  ${title || '(what went wrong, in one line)'}`,
        `  Castor ${version}, Node ${process.version}, ${process.platform} ${process.arch}`,
        `  Model ${agent.requestedModel()}, session ${agent.session.sessionId}`,
        '',
        '/chat share writes the conversation to a file, /chat debug the last request. Look through them before you send them.',
      ].join('\n'),
    );
  },
};
