/**
 * `castor import`: takes over what another agent has for the user and this project, and reports line by line what became
 * of it. Secrets are never copied, and nothing is replaced without the user's yes.
 */

import { isatty } from 'node:tty';
import { getErrorMessage } from '@castor/core';
import { countOf } from '@castor/core/program';
import { ExitCode } from '../exit-codes.ts';
import { toJson } from '../to-json.ts';
import { carryOut } from './import/carry-out.ts';
import type { ImportResult } from './import/carry-out.ts';
import { ImportDisk } from './import/import-disk.ts';
import type { ImportPlace, ReadAgent } from './import/import-step.ts';
import { readClaude } from './import/read-claude.ts';
import { readCodex } from './import/read-codex.ts';
import { readGemini } from './import/read-gemini.ts';
import { readOpencode } from './import/read-opencode.ts';
import { parseWords } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import { tellUsage } from './tell-usage.ts';

const USAGE = `Usage: castor import --from claude|codex|opencode|gemini [--dry-run] [--user|--project] [--overwrite] [-o json]

Takes over settings, MCP servers, hooks, commands, skills, agents, permissions and context files
of another agent, and reports what became of each.

Options:
  --from <agent>  the agent
  --dry-run       shows the report without writing anything
  --user          only what you have for all projects
  --project       only what this project has
  --overwrite     replaces what exists without a question
  -o json         the report as JSON

Sessions of claude and codex: castor sessions list --from claude
More: docs/import.md
`;

const AGENTS: Readonly<Record<string, { name: string; read: ReadAgent }>> = {
  claude: { name: 'Claude Code', read: readClaude },
  codex: { name: 'codex', read: readCodex },
  opencode: { name: 'opencode', read: readOpencode },
  gemini: { name: 'Gemini CLI', read: readGemini },
};

export async function runImportCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { output, home, cwd } = context;
  if (await tellUsage(argv, USAGE, output)) return ExitCode.Success;
  const words = parseWords(argv, {
    command: 'import',
    flags: ['--dry-run', '--user', '--project', '--overwrite'],
    valued: { '--from': Object.keys(AGENTS), '-o': ['json', 'text'], '--output-format': ['json', 'text'] },
  });
  const agent = typeof words === 'string' ? undefined : AGENTS[words.values.get('--from') ?? ''];
  if (typeof words === 'string' || !agent || words.operands.length > 0) {
    const problem = typeof words === 'string' ? words : agent ? 'import takes no further words.' : '--from is missing.';
    output.note(`${USAGE}\ncastor: ${problem}`);
    return ExitCode.Failure;
  }
  const { flags, values } = words;
  const isJson = (values.get('-o') ?? values.get('--output-format')) === 'json';
  const isDry = flags.has('--dry-run');
  const scopes = (['user', 'project'] as const).filter((scope) => wants(scope, flags, { home, cwd }));
  const mayReplace = flags.has('--overwrite')
    ? async () => true
    : isJson || !isatty(0)
      ? async () => false
      : isDry
        ? async () => 'ask' as const
        : askToReplace;
  const disk = new ImportDisk({ isDry });
  const report: { scope: string; results: ImportResult[] }[] = [];
  try {
    const places = scopes.map((scope): ImportPlace => ({ scope, home, cwd }));
    // A damaged file stops the import before anything is written.
    const plans = await Promise.all(places.map(async (place) => ({ place, steps: await agent.read(place) })));
    for (const { place, steps } of plans) {
      report.push({ scope: place.scope, results: await carryOut(steps, place, { disk, isDry, mayReplace }) });
    }
  } catch (error) {
    output.note(`castor: the import stopped: ${getErrorMessage(error)}`);
    return ExitCode.Failure;
  }
  const text = isJson ? `${toJson(report, { indent: 2 })}\n` : describe(agent.name, report, isDry);
  await output.answer(text);
  return exitCodeOf(report.flatMap(({ results }) => results));
}

function exitCodeOf(results: readonly ImportResult[]): ExitCode {
  return results.some(({ status }) => status === 'failed') ? ExitCode.Failure : ExitCode.Success;
}

/** Without a flag both, unless the project is the home folder. */
function wants(scope: 'user' | 'project', flags: ReadonlySet<string>, { home, cwd }: { home: string; cwd: string }) {
  if (flags.has('--user') !== flags.has('--project')) return flags.has(`--${scope}`);
  return scope === 'user' || home !== cwd;
}

async function askToReplace(what: string, where: string): Promise<boolean> {
  const { askLine } = await import('./ask-terminal.ts');
  const answer = await askLine({ text: `Replace ${where} by the ${what}? [y/N]: ` });
  return ['y', 'yes'].includes(answer?.trim().toLowerCase() ?? '');
}

function describe(name: string, report: readonly { scope: string; results: ImportResult[] }[], isDry: boolean): string {
  const all = report.flatMap(({ results }) => results);
  if (all.length === 0) return `Nothing of ${name} found.\n`;
  const sections = report
    .filter(({ results }) => results.length > 0)
    .map(({ scope, results }) => `${name}, ${scope}:\n${results.map(toLines).join('')}`);
  const count = (status: ImportResult['status']) => all.filter((result) => result.status === status).length;
  const counts = [
    isDry ? `${count('would write')} would be written` : `${count('written')} written`,
    `${count('already there')} already there`,
    `${count('kept')} kept as they are`,
    ...(count('would ask') > 0 ? [`${count('would ask')} to ask about`] : []),
    ...(count('used as it is') > 0 ? [`${count('used as it is')} used as they are`] : []),
    `${countOf(count('no counterpart'), 'thing')} not taken over`,
    ...(count('failed') > 0 ? [`${count('failed')} failed`] : []),
  ];
  const hint = count('kept') > 0 ? ' To replace what exists: --overwrite.' : '';
  return `${sections.join('\n')}\n${counts.join(', ')}.${hint}\n`;
}

const WIDTH = 15;

function toLines({ what, status, detail, notes }: ImportResult): string {
  const sign = detail === '' ? '' : ['no counterpart', 'failed'].includes(status) ? ': ' : ' → ';
  const rows = [
    `${status.padEnd(WIDTH)}${what}${sign}${detail}`,
    ...notes.map((note) => `${' '.repeat(WIDTH)}${note}`),
  ];
  return rows.map((row) => `  ${row}\n`).join('');
}
