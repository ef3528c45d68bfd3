/**
 * Opens the spending of a child: its requests, turns and cost count in its parent's budget, and a ledger of its own
 * keeps them apart. Loaded with the first child.
 */

import type { AgentEvent } from '../protocol/agent-events.ts';
import type { TelemetryPort } from '../telemetry/open-telemetry.ts';
import type { Clock } from '../util/clock.ts';
import { Ledger } from './ledger.ts';
import { createMeteredGenerator } from './metered-generator.ts';
import type { Spending } from './open-spending.ts';
import type { AgentMetrics } from './session-metrics.ts';

export interface ChildSpending extends Spending {
  /** Adds what the child spent to its parent. Call once, when it has ended. */
  settle(name: string, run: Pick<AgentMetrics, 'succeeded' | 'turns' | 'durationMs'>): void;
}

export function openChildSpending(parent: Spending, clock: Clock, telemetry?: TelemetryPort): ChildSpending {
  const { budget, generator } = parent;
  const ledger = new Ledger({
    clock,
    prices: parent.ledger.prices,
    ...(telemetry && { onCall: (call) => telemetry.called(call) }),
  });
  return {
    ledger,
    budget: budget && shareBudget(budget),
    generator: createMeteredGenerator(generator, ledger, clock),
    settle(name, { succeeded, turns, durationMs }) {
      const metrics = ledger.metrics();
      const { tools, models, cost_usd } = metrics;
      const requests = Object.values(models).reduce((sum, { api }) => sum + api.totalRequests, 0);
      const spent = { runs: 1, succeeded, turns, requests, tokens: ledger.spentTokens, durationMs, cost_usd };
      parent.ledger.absorb(metrics, ledger.failedCommands);
      const { agents } = parent.ledger;
      let own: AgentMetrics = { ...spent, toolCalls: tools.totalCalls };
      for (const [agent, each] of ledger.agents) {
        agents.set(agent, addAgents(agents.get(agent), each));
        own = withoutChild(own, each);
      }
      agents.set(name, addAgents(agents.get(name), own));
    },
  };
}

function addAgents(a: AgentMetrics | undefined, b: AgentMetrics): AgentMetrics {
  if (!a) return b;
  return {
    runs: a.runs + b.runs,
    succeeded: a.succeeded + b.succeeded,
    turns: a.turns + b.turns,
    requests: a.requests + b.requests,
    tokens: a.tokens + b.tokens,
    toolCalls: a.toolCalls + b.toolCalls,
    durationMs: a.durationMs + b.durationMs,
    cost_usd: a.cost_usd === null || b.cost_usd === null ? null : a.cost_usd + b.cost_usd,
  };
}

/** The ledger of a child holds what its own children spent; by name, each is told once. Runs, turns and time are its own. */
function withoutChild(own: AgentMetrics, child: AgentMetrics): AgentMetrics {
  return {
    ...own,
    requests: own.requests - child.requests,
    tokens: own.tokens - child.tokens,
    toolCalls: own.toolCalls - child.toolCalls,
    cost_usd: own.cost_usd === null || child.cost_usd === null ? null : own.cost_usd - child.cost_usd,
  };
}

type SharedBudget = NonNullable<Spending['budget']>;

/** The parent's limits and accounts; only the warning is each session's own. */
function shareBudget(budget: SharedBudget): SharedBudget {
  let hasWarned = false;
  return {
    add: (event: AgentEvent) => budget.add(event),
    exceeded: () => budget.exceeded(),
    requirePriceOf: (model) => budget.requirePriceOf(model),
    watch: (signal) => budget.watch(signal),
    describeNearEnd: () => budget.describeNearEnd(),
    warning() {
      const warning = hasWarned ? undefined : budget.describeNearEnd();
      hasWarned ||= warning !== undefined;
      return warning;
    },
  };
}
