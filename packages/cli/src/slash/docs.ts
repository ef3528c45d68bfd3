import { info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const docs: SlashCommand = {
  name: 'docs',
  description: 'Shows where the documentation is.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: () =>
    info(
      'The documentation is the docs folder of the repository: headless.md, commands.md, keys.md, context.md, settings.md, hooks.md, sessions.md, telemetry.md. castor --help lists the flags.',
    ),
};
