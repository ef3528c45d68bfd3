import { info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const about: SlashCommand = {
  name: 'about',
  description: 'Shows the version, the model and the session.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run({ agent, version, trustedFolder }) {
    const trust = trustedFolder === undefined ? 'no trust decision' : trustedFolder ? 'trusted' : 'not trusted';
    return info(
      [
        `Castor      ${version}`,
        `Model       ${agent.requestedModel()}`,
        `Session     ${agent.session.sessionId}`,
        `Folder      ${agent.workspace.root} (${trust})`,
        `Node        ${process.version}`,
        `Platform    ${process.platform} ${process.arch}`,
      ].join('\n'),
    );
  },
};
