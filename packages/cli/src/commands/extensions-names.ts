/** `castor --list-extensions`: the names of the installed extensions, as Gemini CLI prints them. */

import { loadExtensions } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import type { SubcommandContext } from './subcommand-context.ts';

export async function printExtensionNames({ output, home, cwd }: SubcommandContext): Promise<ExitCode> {
  const { extensions } = loadExtensions({ home, cwd });
  const names = extensions.map(({ name }) => `- ${name}\n`);
  await output.answer(names.length === 0 ? 'No extensions installed.\n' : `Installed extensions:\n${names.join('')}`);
  return ExitCode.Success;
}
