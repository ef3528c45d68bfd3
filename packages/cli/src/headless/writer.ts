/** The interface every output format offers the run: it takes the events, and at the end their summary. */

import type { AgentEvent, SessionMetrics } from '@castor/core';
import type { RefusedConnection } from '../start/airgap.ts';
import type { RunSummary } from './run-summary.ts';

export interface RunEnd {
  summary: RunSummary;
  metrics: SessionMetrics;
  durationMs: number;
  /** With --airgap: what was refused. */
  refused?: readonly RefusedConnection[] | undefined;
}

export interface HeadlessWriter {
  /** Called once, before anything else. */
  begin?(): Promise<void> | undefined;
  /** Called before the events of a prompt, with its original text. */
  prompt?(text: string): Promise<void> | undefined;
  /** Resolves when the reader keeps up. */
  write(event: AgentEvent): Promise<void> | undefined;
  /** An event of a sub-agent that needs no answer; absent: the format reports only the result of its call. */
  writeChild?(event: AgentEvent): Promise<void> | undefined;
  /** With --task spending: called after each request. */
  spent?(metrics: SessionMetrics): void;
  /** Called exactly once, whatever happened. */
  end(end: RunEnd): Promise<void> | undefined;
}

export type OutputFormat = 'text' | 'json' | 'stream-json';
