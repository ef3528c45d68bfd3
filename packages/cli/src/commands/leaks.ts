/**
 * `castor leaks`: reports which secrets were replaced by marks, and searches what Castor keeps on disk (sessions, logs,
 * telemetry, saved output, the undo store) for secrets that are there in plain. It names places, never values.
 */

import { SessionError } from '@castor/core';
import { findLeaks, findSession, sweepStore } from '@castor/core/program';
import type { LeakReport } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { describeWithHint } from '../start/describe-with-hint.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { loadTrustedConfiguration } from '../start/start.ts';
import { toJson } from '../to-json.ts';
import { parseWords } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';

const USAGE = `Usage: castor leaks [session] [-o text|json]

Lists the secrets that sessions replaced by marks such as ‹secret:github-1›, and
searches sessions, logs, telemetry, saved output and the undo store for secrets
in plain. A session is one of this folder: its number, its id or "latest".

Exit code 0: nothing in plain. 1: something was found.
`;

export async function runLeaksCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { output, home, cwd, environment } = context;
  const words = parseWords(argv, {
    command: 'leaks',
    flags: ['--help', '-h'],
    valued: { '-o': ['text', 'json'], '--output-format': ['text', 'json'] },
  });
  if (typeof words === 'string' || words.operands.length > 1) {
    output.note(`castor: ${typeof words === 'string' ? words : 'one session at a time.'}\n\n${USAGE}`);
    return ExitCode.Failure;
  }
  if (words.flags.size > 0) {
    await output.answer(USAGE);
    return ExitCode.Success;
  }
  const [wanted] = words.operands;
  try {
    const found = wanted === undefined ? undefined : await findSession(wanted, { home, root: cwd });
    const session = found && { id: found.id, path: found.path };
    const others = await telemetryFiles(context);
    const report = findLeaks({ home, environment, session, others, sweepStore });
    const format = words.values.get('-o') ?? words.values.get('--output-format') ?? 'text';
    await output.answer(format === 'json' ? `${toJson(report)}\n` : describe(report));
    return report.leaks.length === 0 ? ExitCode.Success : ExitCode.Failure;
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    output.note(`castor: ${describeWithHint(error)}`);
    return ExitCode.Failure;
  }
}

async function telemetryFiles({ home, cwd, environment }: SubcommandContext): Promise<string[]> {
  const installed = await findInstalledExtensions({ home, cwd });
  const { configuration } = loadTrustedConfiguration({ args: {}, cwd, home, environment, installed });
  const { outfile } = configuration.settings.telemetry;
  return outfile === undefined || outfile === '' ? [] : [outfile];
}

function describe({ replaced, leaks, sealedCopies, files }: LeakReport): string {
  const marks = replaced.map(
    ({ session, mark, kind, places }) =>
      `  ${mark}  ${kind}, in ${places} ${places === 1 ? 'place' : 'places'} of ${session}`,
  );
  const found = leaks.map(({ path, line, kind }) => `  ${path}${line === 0 ? '' : `:${line}`}  ${kind}`);
  const lines = [
    marks.length === 0 ? 'No secret was replaced.' : 'Replaced by marks:',
    ...marks,
    ...(sealedCopies === 0
      ? []
      : [`The undo store holds ${sealedCopies} sealed copies of files with secrets: undo restores them exactly.`]),
    found.length === 0 ? `No secret in plain in ${files} files.` : 'In plain:',
    ...found,
    ...(found.length === 0
      ? []
      : ['Revoke these secrets, and delete the files or sessions: castor sessions delete <id>']),
  ];
  return `${lines.join('\n')}\n`;
}
