/**
 * SessionUndo: keeps undo possible while a session works. It reads the workspace in the background from the first
 * prompt, and once after every call that may change it; the next such call waits for that, the model does not. What
 * changed goes to the session's file under the calls that were running. It never fails a call: what it cannot cover it
 * says once.
 */

import { getErrorMessage } from '../protocol/errors.ts';
import type { ToolKind } from '../protocol/tools.ts';
import type { Clock } from '../util/clock.ts';
import type { LivePoints } from './live-points.ts';
import type { Answers, WalkAnswer } from './undo-requests.ts';
import { StoreFull, UndoClient } from './undo-client.ts';
import { DEFAULT_BUDGET } from './undo-limits.ts';
import { DEFAULT_LIMITS, TooLarge } from './walk-rules.ts';
import type { WalkLimits } from './walk-rules.ts';
import type { StoreBudget } from './undo-requests.ts';

export interface WatchedCall {
  readonly callId: string;
  readonly kind: ToolKind;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface SessionUndoOptions {
  readonly root: string;
  /** The folder of the project's store. */
  readonly store: string;
  readonly sessionId: string;
  readonly clock: Clock;
  /** Appends a record to the session's file. */
  readonly record: (record: object) => void;
  readonly tell: (level: 'info' | 'warning', message: string) => void;
  /** Why only edits are covered here; undefined: everything is. */
  readonly editsOnly?: string | undefined;
  readonly exclude: readonly string[];
  /** Whether hooks run around calls: an edit may then change more than it says. */
  readonly hasHooks: () => boolean;
  /** Whether a command line is known to change nothing. */
  readonly readsOnly: (command: string) => Promise<boolean>;
  /** Called once, when the process is ready: repairs what a killed program left. */
  readonly repair?: ((client: UndoClient, opened: Answers['open']) => Promise<void>) | undefined;
  /** What the sessions of the project need; undefined while another program works in it. */
  readonly livePoints?: (() => LivePoints | undefined) | undefined;
  readonly limits?: Partial<WalkLimits> | undefined;
  readonly budget?: Partial<StoreBudget> | undefined;
}

/** A call waits this long for the first reading of the workspace, or for a walk. */
const PATIENCE_MS = 3_000;
/** An older walk is repeated before a command: the user may have edited. */
const FRESH_MS = 2_000;
/** A walk that takes no longer, or sees no more, is always repeated: a busy machine makes a short walk slow. */
const QUICK_MS = 100;
const QUICK_ENTRIES = 2_000;
const CLOSING_MS = 10_000;
const WATCHED: ReadonlySet<ToolKind> = new Set<ToolKind>(['edit', 'delete', 'move', 'execute', 'other']);
const NOT_COVERED = 'Undo covers edits only in this workspace';

export class SessionUndo {
  private readonly options: SessionUndoOptions;
  private opening: Promise<UndoClient | undefined> | undefined;
  private client: UndoClient | undefined;
  private isReady = false;
  /** The calls that run, each with the call of this session that answers for it; undefined for a plain edit. */
  private readonly open = new Map<string, string | undefined>();
  /** Those that ended since the last walk began. */
  private readonly recent = new Set<string>();
  private walking: Promise<void> | undefined;
  private queued: Promise<void> | undefined;
  private walkedAt = Number.NEGATIVE_INFINITY;
  private walkMs = 0;
  private hasCollected = false;
  private hasFailed = false;
  private readonly told = new Set<string>();
  private entries = 0;

  constructor(options: SessionUndoOptions) {
    this.options = options;
  }

  /** Begins to read the workspace, if that has not begun. */
  begin(): void {
    this.opening ??= this.start();
  }

  /** A call may follow soon: reads the workspace again if the last reading is old. */
  foresee(): void {
    this.begin();
    if (this.isReady && this.isOld && !this.walking) void this.walk();
  }

  /** Awaited before a call runs. `owner`: the call of this session that the call of a sub-agent belongs to. */
  async before(call: WatchedCall, owner = call.callId): Promise<void> {
    if (!(await this.isWatched(call))) return;
    this.begin();
    // Edits announce what they change, and keep it themselves.
    const isPlainEdit = call.kind === 'edit' && !this.options.hasHooks();
    const isCovered = isPlainEdit || (await this.settle());
    this.open.set(call.callId, isPlainEdit ? undefined : owner);
    if (!isPlainEdit) this.options.record({ $walkStarted: { callId: owner, isCovered } });
  }

  after(callId: string): void {
    if (!this.open.has(callId)) return;
    const owner = this.open.get(callId);
    this.open.delete(callId);
    if (owner !== undefined) this.recent.add(owner);
    void this.walk();
  }

  /** Resolves when everything that has happened is on record; false when that is not known. */
  async settled(): Promise<boolean> {
    if (!this.opening) return true;
    await this.opening;
    if (!this.isReady) return false;
    await (this.queued ?? this.walking);
    return !this.hasFailed;
  }

  /** The process, for an undo of this session. */
  async use(): Promise<UndoClient | undefined> {
    this.begin();
    await this.opening;
    await (this.queued ?? this.walking);
    return this.client;
  }

  /** Puts on record what the running calls have changed until now; false when that is not known. */
  async readNow(): Promise<boolean> {
    await this.settled();
    if (!this.isReady) return false;
    await this.walk();
    return !this.hasFailed;
  }

  /** Reads the workspace again without putting on record what changed: an undo has just changed it. */
  async refresh(): Promise<void> {
    if (this.isReady) await this.walk({ isOwn: true });
  }

  async dispose(): Promise<void> {
    const { clock } = this.options;
    const limit = new AbortController();
    const timeout = clock.sleep(CLOSING_MS, limit.signal).catch(() => undefined);
    await Promise.race([this.queued ?? this.walking, timeout]);
    limit.abort();
    if (this.client) await this.client.close();
  }

