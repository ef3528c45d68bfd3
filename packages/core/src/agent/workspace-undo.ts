/**
 * Opens undo for a workspace agent: decides when the workspace is first read, and gives the scheduler and the children
 * their watch. Everything else is loaded with the first call that may change something, or the user's first undo.
 */

import { join, resolve } from 'node:path';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { Content } from '../protocol/content.ts';
import { getErrorMessage } from '../protocol/errors.ts';
import { GeminiEventType } from '../protocol/events.ts';
import type { SessionRecorder } from '../records/session-recorder.ts';
import type { ChangeWatch } from '../scheduler/ports.ts';
import type { Branch } from '../undo/branch-registry.ts';
import type { ChangedSession } from '../undo/changed-sessions.ts';
import type { MergeResult } from '../undo/merge-branch.ts';
import type { OpenedUndo } from '../undo/open-session-undo.ts';
import type { RestoredPoint } from '../undo/restore-point.ts';
import type { SessionUndo } from '../undo/session-undo.ts';
import type { UndoDesk } from '../undo/undo-desk.ts';
import type { UndoCoverage } from '../undo/undo-limits.ts';
import type { ToolKind } from '../protocol/tools.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';

export interface WorkspaceUndoOptions {
  readonly home: string;
  readonly root: string;
  readonly sessionId: string;
  readonly tempDirectory: string;
  readonly recorder: SessionRecorder;
  readonly coverage: UndoCoverage;
  readonly interactive: boolean;
  readonly clock?: Clock | undefined;
  readonly kindOf: (tool: string) => ToolKind | undefined;
  /** Whether commands run without a question: the first one may come at any time. */
  readonly isEager: () => boolean;
  readonly hasHooks: () => boolean;
  /** The conversation, where a restore point is written before each edit. */
  readonly history?: (() => readonly Content[]) | undefined;
  /** PATH of the programs that may be started. */
  readonly programs: string;
  /** Called when the conversation goes back: the files are again as the model knew them then. */
  readonly forgetReads: () => void;
  readonly tell: (level: 'info' | 'warning', message: string) => void;
}

const CHANGING: ReadonlySet<ToolKind> = new Set<ToolKind>(['edit', 'delete', 'move', 'execute', 'other']);

export class WorkspaceUndo {
  private readonly options: WorkspaceUndoOptions;
  private opening: Promise<SessionUndo> | undefined;
  private hasBegun = false;

  constructor(options: WorkspaceUndoOptions) {
    this.options = options;
  }

  /** Begins to read the workspace once the model has answered: the first request is never slower for it. */
  observe(event: AgentEvent): void {
    if (event.type === GeminiEventType.ToolCallRequest) {
      const kind = this.options.kindOf(event.value.name);
      if (kind !== undefined && CHANGING.has(kind)) void this.open().then((undo) => undo.foresee());
      else if (this.options.isEager()) this.begin();
    } else if (this.options.interactive && ANSWERS.has(event.type)) this.begin();
  }

  /** For the scheduler; for that of a child with the call that runs it. */
  watch(owner?: string): ChangeWatch {
    return {
      before: async (call) => {
        if (owner === undefined) await this.writePoint(call);
        if (CHANGING.has(call.kind)) await (await this.open()).before(call, owner ?? call.callId);
      },
      after: (callId) => {
        if (this.opening) void this.opening.then((undo) => undo.after(callId));
      },
      foretell: async (command, { dir_path: folder }) => {
        if (!this.opening) return undefined;
        const { root } = this.options;
        return (await this.opening).foretell(command, typeof folder === 'string' ? resolve(root, folder) : root);
      },
    };
  }

  /** What the user can take back. */
  async desk(): Promise<UndoDesk> {
    const [undo, { UndoDesk }, { UndoError }, { findSessionFiles }] = await Promise.all([
      this.open(),
      import('../undo/undo-desk.ts'),
      import('../undo/undo-preview.ts'),
      import('../records/project-sessions.ts'),
    ]);
    const { root, home, recorder, clock = systemClock } = this.options;
    await undo.settled();
    return new UndoDesk({
      root,
      path: recorder.path,
      clock,
      record: (record) => recorder.workspace(record),
      refresh: () => undo.refresh(),
      look: async () => {
        await undo.readNow();
        return [];
      },
      otherSessions: () => findSessionFiles({ home, root }).filter((path) => path !== recorder.path),
      client: async () => {
        const client = await undo.use();
        if (!client) throw new UndoError('Undo is not available: the process that keeps files could not be started.');
        return client;
      },
    });
  }

  /**
   * Takes back what a call that still runs has changed so far, for a second attempt of the same command. Resolves to
   * whether the workspace is again as it was before the call.
   */
  async takeBack(callId: string): Promise<boolean> {
    const undo = await this.open();
    if (!(await undo.readNow())) return false;
    const desk = await this.desk();
    const preview = await desk.preview({ call: callId });
    if (preview.leftAlone.length > 0 || preview.notCovered.length > 0 || preview.uncoveredCalls.length > 0)
      return false;
    if (preview.changes.length === 0) return true;
    const { isVerified, skipped } = await desk.apply(preview);
    await undo.settled();
    return isVerified && skipped.length === 0;
  }

  /** Takes back all that the session did to one path, as a call of its own. Sentences about what was left alone. */
  async revert(path: string): Promise<string[]> {
    const { revertPath } = await import('../undo/revert-path.ts');
    const desk = await this.desk();
    const undo = await this.open();
    const client = await undo.use();
    if (!client) return ['Undo is not available: the process that keeps files could not be started.'];
    const problems = await revertPath(path, desk, client, (each) => this.options.recorder.workspace(each));
    await undo.refresh();
    return problems;
  }

