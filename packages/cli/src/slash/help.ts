import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const help: SlashCommand = {
  name: 'help',
  aliases: ['?'],
  description: 'Shows the commands.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run({ commands, hasScreen }) {
    if (hasScreen) return { type: 'open_dialog', dialog: 'help' };
    if (!commands) return failure('The commands are not loaded.');
    const rows = commands.all.flatMap((command) => [
      [`/${command.name}${command.usage ? ` ${command.usage}` : ''}`, command.description] as const,
      ...(command.subCommands ?? []).map(
        ({ name, usage, description }) => [`  ${name}${usage ? ` ${usage}` : ''}`, description] as const,
      ),
    ]);
    const width = Math.min(30, Math.max(...rows.map(([name]) => name.length)));
    const lines = rows.map(([name, description]) => `  ${name.padEnd(width)}  ${description}`);
    return info(
      [
        'Commands:',
        ...lines,
        '',
        'In a prompt: @path attaches a file, !command runs a shell command. In the terminal UI, ? shows the keys.',
      ].join('\n'),
    );
  },
};
