/** RunTape: what stands between a run and everything that may differ next time. A recorder and a player are one each. Types only. */

import type { ContentGenerator } from '../provider/content-generator.ts';
import type { HttpTap } from '../provider/http/http-tap.ts';
import type { ToolContext, ToolResult } from '../protocol/tools.ts';
import type { Clock } from '../util/clock.ts';

export interface TapedCall {
  tool: string;
  args: Record<string, unknown>;
  context: ToolContext;
  /** Whether a replay runs it: it reads and writes files of the workspace, and nothing else. */
  isReproducible: boolean;
}

export interface RunTape {
  /** Whether the run is one of the past: nothing of it is worth keeping. */
  readonly isReplay: boolean;
  readonly clock: Clock;
  /** Every HTTP request of the process. */
  readonly http: HttpTap;
  /** A model without a network. */
  wrapGenerator(generator: ContentGenerator): ContentGenerator;
  execute(call: TapedCall, live: () => Promise<ToolResult>): Promise<ToolResult>;
  /** A file of the workspace is about to be read or replaced. */
  opening(path: string): void;
  /** Keys that became known. */
  addSecrets(secrets: readonly string[]): void;
  end(exitCode: number): void;
}
