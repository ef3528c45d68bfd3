/** What a session says about undo while it works, each sentence once: what is not covered, and why. */

import { getErrorMessage } from '../protocol/errors.ts';
import type { WalkAnswer } from './undo-requests.ts';
import { isInGit } from './byte-path.ts';
import { StoreFull } from './undo-client.ts';
import { rebuildableFolder, TooLarge } from './walk-rules.ts';

type Tell = (level: 'info' | 'warning', message: string) => void;

const GAPS = {
  large: 'above 10 MB',
  rebuildable: 'too large to keep whole',
  unreadable: 'cannot be read',
  full: undefined,
  busy: undefined,
} as const;
const EDITS_ONLY = 'Undo covers edits only in this workspace';

export class UndoNotices {
  private readonly tell: Tell;
  private readonly told = new Set<string>();
  private gaps: WalkAnswer['unkept'] = [];
  private hasCalls = false;

  constructor(tell: Tell) {
    this.tell = tell;
  }

  editsOnly(reason: string): void {
    this.warnOnce(`${EDITS_ONLY}: ${reason}.`);
  }

  stillReading(seen: number, entries: number): void {
    const count = (number: number) => number.toLocaleString('en-US');
    const far = entries > seen ? `${count(seen)} of ${count(entries)}` : count(seen);
    this.warnOnce(`${EDITS_ONLY} for now: Castor is still reading it (${far} files and folders).`);
  }

  dropped(points: number): void {
    this.warnOnce(`The store of undo is full: the oldest ${points} changes can no longer be undone.`);
  }

  /** What a walk did not keep. It is told when a call may have touched it: most prompts only read and edit. */
  unkept({ unkept }: Pick<WalkAnswer, 'unkept'>): void {
    const full = unkept.find(({ reason }) => reason === 'full');
    if (full)
      this.warnOnce(
        `Undo does not cover ${full.count} files: the disk or the store of undo is full. New files are covered.`,
      );
    this.gaps = unkept;
    if (this.hasCalls) this.tellGaps();
  }

  /** A call runs that may change any file. */
  callBegins(): void {
    this.hasCalls = true;
    this.tellGaps();
  }

  failed(error: unknown): void {
    if (error instanceof TooLarge) this.editsOnly(error.message);
    else if (error instanceof StoreFull) this.editsOnly('the disk or the store of undo is full');
    else this.warnOnce(`${EDITS_ONLY}: ${getErrorMessage(error)}`);
  }

  /** In one line, each reason once. */
  private tellGaps(): void {
    const groups = new Map<string, Set<string>>();
    for (const { reason, paths } of this.gaps.filter((gap) => !this.told.has(gap.reason))) {
      const own = paths.filter(({ path }) => !isInGit(path));
      if (GAPS[reason] === undefined || own.length === 0) continue;
      this.told.add(reason);
      for (const { path } of own) {
        const folder = rebuildableFolder(path);
        const why = folder === undefined ? GAPS[reason] : GAPS.rebuildable;
        groups.set(why, (groups.get(why) ?? new Set()).add(folder ?? path));
      }
    }
    if (groups.size === 0) return;
    const level = groups.has(GAPS.unreadable) ? 'warning' : 'info';
    const parts = [...groups].map(([why, names]) => `${nameSome([...names])} (${why})`);
    this.tell(level, `Undo does not cover ${parts.join('; ')}.`);
  }

  /** A sentence that differs in its numbers only is the same. */
  private warnOnce(message: string): void {
    const key = message.replaceAll(/[\d,]+/g, '');
    if (this.told.has(key)) return;
    this.told.add(key);
    this.tell('warning', message);
  }
}

const NAMED = 5;

function nameSome(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}
