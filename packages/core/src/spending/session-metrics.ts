/**
 * Shapes the numbers of a session for scripts: `stats` of the json output and, derived from
 * it, `stats` of the stream-json result. Names and nesting are a contract. Pure.
 */

import type { UsageMetadata } from '../protocol/content.ts';

export interface TokenMetrics {
  /** Prompt tokens that did not come from the cache. */
  input: number;
  prompt: number;
  candidates: number;
  total: number;
  cached: number;
  /** The part of `input` that was written to the cache; absent without any. Castor's own field. */
  cacheWrite?: number;
  thoughts: number;
  /** Prompt tokens of tools the service ran. */
  tool: number;
}

export interface ApiMetrics {
  totalRequests: number;
  totalErrors: number;
  totalLatencyMs: number;
}

export interface ModelMetrics {
  api: ApiMetrics & { errorsByType?: Record<string, number> };
  tokens: TokenMetrics;
  /** By the role of the request. */
  roles: Record<string, ApiMetrics & { tokens: TokenMetrics }>;
  /** US dollars of all requests, including failed ones; null without a price. Castor's own field. */
  cost_usd: number | null;
  /** Tokens of failed attempts, which are in the cost only; absent without any. Castor's own field. */
  void_tokens?: number;
}

export interface ToolDecisions {
  accept: number;
  reject: number;
  modify: number;
  auto_accept: number;
}

export interface ToolMetrics {
  count: number;
  success: number;
  fail: number;
  durationMs: number;
  decisions: ToolDecisions;
}

/** What the runs of one sub-agent spent, with the children they started. Castor's own. */
export interface AgentMetrics {
  runs: number;
  /** Runs that completed their task. */
  succeeded: number;
  turns: number;
  requests: number;
  /** All reported tokens, including those of broken answers. */
  tokens: number;
  toolCalls: number;
  durationMs: number;
  /** US dollars; null without a price. */
  cost_usd: number | null;
}

export interface SessionMetrics {
  /** US dollars; null as soon as one model that reported tokens has no price. Castor's own field. */
  cost_usd: number | null;
  models: Record<string, ModelMetrics>;
  tools: {
    totalCalls: number;
    totalSuccess: number;
    totalFail: number;
    totalDurationMs: number;
    totalDecisions: ToolDecisions;
    byName: Record<string, ToolMetrics>;
  };
  files: { totalLinesAdded: number; totalLinesRemoved: number };
  /** By the name of a sub-agent; part of the figures above, and absent without any. Castor's own field. */
  agents?: Record<string, AgentMetrics>;
}

interface StreamTokens {
  total_tokens: number;
  input_tokens: number;
  output_tokens: number;
  cached: number;
  input: number;
}

export interface StreamStats extends StreamTokens {
  duration_ms: number;
  tool_calls: number;
  /** As in `SessionMetrics`. */
  cost_usd: number | null;
  models: Record<string, StreamTokens & { requests: number; cost_usd: number | null; void_tokens?: number }>;
  /** As in `SessionMetrics`. */
  agents?: Record<string, AgentMetrics>;
}

export const NO_TOKENS: TokenMetrics = {
  input: 0,
  prompt: 0,
  candidates: 0,
  total: 0,
  cached: 0,
  thoughts: 0,
  tool: 0,
};

/** An invalid token count counts as zero: a proxy may report anything. */
export function toTokenMetrics(usage: UsageMetadata): TokenMetrics {
  const prompt = toCount(usage.promptTokenCount);
  const cached = toCount(usage.cachedContentTokenCount);
  const candidates = toCount(usage.candidatesTokenCount);
  const thoughts = toCount(usage.thoughtsTokenCount);
  const tool = toCount(usage.toolUsePromptTokenCount);
  const total = toCount(usage.totalTokenCount) || prompt + candidates + thoughts + tool;
  const input = Math.max(0, prompt - cached);
  const written = Math.min(input, toCount(usage.cacheWriteTokenCount));
  return { input, prompt, candidates, total, cached, thoughts, tool, ...(written > 0 && { cacheWrite: written }) };
}

function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

export function addTokens(a: TokenMetrics, b: TokenMetrics, sign: 1 | -1 = 1): TokenMetrics {
  const written = (a.cacheWrite ?? 0) + sign * (b.cacheWrite ?? 0);
  return {
    input: a.input + sign * b.input,
    prompt: a.prompt + sign * b.prompt,
    candidates: a.candidates + sign * b.candidates,
    total: a.total + sign * b.total,
    cached: a.cached + sign * b.cached,
    thoughts: a.thoughts + sign * b.thoughts,
    tool: a.tool + sign * b.tool,
    ...(written !== 0 && { cacheWrite: written }),
  };
}

/** `stats` of the stream-json result. */
export function toStreamStats(metrics: SessionMetrics, durationMs: number): StreamStats {
  const models = Object.entries(metrics.models);
  const total = models.reduce((sum, [, { tokens }]) => addTokens(sum, tokens), NO_TOKENS);
  return {
    ...toStreamTokens(total),
    duration_ms: durationMs,
    tool_calls: metrics.tools.totalCalls,
    cost_usd: metrics.cost_usd,
    models: Object.fromEntries(
      models.map(([name, { tokens, api, cost_usd, void_tokens }]) => [
        name,
        {
          ...toStreamTokens(tokens),
          requests: api.totalRequests,
          cost_usd,
          ...(void_tokens !== undefined && { void_tokens }),
        },
      ]),
    ),
    ...(metrics.agents && { agents: metrics.agents }),
  };
}

function toStreamTokens({ total, prompt, candidates, cached, input }: TokenMetrics): StreamTokens {
  return { total_tokens: total, input_tokens: prompt, output_tokens: candidates, cached, input };
}
