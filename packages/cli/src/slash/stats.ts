import { countOf } from '@castor/core/program';
import { verbOf } from '../call-words.ts';
import { shortCost, shortCount, shortDuration } from '../short-numbers.ts';
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
  run: ({ agent }) => info(describeTools(agent)),
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
type Metrics = ReturnType<Ledger['metrics']>;

/** Tools that are named; the others are in the count. */
const MOST_TOOLS = 4;

/** A title, a row a model, the calls, where the time went; the numbers stand in columns. */
function describeSession({ agent, startedAt }: CommandContext): string {
  const { models, tools, files } = agent.ledger.metrics();
  const all = Object.values(models);
  const requests = all.reduce((sum, { api }) => sum + api.totalRequests, 0);
  const lasted = Date.now() - startedAt;
  const model = all.reduce((sum, { api }) => sum + api.totalLatencyMs, 0);
  const title = [shortDuration(lasted), countOf(requests, 'request'), describeCost(agent.ledger.cost().usd)];
  const rows = [
    ...modelRows(agent.ledger),
    ['calls', describeCalls(agent, tools, files)],
    [
      'time',
      `model ${shortDuration(model)} · tools ${shortDuration(tools.totalDurationMs)} · you ${shortDuration(Math.max(lasted - model - tools.totalDurationMs, 0))}`,
    ],
    ['id', agent.session.sessionId],
  ] as const;
  const width = Math.max(...rows.map(([name]) => name.length));
  return [`Session  ${title.join(' · ')}`, ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`)].join(
    '\n',
  );
}

function modelRows(ledger: Ledger): (readonly [name: string, facts: string])[] {
  const models = Object.entries(ledger.metrics().models);
  const { byModel } = ledger.cost();
  const table = models.map(([name, { api, tokens }]) => [
    countOf(api.totalRequests, 'request'),
    `${shortCount(tokens.prompt)} in, ${shortCount(tokens.cached)} cached`,
    `${shortCount(tokens.candidates)} out${tokens.thoughts > 0 ? `, ${shortCount(tokens.thoughts)} thoughts` : ''}`,
    describeCost(byModel[name]),
    api.totalErrors > 0 ? `${api.totalErrors} failed` : '',
  ]);
  const aligned = alignColumns(table).split('\n');
  return models.map(([name], index) => [name, aligned[index]!.trim()] as const);
}

function describeCalls(
  { ledger, tools }: CommandContext['agent'],
  { totalCalls, totalFail, totalDecisions, byName }: Metrics['tools'],
  { totalLinesAdded, totalLinesRemoved }: Metrics['files'],
): string {
  const most = Object.entries(byName)
    .toSorted(([, one], [, other]) => other.count - one.count)
    .slice(0, MOST_TOOLS)
    .map(([name, { count }]) => `${verbOf(name) ?? tools.getTool(name)?.displayName ?? name} ${count}`);
  // Scripts read a refused call as a failed one; to the user it is neither.
  const refused = Math.min(totalDecisions.reject, totalFail);
  const failed = totalFail - refused + [...ledger.failedCommands.values()].reduce((sum, count) => sum + count, 0);
  const lines = totalLinesAdded + totalLinesRemoved > 0 ? [`+${totalLinesAdded} −${totalLinesRemoved}`] : [];
  return [
    String(totalCalls),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...most,
    ...lines,
  ].join(' · ');
}

function describeModels(ledger: Ledger): string {
  const rows = modelRows(ledger);
  if (rows.length === 0) return 'No requests yet.';
  const width = Math.max(...rows.map(([name]) => name.length));
  return ['Models', ...rows.map(([name, facts]) => `  ${name.padEnd(width)}  ${facts}`)].join('\n');
}

function describeTools({ ledger, tools }: CommandContext['agent']): string {
  const calls = Object.entries(ledger.metrics().tools.byName);
  if (calls.length === 0) return 'No tool calls yet.';
  const table = calls.map(([name, { count, fail, durationMs }]) => {
    const failed = fail + (ledger.failedCommands.get(name) ?? 0);
    return [
      verbOf(name) ?? tools.getTool(name)?.displayName ?? name,
      countOf(count, 'call'),
      failed > 0 ? `${failed} failed` : '',
      shortDuration(durationMs),
    ];
  });
  return [
    'Calls',
    ...alignColumns(table)
      .split('\n')
      .map((row) => `  ${row}`),
  ].join('\n');
}

/** Names left-aligned, numbers right-aligned. The first row begins in the same column as the others. */
function alignColumns(table: readonly (readonly string[])[]): string {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return table.map((row) => row.map(align).join('  ').trimEnd()).join('\n');
}

function describeCost(usd: number | undefined): string {
  return usd === undefined ? 'no price known' : shortCost(usd);
}
