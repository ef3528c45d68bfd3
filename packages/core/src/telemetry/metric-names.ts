/** The metrics, under the names that existing dashboards of Gemini CLI's users expect. */

import type { MetricName } from './metric-store.ts';

export const METRICS = {
  sessions: { name: 'gemini_cli.session.count', description: 'Sessions started.' },
  exitFailures: { name: 'gemini_cli.exit.fail.count', description: 'Runs that ended with an error.' },
  startup: { name: 'gemini_cli.startup.duration', description: 'Duration of the start, by phase.', unit: 'ms' },
  memory: { name: 'gemini_cli.memory.usage', description: 'Memory in use.', unit: 'bytes' },
  cpu: { name: 'gemini_cli.cpu.usage', description: 'Processor time used of the time passed.', unit: 'percent' },
  flickers: { name: 'gemini_cli.ui.flicker.count', description: 'Frames taller than the terminal.' },

  calls: { name: 'gemini_cli.tool.call.count', description: 'Tool calls.' },
  callLatency: { name: 'gemini_cli.tool.call.latency', description: 'Duration of tool calls.', unit: 'ms' },
  callPhases: { name: 'gemini_cli.tool.execution.breakdown', description: 'Time of calls by phase.', unit: 'ms' },
  callQueue: { name: 'gemini_cli.tool.queue.depth', description: 'Waiting and running calls.', unit: 'count' },
  fileOperations: { name: 'gemini_cli.file.operation.count', description: 'Files created, read and changed.' },
  linesChanged: { name: 'gemini_cli.lines.changed', description: 'Lines added and removed in files.' },

  requests: { name: 'gemini_cli.api.request.count', description: 'Requests to models.' },
  requestLatency: { name: 'gemini_cli.api.request.latency', description: 'Duration of answers.', unit: 'ms' },
  tokens: { name: 'gemini_cli.token.usage', description: 'Tokens by model and kind.' },
  tokenEfficiency: { name: 'gemini_cli.token.efficiency', description: 'Efficiency of token use.', unit: 'ratio' },
  genAiTokens: { name: 'gen_ai.client.token.usage', description: 'Tokens of one operation.', unit: 'token' },
  genAiDuration: { name: 'gen_ai.client.operation.duration', description: 'Duration of operations.', unit: 's' },

  compressions: { name: 'gemini_cli.chat_compression', description: 'Compressions of the history.' },
  invalidChunks: { name: 'gemini_cli.chat.invalid_chunk.count', description: 'Empty frames of answers.' },
  contentRetries: { name: 'gemini_cli.chat.content_retry.count', description: 'Retried invalid answers.' },
  contentRetryFailures: {
    name: 'gemini_cli.chat.content_retry_failure.count',
    description: 'Requests without a valid answer.',
  },
  networkRetries: { name: 'gemini_cli.network_retry.count', description: 'Retried requests.' },

  routingLatency: { name: 'gemini_cli.model_routing.latency', description: 'Time to choose a model.', unit: 'ms' },
  routingFailures: { name: 'gemini_cli.model_routing.failure.count', description: 'Strategies that failed.' },
  modelChoices: { name: 'gemini_cli.slash_command.model.call_count', description: 'Models selected by the user.' },
  planExecutions: { name: 'gemini_cli.plan.execution.count', description: 'Approved plans.' },

  agentRuns: { name: 'gemini_cli.agent.run.count', description: 'Runs of sub-agents.' },
  agentDuration: { name: 'gemini_cli.agent.duration', description: 'Duration of runs.', unit: 'ms' },
  agentTurns: { name: 'gemini_cli.agent.turns', description: 'Turns of runs.', unit: 'turns' },

  hooks: { name: 'gemini_cli.hook_call.count', description: 'Hook executions.' },
  hookLatency: { name: 'gemini_cli.hook_call.latency', description: 'Duration of hooks.', unit: 'ms' },
} satisfies Record<string, MetricName>;
