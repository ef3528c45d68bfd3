/** Counts what a prompt did, for the row under its answer: `3 calls, 1 failed · 2 files +12 −3 · 14 s · $0.02`. */

import type { ToolCallView } from '@castor/core';
import { countOf } from '@castor/core/program';
import { shortCost, shortDuration } from '../../short-numbers.ts';
import { stateOf } from './call-title.ts';
import { changesOf } from './tool-call.ts';

/** A quick answer without calls needs no receipt. */
const LEAST_MS = 10_000;

export class Receipt {
  private calls = 0;
  private failed = 0;
  private added = 0;
  private removed = 0;
  private readonly files = new Set<string>();
  /** The files that all prompts changed. */
  private readonly all: Set<string> | undefined;

  constructor(all?: Set<string>) {
    this.all = all;
  }

  note(calls: readonly ToolCallView[]): void {
    for (const call of calls) {
      this.calls++;
      if (stateOf(call) === 'failed') this.failed++;
      const changes = changesOf(call);
      if (!changes || typeof call.result !== 'object' || !('fileDiff' in call.result)) continue;
      this.files.add(call.result.filePath);
      this.all?.add(call.result.filePath);
      this.added += changes.added;
      this.removed += changes.removed;
    }
  }

  /** Undefined where there is nothing worth a row. */
  tell({ ms, usd }: { ms: number; usd: number | undefined }): string | undefined {
    if (this.calls === 0 && ms < LEAST_MS) return undefined;
    const changes = [this.added > 0 && `+${this.added}`, this.removed > 0 && `−${this.removed}`].filter(Boolean);
    return [
      this.calls > 0 && `${countOf(this.calls, 'call')}${this.failed > 0 ? `, ${this.failed} failed` : ''}`,
      this.files.size > 0 && [countOf(this.files.size, 'file'), ...changes].join(' '),
      shortDuration(ms),
      usd !== undefined && usd > 0 && shortCost(usd),
    ]
      .filter(Boolean)
      .join(' · ');
  }
}
