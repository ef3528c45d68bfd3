import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const help: SlashCommand = {
  name: 'help',
  aliases: ['?'],
  description: 'Shows the commands.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run({ commands }) {
    if (!commands) return failure('The commands are not open.');
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
        'In a prompt: @path adds a file, !command runs it in your shell. At a terminal ? shows the keys.',
      ].join('\n'),
    );
  },
};
