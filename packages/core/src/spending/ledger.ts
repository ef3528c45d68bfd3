/**
 * Ledger: what a session has spent. Requests come from metered-generator.ts, calls
 * from events. Two sums are kept apart: `tokens` of the metrics holds answers that
 * arrived whole and were accepted; cost and budget hold everything the service reported, also of
 * answers that broke, because it is paid for. It never throws and judges nothing.
 */

import { GEMINI_CATALOGUE } from '../provider/catalogue/gemini-catalogue.ts';
import type { PriceTable } from '../provider/catalogue/model-catalogue.ts';
import type { LlmRole } from '../provider/content-generator.ts';
import { retryKind } from '../provider/retry-table.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { UsageMetadata } from '../protocol/content.ts';
import type { ClosedCall } from '../telemetry/closed-call.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { costOf } from './prices.ts';
import { NO_TOKENS, addTokens, toTokenMetrics } from './session-metrics.ts';
import type { ApiMetrics, ModelMetrics, SessionMetrics, TokenMetrics } from './session-metrics.ts';
import { ToolLedger } from './tool-ledger.ts';

/** One request to a model and what came of it. */
export interface RequestRecord {
  model: string;
  role: LlmRole;
  latencyMs: number;
  /** The last the service reported; not all of a broken answer. */
  usage?: UsageMetadata | undefined;
  /** Present when the answer did not arrive whole. */
  failure?: RequestFailure | undefined;
}

/** `abandoned`: the caller stopped reading before the end. `invalid_stream`: the answer could not be used. */
export type RequestFailure = { kind: 'abandoned' } | { kind: 'invalid_stream' } | { kind: 'error'; error: unknown };

export interface SessionCost {
  /** US dollars; undefined as soon as one model that reported tokens has no price. */
  usd: number | undefined;
  byModel: Record<string, number | undefined>;
}

export interface LedgerOptions {
  clock?: Clock;
  /** See `mergePrices` for a user's own. */
  prices?: PriceTable | undefined;
  /** Told of every call once it has its response. */
  onCall?: (call: ClosedCall) => void;
}

interface Account extends ApiMetrics {
  tokens: TokenMetrics;
}

interface ModelAccount extends Account {
  readonly errorsByType: Map<string, number>;
  readonly roles: Map<LlmRole, Account>;
  /** Of all answers, broken ones included; undefined while no answer reported tokens, or without a price. */
  usd: number | undefined;
  spentTokens: number;
}

export class Ledger {
  private readonly prices: PriceTable;
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
    if (request.usage) this.spend(account, role, request.model, request.usage, request.failure !== undefined);
  }

  /** A request that was recorded as answered gave no turn: its tokens were spent, and answered nothing. */
  withdraw({ model, role: roleName, usage }: Omit<RequestRecord, 'latencyMs' | 'failure'>): void {
    const account = this.accountOf(model);
    const role = roleOf(account, roleName);
    for (const each of [account, role]) {
      each.totalErrors += 1;
      if (usage) each.tokens = addTokens(each.tokens, toTokenMetrics(usage), -1);
    }
    countError(account, { kind: 'invalid_stream' });
  }

  /** Any event of the session; those about calls count. */
  add(event: AgentEvent): void {
    this.tools.add(event);
  }

  /** The caller's own copy. */
  metrics(): SessionMetrics {
    const models = [...this.models].map(([name, account]) => [name, toModelMetrics(account)] as const);
    return { models: Object.fromEntries(models), ...this.tools.metrics(), cost_usd: this.cost().usd ?? null };
  }

  cost(): SessionCost {
    const spent = [...this.models].filter(([, { spentTokens }]) => spentTokens > 0);
    const known = spent.map(([, { usd }]) => usd);
    return {
      usd: known.reduce((sum, usd) => (sum === undefined || usd === undefined ? undefined : sum + usd), 0),
      byModel: Object.fromEntries(spent.map(([name, { usd }]) => [name, usd])),
    };
  }

  /** Whether what this model costs can be known. */
  hasPrice(model: string): boolean {
    return costOf(model, NO_TOKENS, this.prices) !== undefined;
  }

  /** Every token the service reported, those of broken answers included: what a budget is held against. */
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
  return {
    api: { ...api, ...(errorsByType.size > 0 && { errorsByType: Object.fromEntries(errorsByType) }) },
    tokens,
    roles: Object.fromEntries([...roles].map(([role, each]) => [role, toMetrics(each)])),
    // A model that reported no tokens cost nothing that is known of.
    cost_usd: spentTokens === 0 ? 0 : (usd ?? null),
  };
}

function toMetrics({ totalRequests, totalErrors, totalLatencyMs, tokens }: Account): Account {
  return { totalRequests, totalErrors, totalLatencyMs, tokens: { ...tokens } };
}
