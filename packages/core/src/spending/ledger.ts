/**
 * Ledger: counts a session's spending. Requests come from metered-generator.ts, calls from
 * events. It keeps two sums: `tokens` of the metrics counts answers that stay, whole or up to
 * where the user stopped them; cost and budget count everything the service reported,
 * including broken answers, because the user pays for it; `void_tokens` is the difference.
 * It never throws and enforces nothing.
 */

import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import type { PriceTable } from '../provider/catalogue/model-catalogue.ts';
import type { LlmRole } from '../provider/content-generator.ts';
import { retryKind } from '../provider/retry-table.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { isAbortError } from '../protocol/errors.ts';
import type { UsageMetadata } from '../protocol/content.ts';
import type { ClosedCall } from '../telemetry/closed-call.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { costOf } from './prices.ts';
import { NO_TOKENS, addTokens, toTokenMetrics } from './session-metrics.ts';
import type { AgentMetrics, ApiMetrics, ModelMetrics, SessionMetrics, TokenMetrics } from './session-metrics.ts';
import { ToolLedger } from './tool-ledger.ts';

/** One request to a model and its result. */
export interface RequestRecord {
  model: string;
  role: LlmRole;
  latencyMs: number;
  /** The last usage the service reported; incomplete for a broken answer. */
  usage?: UsageMetadata | undefined;
  /** Present when the answer did not arrive completely. */
  failure?: RequestFailure | undefined;
}

/** `abandoned`: the caller stopped reading before the end. `invalid_stream`: the answer was unusable. */
export type RequestFailure = { kind: 'abandoned' } | { kind: 'invalid_stream' } | { kind: 'error'; error: unknown };

export interface SessionCost {
  /** US dollars; undefined as soon as one model that reported tokens has no price. */
  usd: number | undefined;
  byModel: Record<string, number | undefined>;
}

export interface LedgerOptions {
  clock?: Clock;
  /** See `mergePrices` for the user's own prices. */
  prices?: PriceTable | undefined;
  /** Called for every call once it has its response. */
  onCall?: (call: ClosedCall) => void;
}

interface Account extends ApiMetrics {
  tokens: TokenMetrics;
}

interface ModelAccount extends Account {
  readonly errorsByType: Map<string, number>;
  readonly roles: Map<LlmRole, Account>;
  /** Of all answers, including broken ones; undefined while no answer reported tokens, or without a price. */
  usd: number | undefined;
  spentTokens: number;
}

export class Ledger {
  readonly prices: PriceTable;
  /** The spending of sub-agents by name; it is part of the other figures too. */
  readonly agents = new Map<string, AgentMetrics>();
  /** Called after each request. */
  onRecord: (() => void) | undefined;
  private readonly tools: ToolLedger;
  private readonly models = new Map<string, ModelAccount>();

  constructor({ clock = systemClock, prices = GEMINI_CATALOGUE.prices, onCall }: LedgerOptions = {}) {
    this.prices = prices;
    this.tools = new ToolLedger(clock, onCall);
  }

  record(request: RequestRecord): void {
    const account = this.accountOf(request.model);
    const role = roleOf(account, request.role);
    for (const each of [account, role]) {
      each.totalRequests += 1;
      each.totalErrors += request.failure ? 1 : 0;
      each.totalLatencyMs += request.latencyMs;
    }
    if (request.failure) countError(account, request.failure);
    if (request.usage) this.spend(account, role, request.model, request.usage, isBroken(request.failure));
    this.onRecord?.();
  }

  /** Turns a request recorded as answered into a failed one without a turn; its tokens stay spent. */
  withdraw({ model, role: roleName, usage }: Omit<RequestRecord, 'latencyMs' | 'failure'>): void {
    const account = this.accountOf(model);
    const role = roleOf(account, roleName);
    for (const each of [account, role]) {
      each.totalErrors += 1;
      if (usage) each.tokens = addTokens(each.tokens, toTokenMetrics(usage), -1);
    }
    countError(account, { kind: 'invalid_stream' });
  }

  /** Accepts any event of the session; counts those about calls. */
  add(event: AgentEvent): void {
    this.tools.add(event);
  }

  /** Adds the calls of a child; its requests are counted already. */
  absorb(calls: Pick<SessionMetrics, 'tools' | 'files'>, failed: ReadonlyMap<string, number>): void {
    this.tools.absorb(calls, failed);
  }

