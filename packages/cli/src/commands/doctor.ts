/**
 * `castor doctor`: reports what is configured and where, what works, and how to fix the rest. It changes nothing, shows
 * no secret, and connects only to the endpoint of the chosen model and to the MCP servers a session would start.
 */

import { ExitCode } from '../exit-codes.ts';
import type { Check, CheckStatus } from './doctor-check.ts';
import type { SubcommandContext } from './subcommand-context.ts';
import { countOf } from '@castor/core/program';
import { toJson } from '../to-json.ts';
import { tellUsage } from './tell-usage.ts';

const USAGE = `Usage: castor doctor [--json] [--offline]

Checks the configuration, shows where each part comes from, and suggests fixes.
Exits 1 when a configured part does not work.

Options:
  --json      as JSON
  --offline   neither connects to the model's endpoint nor starts MCP servers
`;

const MARKS: Readonly<Record<CheckStatus, string>> = { ok: 'ok', missing: '--', problem: '!!' };
const TOPIC_WIDTH = 12;

export async function runDoctorCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { output } = context;
  if (await tellUsage(argv, USAGE, output)) return ExitCode.Success;
  const unknown = argv.find((word) => word !== '--json' && word !== '--offline');
  if (unknown !== undefined) {
    output.note(`${unknown} is an unknown option of castor doctor.\n\n${USAGE}`);
    return ExitCode.Failure;
  }
  const { examine } = await import('./doctor-checks.ts');
  const checks = await examine(context, { isOffline: argv.includes('--offline') });
  const isHealthy = checks.every(({ status }) => status !== 'problem');
  await output.answer(
    argv.includes('--json') ? `${toJson({ ok: isHealthy, checks }, { indent: 2 })}\n` : toText(checks),
  );
  return isHealthy ? ExitCode.Success : ExitCode.Failure;
}

function toText(checks: readonly Check[]): string {
  const indent = ' '.repeat(TOPIC_WIDTH + 6);
  const rows = checks.map(({ topic, status, says, fix }) => {
    const lines = [...says.split('\n'), ...(fix === undefined ? [] : [`→ ${fix}`])];
    return `${MARKS[status]}  ${topic.padEnd(TOPIC_WIDTH)}  ${lines.join(`\n${indent}`)}`;
  });
  const problems = checks.filter(({ status }) => status === 'problem').length;
  const sum = problems === 0 ? 'All checks passed.' : `${countOf(problems, 'problem')} (marked !!).`;
  return `${rows.join('\n')}\n\n${sum}\n`;
}
