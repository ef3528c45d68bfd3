/**
 * `castor audit`: shows the log of decisions and connections, checks that it is intact, and exports it. It changes nothing
 * and sends nothing.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { exportAudit, readAuditLines, readPublicKey, verifyAudit, verifyExport } from '@castor/core/program';
import type { AuditFilter, AuditLine } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { toJson } from '../to-json.ts';
import { describeLine, describeReport } from './audit-text.ts';
import { parseWords } from './parse-words.ts';
import type { CommandWords } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';

const USAGE = `Usage: castor audit show   [filters] [-n <lines>] [-o text|json]
       castor audit verify [<export>] [--key <file>] [--contains <hash>] [-o text|json]
       castor audit export [filters] [--to <file>]

The log of every decision on a tool call and of every outgoing connection of your
sessions on this computer: docs/audit.md. It never holds arguments, only their hash.

Filters:
  --session <id>   of one session; the beginning of its id is enough
  --day <day>      of one day (2026-11-17) or month (2026-11), in UTC
  --host <name>    connections to a host and the names below it
  --tool <name>    decisions on a tool

show      the latest 50 lines; -n 0 shows all
verify    checks hashes, the chain, signatures and the head; also of an export
  --key <file>       a public key that you kept elsewhere
  --contains <hash>  a head that you noted elsewhere
export    all lines as they are, for another computer or an archive

Exit codes of verify: 0 intact, 1 changed, cut or incomplete, 2 unreadable.
`;

const FILTERS = ['--session', '--day', '--host', '--tool'] as const;
const SHOWN = 50;
/** For `verify`: no statement about the log is possible. */
const UNREADABLE = 2;

export async function runAuditCommand(argv: readonly string[], context: SubcommandContext): Promise<number> {
  const { output } = context;
  const [name = '', ...rest] = argv;
  const formats = ['text', 'json'];
  const words = parseWords(name.startsWith('-') ? argv : rest, {
    command: 'audit',
    flags: ['--help', '-h'],
    valued: {
      ...Object.fromEntries(FILTERS.map((filter) => [filter, []])),
      ...{ '-o': formats, '--output-format': formats, '-n': [], '--key': [], '--contains': [], '--to': [] },
    },
  });
  if (typeof words === 'string') return refuse(words, context);
  if (words.flags.size > 0) {
    await output.answer(USAGE);
    return ExitCode.Success;
  }
  try {
    if (name === 'show') return await show(words, context);
    if (name === 'verify') return await verify(words, context);
    if (name === 'export') return await exportLines(words, context);
  } catch (error) {
    output.note(`castor: ${getErrorMessage(error)}`);
    return name === 'verify' ? UNREADABLE : ExitCode.Failure;
  }
  return refuse(name === '' ? 'castor audit needs a command.' : `"${name}" is no command of castor audit.`, context);
}

function refuse(problem: string, { output }: SubcommandContext): number {
  output.note(`castor: ${problem}\n\n${USAGE}`);
  return ExitCode.Failure;
}

async function show(words: CommandWords, { output, home }: SubcommandContext): Promise<number> {
  const count = Number(words.values.get('-n') ?? SHOWN);
  if (!Number.isInteger(count) || count < 0) throw new Error('-n needs a number of lines; 0 shows all.');
  const found: AuditLine[] = [];
  for (const { line } of readAuditLines(home, filterOf(words))) {
    found.push(line);
    if (count > 0 && found.length > count * 2) found.splice(0, found.length - count);
  }
  const lines = count === 0 ? found : found.slice(-count);
  if (isJson(words)) await output.answer(`${toJson(lines)}\n`);
  else await output.answer(lines.length === 0 ? 'No line.\n' : `${lines.map(describeLine).join('\n')}\n`);
  return ExitCode.Success;
}

async function verify(words: CommandWords, { output, home, cwd }: SubcommandContext): Promise<number> {
  const [file, ...more] = words.operands;
  if (more.length > 0) throw new Error('castor audit verify checks one export at a time.');
  const keyFile = words.values.get('--key');
  const key = keyFile === undefined ? undefined : readPublicKey(resolve(cwd, keyFile));
  if (keyFile !== undefined && !key) throw new Error(`${keyFile} does not exist.`);
  const terms = { key, anchor: words.values.get('--contains') };
  const report =
    file === undefined ? verifyAudit(home, terms) : verifyExport(file, readFileSync(resolve(cwd, file), 'utf8'), terms);
  await output.answer(isJson(words) ? `${toJson(report)}\n` : describeReport(report));
  return report.isIntact ? ExitCode.Success : ExitCode.Failure;
}

async function exportLines(words: CommandWords, { output, home, cwd }: SubcommandContext): Promise<number> {
  const text = `${[...exportAudit(home, filterOf(words))].join('\n')}\n`;
  const to = words.values.get('--to');
  if (to === undefined) await output.answer(text);
  else {
    writeFileSync(resolve(cwd, to), text, { mode: 0o600, flag: 'wx' });
    output.note(`Exported to ${to}. Check it with: castor audit verify ${to}`);
  }
  return ExitCode.Success;
}

function filterOf({ values }: CommandWords): AuditFilter {
  const [session, day, host, tool] = FILTERS.map((name) => values.get(name));
  return { session, day, host, tool };
}

function isJson({ values }: CommandWords): boolean {
  return (values.get('-o') ?? values.get('--output-format')) === 'json';
}
