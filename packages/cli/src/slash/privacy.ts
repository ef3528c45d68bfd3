import { info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const privacy: SlashCommand = {
  name: 'privacy',
  description: 'Says what leaves this machine and what is kept on it.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run({ agent }) {
    const telemetry = agent.telemetry
      ? 'Telemetry is on and goes where your settings say (telemetry.*).'
      : 'Telemetry is off; only you can switch it on (telemetry.enabled).';
    return info(
      [
        'Your prompts, and what tools read and print for them, go to the model you chose; with the offline model nothing does.',
        'Commands and pages the model asks for reach further only as your policies and answers allow.',
        `Castor has no server of its own. ${telemetry}`,
        `Sessions are kept in ${agent.workspace.tempDirectory} until general.sessionRetention or you delete them.`,
        'A key you pasted is in ~/.gemini/.env, which only you can read; /auth signout deletes it.',
      ].join('\n'),
    );
  },
};
