import { toStreamStats, countOf } from '@castor/core/program';
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
    `Time      ${Math.round((Date.now() - startedAt) / 1000)} s`,
    `Tokens    ${total_tokens} (${input_tokens} in, ${cached} of them cached; ${output_tokens} out)`,
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
        `  requests  ${api.totalRequests} (${api.totalErrors} failed, ${Math.round(api.totalLatencyMs)} ms)`,
        `  tokens    ${tokens.total} (${tokens.prompt} in, ${tokens.cached} cached, ${tokens.candidates} out, ${tokens.thoughts} thoughts)`,
        `  cost      ${describeCost(byModel[name])}`,
      ].join('\n'),
    )
    .join('\n');
}

function describeTools(ledger: Ledger): string {
  const rows = Object.entries(ledger.metrics().tools.byName).map(
    ([name, { count, success, fail, durationMs }]) =>
      `  ${name.padEnd(24)} ${countOf(count, 'call')}, ${success} succeeded, ${fail} failed, ${Math.round(durationMs)} ms`,
  );
  return rows.length === 0 ? 'No tool calls yet.' : rows.join('\n');
}

function describeCost(usd: number | undefined): string {
  return usd === undefined ? 'unknown: the model has no price' : `$${usd.toFixed(4)}`;
}
