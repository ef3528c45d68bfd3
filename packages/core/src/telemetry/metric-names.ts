/** The metrics, by the names Gemini CLI's users already have dashboards for. */

import type { MetricName } from './metric-store.ts';

export const METRICS = {
  sessions: { name: 'gemini_cli.session.count', description: 'Sessions started.' },
  calls: { name: 'gemini_cli.tool.call.count', description: 'Tool calls.' },
  callLatency: { name: 'gemini_cli.tool.call.latency', description: 'How long tool calls ran.', unit: 'ms' },
  requests: { name: 'gemini_cli.api.request.count', description: 'Requests to models.' },
  requestLatency: { name: 'gemini_cli.api.request.latency', description: 'How long answers took.', unit: 'ms' },
  tokens: { name: 'gemini_cli.token.usage', description: 'Tokens by model and kind.' },
  compressions: { name: 'gemini_cli.chat_compression', description: 'Compressions of the history.' },
  retries: { name: 'gemini_cli.chat.content_retry.count', description: 'Attempts that were made again.' },
  hooks: { name: 'gemini_cli.hook_call.count', description: 'Hook executions.' },
  hookLatency: { name: 'gemini_cli.hook_call.latency', description: 'How long hooks ran.', unit: 'ms' },
} satisfies Record<string, MetricName>;
