/** What the room needs of the agent that runs it: to open a child, to tell what happens, to run a remote agent. Types only. */

import type { AgentEvent } from '../protocol/agent-events.ts';
import type { ChildSession, ToolContext } from '../protocol/tools.ts';
import type { ToolOutput, ToolUpdate } from '../tools/define-tool.ts';
import type { Clock } from '../util/clock.ts';
import type { LocalAgent, RemoteAgent } from './agent-definition.ts';
import type { Happening } from '../telemetry/happenings.ts';
import type { RunEnding } from './agent-run.ts';

export interface ChildRequest {
  agent: LocalAgent;
  task: string;
  /** The call that starts it. */
  callId: string;
  isIsolated: boolean;
  /** The id of a run to continue. */
  resume?: string | undefined;
  signal: AbortSignal;
}

export interface OpenedChild {
  readonly agentId: string;
  readonly session: ChildSession;
  /** The first prompt: the task, or for a continued run what it goes on with. */
  readonly input: string;
  /** Turns so far, without those of an earlier process. */
  readonly turns: number;
  /** The text of `complete_task`, once it was called. */
  readonly result: string | undefined;
  /** What it and its own children spent so far; `usd` is undefined where a price is unknown. */
  readonly spent: { readonly tokens: number; readonly usd: number | undefined };
  /** The file of its session. */
  readonly transcript: string | undefined;
  /** From here on `complete_task` is the only tool, and the limit of turns is lifted. */
  letFinish(): void;
  /** Brings the changes of an isolated child into the project, through the ordinary edits; returns what became of them. */
  handOver?(context: ToolContext): AsyncGenerator<AgentEvent, string | undefined>;
  /** Records the end, gives everything back and counts what was spent. Never throws. */
  close(ending: RunEnding, durationMs: number): Promise<void>;
}

type AgentHappening = Extract<Happening, { agentId: string }>;

export interface AgentServices {
  clock: Clock;
  /** How deep the parent is: 0 for the session of the user. */
  depth: number;
  open(request: ChildRequest): Promise<OpenedChild>;
  tell?: ((happening: AgentHappening) => void) | undefined;
  runRemote(agent: RemoteAgent, task: string, context: ToolContext): AsyncGenerator<ToolUpdate, ToolOutput>;
}