  /** Merges a branch into the workspace, as a call of the session; `tellModel` adds to the conversation. */
  async merge(branch: Branch, tellModel: (sentence: string) => void): Promise<MergeResult> {
    const { mergeBranch } = await import('../undo/merge-branch.ts');
    const { home, root, recorder } = this.options;
    const undo = await this.open();
    await undo.settled();
    const record = (each: object) => recorder.workspace(each);
    const result = await mergeBranch({ home, root, branch, record, tellModel });
    await undo.refresh();
    return result;
  }

  /** The sessions of the project that changed files, the latest first, with what each prompt changed. */
  async listSessions(): Promise<ChangedSession[]> {
    const [{ listChangedSessions }, undo] = await Promise.all([import('../undo/changed-sessions.ts'), this.open()]);
    await undo.settled();
    const { home, root } = this.options;
    return listChangedSessions({ home, root });
  }

  /** Opens another session of the project for an undo in it; undefined for this one. Throws SessionError. */
  async openEarlier(wanted: string): Promise<OpenedUndo | undefined> {
    const [{ openSessionUndo }, { findSession }, undo] = await Promise.all([
      import('../undo/open-session-undo.ts'),
      import('../records/session-find.ts'),
      this.open(),
    ]);
    const { home, root, sessionId } = this.options;
    const session = await findSession(wanted, { home, root });
    if (session?.id === sessionId) return undefined;
    const opened = await openSessionUndo(session?.id ?? wanted, { home, root }, { isWriting: true });
    return {
      ...opened,
      async close() {
        await opened.close();
        await undo.refresh();
      },
    };
  }

  /** The names of the restore points of the project, Gemini CLI's among them. */
  async listPoints(): Promise<string[]> {
    const { listRestorePoints } = await import('../undo/restore-points.ts');
    return listRestorePoints(this.options.tempDirectory);
  }

  /**
   * Restores the files of a point and returns its conversation and the call to propose again. `current`: the present
   * conversation. Throws UndoError with Gemini CLI's sentences.
   */
  async restore(name: string, current: readonly Content[]): Promise<RestoredPoint> {
    const [{ restorePoint }, { openSessionUndo }] = await Promise.all([
      import('../undo/restore-point.ts'),
      import('../undo/open-session-undo.ts'),
    ]);
    const { home, root, sessionId, tempDirectory: directory, programs, recorder } = this.options;
    const desk = await this.desk();
    const undo = await this.open();
    const client = await undo.use();
    const record = (each: object) => recorder.workspace(each);
    try {
      return await restorePoint(name, {
        ...{ home, directory, sessionId, desk, client, record, path: programs, history: current },
        openOther: (id) => openSessionUndo(id, { home, root }, { isWriting: true }),
      });
    } finally {
      this.options.forgetReads();
      await undo.refresh();
    }
  }

  async dispose(): Promise<void> {
    if (this.opening) await (await this.opening).dispose();
  }

  private async writePoint({ callId, name, args }: Parameters<ChangeWatch['before']>[0]): Promise<void> {
    const { history, clock = systemClock, sessionId, tempDirectory } = this.options;
    if (!history || !POINTED.has(name)) return;
    const { writeRestorePoint } = await import('../undo/restore-points.ts');
    try {
      const toolCall = { name, args };
      const point = { time: clock.now(), toolCall, history: history(), callId, sessionId, promptId: sessionId };
      writeRestorePoint(tempDirectory, point);
    } catch (error) {
      this.options.tell('warning', `No restore point was written: ${getErrorMessage(error)}`);
    }
  }

  private begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    void this.open().then((undo) => undo.begin());
  }

  private open(): Promise<SessionUndo> {
    this.opening ??= this.load();
    return this.opening;
  }

  private async load(): Promise<SessionUndo> {
    const { home, root, sessionId, tempDirectory, recorder, coverage, clock = systemClock, tell } = this.options;
    const [{ SessionUndo }, { tooWide }, { findLivePoints }, { homedir }] = await Promise.all([
      import('../undo/session-undo.ts'),
      import('../undo/undo-limits.ts'),
      import('../undo/live-points.ts'),
      import('node:os'),
    ]);
    const wide = coverage === 'everything' ? undefined : tooWide(root, [home, homedir()]);
    const limits = coverage === 'everything' ? { entries: Infinity, totalBytes: Infinity } : undefined;
    return new SessionUndo({
      ...{ root, sessionId, clock, tell, limits },
      store: join(tempDirectory, 'undo'),
      record: (record) => recorder.workspace(record),
      editsOnly: coverage === 'edits' ? 'the setting castor.undo.coverage says so' : wide,
      exclude: [tempDirectory],
      hasHooks: this.options.hasHooks,
      livePoints: () => findLivePoints({ home, root }, recorder.path),
      readsOnly: async (command) => (await import('../policy/shell/reads-only.ts')).readsOnly(command),
      repair: async (client, { manifestOf }) => {
        const { repairCutOff, repairOther } = await import('../undo/repair-cut-off.ts');
        if (manifestOf === undefined) return;
        const own = {
          client,
          clock,
          root,
          sessionId,
          path: recorder.path,
          record: (each: object) => recorder.workspace(each),
        };
        const repaired =
          manifestOf === sessionId
            ? (await repairCutOff(own)).sentences
            : await repairOther({ home, root }, manifestOf, own);
        for (const sentence of repaired) tell('info', sentence);
      },
    });
  }
}

/** The edits that Gemini CLI writes a restore point before. */
const POINTED: ReadonlySet<string> = new Set(['replace', 'write_file']);

const ANSWERS: ReadonlySet<string> = new Set([GeminiEventType.Content, GeminiEventType.Thought]);
