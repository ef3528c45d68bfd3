/**
 * SessionUndo: keeps undo possible while a session works. It reads the workspace in the background from the first
 * prompt, and once after every call that may change it; the next such call waits for that, the model does not. What
 * changed goes to the session's file under the calls that were running. It never fails a call: what it cannot cover it
 * says once.
 */

import type { ToolKind } from '../protocol/tools.ts';
import type { Clock } from '../util/clock.ts';
import { fileMoment } from './file-moment.ts';
import { deletes, foretellLoss } from './foretell-loss.ts';
import type { UnkeptPath } from './foretell-loss.ts';
import type { LivePoints } from './live-points.ts';
import { UndoClient } from './undo-client.ts';
import { DEFAULT_BUDGET } from './undo-limits.ts';
import { UndoNotices } from './undo-notices.ts';
import type { Answers, StoreBudget } from './undo-requests.ts';
import { toRecords } from './walk-records.ts';
import { DEFAULT_LIMITS } from './walk-rules.ts';
import type { WalkLimits } from './walk-rules.ts';
import { WatchedCalls } from './watched-calls.ts';

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
  /** The time of day, in milliseconds since the epoch. Default: the system's. */
  readonly timeOfDay?: (() => number) | undefined;
  /** A walk of more entries is not repeated before a call while it is fresh. Default 20,000. */
  readonly quickEntries?: number | undefined;
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
/** An older walk is repeated before a command: the user may have edited. What happens in between, the times of files tell. */
const FRESH_MS = 2_000;
/** A walk that takes no longer, or sees no more, is always repeated: a busy machine makes a short walk slow. */
const QUICK_MS = 100;
const QUICK_ENTRIES = 20_000;
/** A full store is emptied again after this many walks, if that helped. */
const COLLECT_EVERY = 20;
const CLOSING_MS = 10_000;
const WATCHED: ReadonlySet<ToolKind> = new Set<ToolKind>(['edit', 'delete', 'move', 'execute', 'other']);

export class SessionUndo {
  private readonly options: SessionUndoOptions;
  private opening: Promise<UndoClient | undefined> | undefined;
  private client: UndoClient | undefined;
  private isReady = false;
  private readonly calls = new WatchedCalls();
  private walking: Promise<void> | undefined;
  private queued: Promise<void> | undefined;
  private walkedAt = Number.NEGATIVE_INFINITY;
  private walkMs = 0;
  private walks = 0;
  private collectFrom = 0;
  private hasFailed = false;
  private isClosing = false;
  private hasEvidence = false;
  private readonly notices: UndoNotices;
  private entries = 0;
  private unkept: readonly UnkeptPath[] = [];

  constructor(options: SessionUndoOptions) {
    this.options = options;
    this.notices = new UndoNotices(options.tell);
  }

  /** Begins to read the workspace, if that has not begun. */
  begin(): void {
    this.opening ??= this.start();
  }

  /** A call may follow soon: reads the workspace again if the last reading is old. */
  foresee(): void {
    this.begin();
    // A quick walk is made right before the call.
    if (this.isReady && !this.isQuick && this.isOld && !this.walking) void this.walk();
  }

  /** Awaited before a call runs. `owner`: the call of this session that the call of a sub-agent belongs to. */
  async before(call: WatchedCall, owner = call.callId): Promise<void> {
    if (!(await this.isWatched(call))) return;
    this.begin();
    // Edits announce what they change, and keep it themselves.
    const isPlainEdit = call.kind === 'edit' && !this.options.hasHooks();
    const isCovered = isPlainEdit || (await this.settle());
    if (!isPlainEdit) this.notices.callBegins();
    const at = isPlainEdit ? this.timeOfDay() : fileMoment(this.options.store, this.timeOfDay());
    this.calls.began(call.callId, isPlainEdit ? undefined : owner, at);
    if (!isPlainEdit) this.options.record({ $walkStarted: { callId: owner, isCovered, at } });
  }