  /** Commands that failed, by tool: for users. In `metrics`, which scripts read, their calls succeeded. */
  get failedCommands(): ReadonlyMap<string, number> {
    return this.tools.failedCommands;
  }

  /** Returns a copy. */
  metrics(): SessionMetrics {
    const models = [...this.models].map(([name, account]) => [name, toModelMetrics(account)] as const);
    return {
      models: Object.fromEntries(models),
      ...this.tools.metrics(),
      cost_usd: roundCost(this.cost().usd),
      ...(this.agents.size > 0 && { agents: Object.fromEntries(this.agents) }),
    };
  }

  cost(): SessionCost {
    const spent = [...this.models].filter(([, { spentTokens }]) => spentTokens > 0);
    const known = spent.map(([, { usd }]) => usd);
    return {
      usd: known.reduce((sum, usd) => (sum === undefined || usd === undefined ? undefined : sum + usd), 0),
      byModel: Object.fromEntries(spent.map(([name, { usd }]) => [name, usd])),
    };
  }

  /** Whether the cost of this model is known. */
  hasPrice(model: string): boolean {
    return costOf(model, NO_TOKENS, this.prices) !== undefined;
  }

  /** Every token the service reported, including those of broken answers: the budget's measure. */
  get spentTokens(): number {
    return [...this.models.values()].reduce((sum, { spentTokens }) => sum + spentTokens, 0);
  }

  private spend(account: ModelAccount, role: Account, model: string, usage: UsageMetadata, broken: boolean): void {
    const tokens = toTokenMetrics(usage);
    const usd = costOf(model, tokens, this.prices);
    account.spentTokens += tokens.total;
    account.usd = usd === undefined ? undefined : (account.usd ?? 0) + usd;
    if (broken) return;
    account.tokens = addTokens(account.tokens, tokens);
    role.tokens = addTokens(role.tokens, tokens);
  }

  private accountOf(model: string): ModelAccount {
    const known = this.models.get(model);
    if (known) return known;
    const account = { ...emptyAccount(), errorsByType: new Map(), roles: new Map(), usd: undefined, spentTokens: 0 };
    this.models.set(model, account);
    return account;
  }
}

/** An answer that the user stopped is none: what arrived of it stays. */
function isBroken(failure: RequestFailure | undefined): boolean {
  return failure?.kind === 'invalid_stream' || (failure?.kind === 'error' && !isAbortError(failure.error));
}

function roleOf({ roles }: ModelAccount, role: LlmRole): Account {
  const known = roles.get(role);
  if (known) return known;
  const account = emptyAccount();
  roles.set(role, account);
  return account;
}

function countError({ errorsByType }: ModelAccount, failure: RequestFailure): void {
  const type = failure.kind === 'error' ? errorType(failure.error) : failure.kind;
  errorsByType.set(type, (errorsByType.get(type) ?? 0) + 1);
}

function errorType(error: unknown): string {
  const kind = retryKind(error);
  return kind === 'unknown' && error instanceof Error ? error.name : kind;
}

function emptyAccount(): Account {
  return { totalRequests: 0, totalErrors: 0, totalLatencyMs: 0, tokens: NO_TOKENS };
}

function toModelMetrics({ errorsByType, roles, usd, spentTokens, ...account }: ModelAccount): ModelMetrics {
  const { tokens, ...api } = toMetrics(account);
  const voidTokens = spentTokens - tokens.total;
  return {
    api: { ...api, ...(errorsByType.size > 0 && { errorsByType: Object.fromEntries(errorsByType) }) },
    tokens,
    roles: Object.fromEntries([...roles].map(([role, each]) => [role, toMetrics(each)])),
    // A model that reported no tokens counts as free.
    cost_usd: spentTokens === 0 ? 0 : roundCost(usd),
    ...(voidTokens > 0 && { void_tokens: voidTokens }),
  };
}

function toMetrics({ totalRequests, totalErrors, totalLatencyMs, tokens }: Account): Account {
  return { totalRequests, totalErrors, totalLatencyMs, tokens: { ...tokens } };
}

/** To a billionth of a dollar: sums of decimal prices are not exact. */
function roundCost(usd: number | undefined): number | null {
  return usd === undefined ? null : Math.round(usd * 1e9) / 1e9;
}
