/** A session with a real workspace, session file and process, driven call by call; and the tree as a comparable value. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { SessionRecorder } from '../records/session-recorder.ts';
import { fingerprint } from '../tools/files/read-ledger.ts';
import { SessionUndo } from './session-undo.ts';
import type { SessionUndoOptions } from './session-undo.ts';
import { UndoDesk } from './undo-desk.ts';
import type { UndoOutcome, UndoSelection } from './undo-preview.ts';

export interface TrialOptions extends Partial<SessionUndoOptions> {
  readonly folder?: string;
  /** Another session of the same folder. */
  readonly beside?: UndoTrial;
}

/** More than the doubt about the time of a file. */
const PASSED_MS = 25;

/** A machine under load is slow, and no reason to run a call uncovered. */
const PATIENT: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms * 100, signal) };

let sessions = 0;

export class UndoTrial implements AsyncDisposable {
  readonly folder: string;
  readonly root: string;
  readonly store: string;
  readonly recorder: SessionRecorder;
  readonly undo: SessionUndo;
  readonly told: string[] = [];
  readonly sessionId = `trial-${process.pid}-${++sessions}`;
  private readonly ownsFolder: boolean;
  private prompts = 0;
  private calls = 0;

  constructor(options: TrialOptions = {}) {
    const { folder, beside, root, store, ...rest } = options;
    this.ownsFolder = folder === undefined && beside === undefined;
    this.folder = folder ?? beside?.folder ?? mkdtempSync(join(tmpdir(), 'castor-undo-'));
    this.root = root ?? join(this.folder, 'work');
    this.store = store ?? join(this.folder, 'state', 'undo');
    mkdirSync(this.root, { recursive: true });
    const directory = join(this.folder, 'state', 'chats');
    this.recorder = new SessionRecorder({ directory, sessionId: this.sessionId, root: this.root });
    this.undo = new SessionUndo({
      root: this.root,
      store: this.store,
      sessionId: this.sessionId,
      clock: PATIENT,
      record: (record) => this.recorder.workspace(record),
      tell: (_level, message) => this.told.push(message),
      exclude: [],
      hasHooks: () => false,
      readsOnly: async () => false,
      // Machines of tests may have little room.
      budget: { freeBytes: 0, shareOfFree: 1 },
      ...rest,
    });
  }

  /** Anew each time: a session's file has its name once something is in it. */
  get desk(): UndoDesk {
    return this.deskOf(this);
  }

  /** For a session, by this one's process. */
  deskOf({ recorder }: UndoTrial): UndoDesk {
    const directory = join(this.folder, 'state', 'chats');
    return new UndoDesk({
      root: this.root,
      path: recorder.path,
      client: async () => {
        const client = await this.undo.use();
        if (!client) throw new Error(`No process: ${this.told.join(' ')}`);
        return client;
      },
      record: (record) => recorder.workspace(record),
      clock: systemClock,
      refresh: () => this.undo.refresh(),
      otherSessions: () =>
        readdirSync(directory)
          .filter((name) => name.endsWith('.jsonl') && !recorder.path.endsWith(name))
          .map((name) => join(directory, name)),
    });
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, content: string | Buffer, mode?: number): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
    if (mode !== undefined) chmodSync(this.path(name), mode);
  }

  /** Begins a prompt. */
  prompt(text = `prompt ${this.prompts + 1}`): void {
    this.prompts += 1;
    this.recorder.sent({ role: 'user', parts: [{ text }] }, `p${this.prompts}`);
    this.recorder.answered(
      { content: { role: 'model', parts: [{ text: 'ok' }] }, thoughts: [], model: 'm' } as never,
      `p${this.prompts}`,
    );
  }

  /** Runs a call that changes something; returns its id. */
  async call(change: () => void | Promise<void>, { kind = 'execute' as const } = {}): Promise<string> {
    if (this.prompts === 0) this.prompt();
    const callId = `c${++this.calls}`;
    const request = {
      callId,
      name: 'run_shell_command',
      args: {},
      isClientInitiated: false,
      prompt_id: `p${this.prompts}`,
    };
    await this.recorder.started(request, { hasEffects: true });
    await this.undo.before({ callId, kind, name: 'run_shell_command', args: {} });
    await change();
    this.undo.after(callId);
    await this.undo.settled();
    return callId;
  }

  /** A command in the workspace. */
  shell(command: string): Promise<string> {
    return this.call(() => this.sh(command));
  }

  /** What the user does. */
  sh(command: string): void {
    execFileSync('/bin/sh', ['-c', command], { cwd: this.root, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  /** As an edit tool does it: announced, with the earlier content kept. */
  async edit(name: string, content: string | null): Promise<string> {
    if (this.prompts === 0) this.prompt();
    const callId = `c${++this.calls}`;
    const request = { callId, name: 'write_file', args: {}, isClientInitiated: false, prompt_id: `p${this.prompts}` };
    await this.recorder.started(request, { hasEffects: true });
    await this.undo.before({ callId, kind: 'edit', name: 'write_file', args: {} });
    const path = this.path(name);
    let before: { bytes: Buffer; fingerprint: string } | undefined;
    try {
      const bytes = readFileSync(path);
      before = { bytes, fingerprint: fingerprint(bytes) };
    } catch {
      // A new file.
    }
    const after = content === null ? null : fingerprint(Buffer.from(content));
    await this.recorder.changing({ callId, path, before, after });
    if (content === null) rmSync(path);
    else this.write(name, content);
    this.undo.after(callId);
    return callId;
  }

  /** Returns when the clock of the file system has moved on, so that what follows carries a later time. */
  passTime(): void {
    const probe = join(this.folder, 'probe');
    const from = Date.now();
    do writeFileSync(probe, String(Date.now()));
    while (lstatSync(probe).ctimeMs < from + PASSED_MS);
  }

  async back(selection: UndoSelection = { last: 1 }, options = {}): Promise<UndoOutcome> {
    await this.undo.settled();
    return this.desk.apply(await this.desk.preview(selection, options));
  }

  async forth(options = {}): Promise<UndoOutcome> {
    return this.desk.apply(await this.desk.previewRedo(options));
  }

  /** Reads the workspace for the first time. */
  async begin(): Promise<this> {
    this.prompt();
    this.undo.begin();
    await this.undo.settled();
    return this;
  }

  tree(): Record<string, string> {
    return treeOf(this.root);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.undo.dispose();
    this.recorder.close();
    if (!this.ownsFolder) return;
    execFileSync('chmod', ['-R', 'u+rwX', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Every path with its type, mode and content, by bytes. */
export function treeOf(root: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const visit = (folder: string) => {
    for (const name of readdirSync(Buffer.from(folder, 'latin1'), { encoding: 'latin1' }).toSorted()) {
      const path = `${folder}/${name}`;
      const place = Buffer.from(path, 'latin1');
      const found = lstatSync(place);
      const mode = (found.mode & 0o7777).toString(8);
      const key = path.slice(root.length + 1);
      if (found.isDirectory()) {
        tree[key] = `folder ${mode}`;
        visit(path);
      } else if (found.isSymbolicLink()) tree[key] = `link ${readlinkSync(place, { encoding: 'latin1' })}`;
      else if (found.isFile())
        tree[key] = `file ${mode} ${found.nlink} ${fingerprint(readFileSync(place)).slice(0, 16)} ${found.size}`;
      else tree[key] = 'special';
    }
  };
  visit(root);
  return tree;
}
