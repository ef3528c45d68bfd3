/** What every output format is to the run: it takes the events, and at the end the sum of them. */

import type { AgentEvent, SessionMetrics } from '@castor/core';
import type { RunSummary } from './run-summary.ts';

export interface RunEnd {
  summary: RunSummary;
  metrics: SessionMetrics;
  durationMs: number;
}

export interface HeadlessWriter {
  /** Called before anything else, with the prompt as it was given. */
  begin?(prompt: string): Promise<void> | undefined;
  /** Resolves when the reader keeps up. */
  write(event: AgentEvent): Promise<void> | undefined;
  /** Called exactly once, whatever happened. */
  end(end: RunEnd): Promise<void> | undefined;
}

export type OutputFormat = 'text' | 'json' | 'stream-json';