  /** What the user must know before a command that deletes: what of it is not kept. */
  async foretell(command: string, folder: string): Promise<string | undefined> {
    const { root, editsOnly } = this.options;
    if (!deletes(command)) return undefined;
    // The command would wait for the first reading as well; only then is known what is not kept.
    const isRead = editsOnly === undefined && (await this.inTime(this.opening?.then(() => this.isReady) ?? false));
    if (editsOnly !== undefined || this.hasFailed) return 'undo covers edits only here: this cannot be undone';
    if (!isRead) return 'undo is still reading the workspace: this may not be undone';
    return foretellLoss(command, { root, folder, unkept: this.unkept });
  }

  after(callId: string): void {
    if (this.calls.end(callId, this.timeOfDay())) void this.walk();
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
    this.isClosing = true;
    if (this.client) await this.client.close();
  }

  private async isWatched({ kind, args, name }: WatchedCall): Promise<boolean> {
    if (!WATCHED.has(kind)) return false;
    const { command } = args;
    const isCommand = kind === 'execute' && name === 'run_shell_command' && typeof command === 'string';
    return !(isCommand && (await this.options.readsOnly(command)));
  }

  private get isQuick(): boolean {
    const { quickEntries = QUICK_ENTRIES } = this.options;
    return this.entries <= quickEntries || (this.walkMs <= QUICK_MS && quickEntries > 0);
  }

  private get isOld(): boolean {
    if (this.isQuick || !this.hasEvidence) return true;
    return this.options.clock.now() - this.walkedAt > FRESH_MS;
  }

  private timeOfDay(): number {
    return this.options.timeOfDay?.() ?? Date.now();
  }

  private async start(): Promise<UndoClient | undefined> {
    const { root, store, sessionId, editsOnly, exclude, limits, budget, repair } = this.options;
    try {
      if (editsOnly !== undefined) this.notices.editsOnly(editsOnly);
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
    if (this.options.editsOnly !== undefined || this.hasFailed) return false;
    const isKept = await this.inTime(this.ready());
    if (!isKept && !this.hasFailed) this.notices.stillReading(this.client?.progress ?? 0, this.entries);
    return isKept;
  }

  /** False for what takes too long. */
  private async inTime(awaited: Promise<boolean> | boolean): Promise<boolean> {
    const limit = new AbortController();
    const late = () => false;
    const result = await Promise.race([awaited, this.options.clock.sleep(PATIENCE_MS, limit.signal).then(late, late)]);
    limit.abort();
    return result;
  }

  private async ready(): Promise<boolean> {
    await this.opening;
    if (!this.isReady) return false;
    await (this.queued ?? this.walking);
    if (this.isOld && this.calls.isIdle) await this.walk();
    return !this.hasFailed;
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
    const walked = this.calls.look();
    try {
      const seen = await this.client!.ask({ do: 'walk', ...(walked.span && { calls: walked.span }) });
      this.walkedAt = startedAt;
      this.walkMs = clock.now() - startedAt;
      this.entries = seen.entries;
      this.hasEvidence = seen.hasEvidence;
      this.walks += 1;
      const callIds = this.calls.settle(walked);
      this.unkept = seen.unkept.flatMap(({ paths }) => paths);
      this.notices.unkept(seen);
      if (seen.isNearlyFull) await this.makeRoom();
      const isNeeded = walked.ended.length > 0;
      if (!isOwn) for (const each of toRecords(seen, callIds, clock, { isNeeded })) record(each);
      // A process that ends takes no more requests; the next one repairs from the manifest that was held.
      if (!this.isClosing) await this.client!.ask({ do: 'noted' });
    } catch (error) {
      this.fail(error, this.calls.settle(walked));
    }
  }

  /** Old points make room for new ones; what this very walk could not keep is kept by the next. */
  private async makeRoom(): Promise<void> {
    const live = this.options.livePoints?.();
    if (!live || this.walks < this.collectFrom) return;
    this.collectFrom = this.walks + COLLECT_EVERY;
    const { dropped } = await this.client!.ask({ do: 'collect', ...live });
    if (dropped > 0) this.notices.dropped(dropped);
  }

  /** The calls that no walk has seen are on record as not covered. */
  private fail(error: unknown, unseen: readonly string[] = []): void {
    this.hasFailed = true;
    for (const callId of unseen) this.options.record({ $walkStarted: { callId, isCovered: false } });
    if (!this.isClosing) this.notices.failed(error);
  }
}
