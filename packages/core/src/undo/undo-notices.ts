/** What a session says about undo while it works, each sentence once: what is not covered, and why. */

import { getErrorMessage } from '../protocol/errors.ts';
import type { WalkAnswer } from './undo-requests.ts';
import { isInGit } from './byte-path.ts';
import { StoreFull } from './undo-client.ts';
import { TooLarge } from './walk-rules.ts';

type Tell = (level: 'info' | 'warning', message: string) => void;

const EDITS_ONLY = 'Undo covers edits only in this workspace';

export class UndoNotices {
  private readonly tell: Tell;
  private readonly told = new Set<string>();

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

  unkept({ unkept }: Pick<WalkAnswer, 'unkept'>): void {
    for (const { reason, count, paths } of unkept) {
      if (reason === 'full')
        this.warnOnce(
          `Undo does not cover ${count} files: the disk or the store of undo is full. New files are covered.`,
        );
      const own = paths.filter(({ path }) => !isInGit(path));
      if (reason === 'large' && own.length > 0)
        this.tellOnce('info', `Undo does not cover files above 10 MB: ${nameSome(own)}.`, reason);
      if (reason === 'unreadable' && own.length > 0)
        this.tellOnce('warning', `Undo does not cover what cannot be read: ${nameSome(own)}.`, reason);
      if (reason === 'rebuildable') this.warnOnce(`Undo does not cover all of ${nameSome(paths)}: too large.`);
    }
  }

  failed(error: unknown): void {
    if (error instanceof TooLarge) this.editsOnly(error.message);
    else if (error instanceof StoreFull) this.editsOnly('the disk or the store of undo is full');
    else this.warnOnce(`${EDITS_ONLY}: ${getErrorMessage(error)}`);
  }

  private warnOnce(message: string): void {
    this.tellOnce('warning', message);
  }

  /** By default a sentence that differs in its numbers only is the same. */
  private tellOnce(level: 'info' | 'warning', message: string, key = message.replaceAll(/[\d,]+/g, '')): void {
    if (this.told.has(key)) return;
    this.told.add(key);
    this.tell(level, message);
  }
}

const NAMED = 5;

function nameSome(paths: readonly { path: string }[]): string {
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  return `${paths
    .slice(0, NAMED)
    .map(({ path }) => path)
    .join(', ')}${more}`;
}
