import { info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const privacy: SlashCommand = {
  name: 'privacy',
  description: 'Shows what Castor sends and what it stores.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run({ agent }) {
    const telemetry = agent.telemetry
      ? 'Telemetry is on; your settings choose its destination (telemetry.*).'
      : 'Telemetry is off; only you can enable it (telemetry.enabled).';
    return info(
      [
        'Castor sends your prompts and the output of tools to the model you chose; the offline model sends nothing.',
        'Your policies and approvals decide which commands run and which pages are fetched.',
        `Castor has no server of its own. ${telemetry}`,
        `Castor stores sessions in ${agent.workspace.tempDirectory} until general.sessionRetention or you delete them.`,
        'Castor stores a pasted key in ~/.gemini/.env, which only you can read; /auth signout deletes it.',
      ].join('\n'),
    );
  },
};
