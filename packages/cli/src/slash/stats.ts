import { toStreamStats, countOf } from '@castor/core/program';
import { readableCount, readableDuration } from '../readable-numbers.ts';
import { info } from './command.ts';
import type { CommandContext, SlashCommand } from './command.ts';

const session: SlashCommand = {
  name: 'session',
  description: 'Shows the requests, tokens, cost and calls of this session.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: (context) => info(describeSession(context)),
};

const model: SlashCommand = {
  name: 'model',
  description: 'Shows requests, tokens and cost by model.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: ({ agent }) => info(describeModels(agent.ledger)),
};

const tools: SlashCommand = {
  name: 'tools',
  description: 'Shows calls by tool.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  run: ({ agent }) => info(describeTools(agent.ledger)),
};

export const stats: SlashCommand = {
  name: 'stats',
  aliases: ['usage'],
  description: 'Shows the requests, tokens, cost and calls of this session.',
  source: 'builtin',
  runsWhileBusy: true,
  runsHeadless: true,
  subCommands: [session, model, tools],
  run: (context) => info(describeSession(context)),
};

type Ledger = CommandContext['agent']['ledger'];

function describeSession({ agent, startedAt }: CommandContext): string {
  const metrics = agent.ledger.metrics();
  const { total_tokens, input_tokens, output_tokens, cached } = toStreamStats(metrics, 0);
  const { totalCalls, totalSuccess, totalFail } = metrics.tools;
  const { totalLinesAdded, totalLinesRemoved } = metrics.files;
  return [
    `Session   ${agent.session.sessionId}`,
    `Time      ${readableDuration(Date.now() - startedAt)}`,
    `Tokens    ${readableCount(total_tokens)} (${readableCount(input_tokens)} in, ${readableCount(cached)} of them cached; ${readableCount(output_tokens)} out)`,
    `Cost      ${describeCost(agent.ledger.cost().usd)}`,
    `Tools     ${countOf(totalCalls, 'call')} (${totalSuccess} succeeded, ${totalFail} failed)`,
    `Lines     +${totalLinesAdded} -${totalLinesRemoved}`,
  ].join('\n');
}

function describeModels(ledger: Ledger): string {
  const models = Object.entries(ledger.metrics().models);
  if (models.length === 0) return 'No requests yet.';
  const { byModel } = ledger.cost();
  return models
    .map(([name, { api, tokens }]) =>
      [
        name,
        `  requests  ${readableCount(api.totalRequests)} (${readableCount(api.totalErrors)} failed, ${readableDuration(api.totalLatencyMs)})`,
        `  tokens    ${readableCount(tokens.total)} (${readableCount(tokens.prompt)} in, ${readableCount(tokens.cached)} cached, ${readableCount(tokens.candidates)} out, ${readableCount(tokens.thoughts)} thoughts)`,
        `  cost      ${describeCost(byModel[name])}`,
      ].join('\n'),
    )
    .join('\n');
}

function describeTools(ledger: Ledger): string {
  const tools = Object.entries(ledger.metrics().tools.byName);
  if (tools.length === 0) return 'No tool calls yet.';
  const table = tools.map(([name, { count, success, fail, durationMs }]) => [
    name,
    countOf(count, 'call'),
    `${readableCount(success)} succeeded`,
    `${readableCount(fail)} failed`,
    readableDuration(durationMs),
  ]);
  return alignColumns(table);
}

/** Names left-aligned, numbers right-aligned. The first row begins in the same column as the others. */
function alignColumns(table: readonly (readonly string[])[]): string {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return table.map((row) => row.map(align).join('  ')).join('\n');
}

function describeCost(usd: number | undefined): string {
  return usd === undefined ? 'unknown: the model has no price' : `$${usd.toFixed(4)}`;
}