  private async isWatched({ kind, args, name }: WatchedCall): Promise<boolean> {
    if (!WATCHED.has(kind)) return false;
    const { command } = args;
    const isCommand = kind === 'execute' && name === 'run_shell_command' && typeof command === 'string';
    return !(isCommand && (await this.options.readsOnly(command)));
  }

  private get isOld(): boolean {
    const isQuick = this.walkMs <= QUICK_MS || this.entries <= QUICK_ENTRIES;
    return this.options.clock.now() - this.walkedAt > (isQuick ? -1 : FRESH_MS);
  }

  private async start(): Promise<UndoClient | undefined> {
    const { root, store, sessionId, editsOnly, exclude, limits, budget, repair } = this.options;
    try {
      if (editsOnly !== undefined) this.tellOnce('warning', `${NOT_COVERED}: ${editsOnly}.`);
      const request = {
        ...{ root, store, sessionId, exclude },
        limits: { ...DEFAULT_LIMITS, ...limits },
        budget: { ...DEFAULT_BUDGET, ...budget },
      };
      const { client, opened } = await UndoClient.open(request);
      this.client = client;
      if (editsOnly !== undefined) return client;
      await repair?.(client, opened);
      await this.walk({ isOwn: true });
      this.isReady = !this.hasFailed;
      return client;
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  /** Waits until the state before a call is kept; false when it takes too long, or is not possible. */
  private async settle(): Promise<boolean> {
    const { clock, editsOnly } = this.options;
    if (editsOnly !== undefined || this.hasFailed) return false;
    const limit = new AbortController();
    const inTime = await Promise.race([
      this.ready(),
      clock.sleep(PATIENCE_MS, limit.signal).then(
        () => false,
        () => false,
      ),
    ]);
    limit.abort();
    if (!inTime && !this.hasFailed) this.tellOnce('warning', this.describeReading());
    return inTime;
  }

  private async ready(): Promise<boolean> {
    await this.opening;
    if (!this.isReady) return false;
    await (this.queued ?? this.walking);
    if (this.isOld && this.open.size === 0) await this.walk();
    return !this.hasFailed;
  }

  private describeReading(): string {
    const seen = this.client?.progress ?? 0;
    const count = (number: number) => number.toLocaleString('en-US');
    const far = this.entries > seen ? `${count(seen)} of ${count(this.entries)}` : count(seen);
    return `${NOT_COVERED} for now: Castor is still reading it (${far} files and folders).`;
  }

  /** One walk at a time; requests during one are answered by the next. */
  private walk(options: { isOwn?: boolean } = {}): Promise<void> {
    if (!this.client || (!this.isReady && !options.isOwn) || this.hasFailed) return Promise.resolve();
    if (!this.walking) {
      this.walking = this.run(options).finally(() => {
        this.walking = undefined;
      });
      return this.walking;
    }
    this.queued ??= this.walking.then(() => {
      this.queued = undefined;
      return this.walk(options);
    });
    return this.queued;
  }

  private async run({ isOwn = false }: { isOwn?: boolean }): Promise<void> {
    const { clock, record } = this.options;
    const startedAt = clock.now();
    const ended = [...this.recent];
    try {
      const seen = await this.client!.ask({ do: 'walk' });
      this.walkedAt = startedAt;
      this.walkMs = clock.now() - startedAt;
      this.entries = seen.entries;
      for (const callId of ended) this.recent.delete(callId);
      this.report(seen);
      if (seen.isNearlyFull) await this.makeRoom();
      const running = [...this.open.values()].filter((owner) => owner !== undefined);
      const callIds = [...new Set([...ended, ...running, ...this.recent])];
      if (!isOwn && (seen.count > 0 || ended.length > 0)) record({ $workspaceChange: toRecord(seen, callIds, clock) });
    } catch (error) {
      this.fail(error);
    }
  }

  /** Old points make room for new ones; what this very walk could not keep is kept by the next. */
  private async makeRoom(): Promise<void> {
    const live = this.options.livePoints?.();
    if (!live || this.hasCollected) return;
    this.hasCollected = true;
    const { dropped } = await this.client!.ask({ do: 'collect', ...live });
    if (dropped > 0)
      this.tellOnce('warning', `The store of undo is full: the oldest ${dropped} changes can no longer be undone.`);
  }

  private report({ unkept }: WalkAnswer): void {
    for (const { reason, count, paths } of unkept) {
      if (reason === 'full')
        this.tellOnce('warning', `${NOT_COVERED} any more: the disk or the store of undo is full (${count} files).`);
      if (reason === 'rebuildable')
        this.tellOnce('warning', `Undo does not cover all of ${paths.join(', ')}: too large.`);
    }
  }

  private fail(error: unknown): void {
    this.hasFailed = true;
    if (error instanceof TooLarge) this.tellOnce('warning', `${NOT_COVERED}: ${error.message}.`);
    else if (error instanceof StoreFull) this.tellOnce('warning', `${NOT_COVERED}: the disk is full.`);
    else this.tellOnce('warning', `${NOT_COVERED}: ${getErrorMessage(error)}`);
  }

  private tellOnce(level: 'info' | 'warning', message: string): void {
    const key = message.replaceAll(/[\d,]+/g, '');
    if (this.told.has(key)) return;
    this.told.add(key);
    this.options.tell(level, message);
  }
}

export function toRecord({ count, changes, list }: WalkAnswer, callIds: readonly string[], clock: Clock): object {
  const time = new Date(clock.now()).toISOString();
  return { callIds, count, time, ...(list === undefined ? { changes } : { list }) };
}
