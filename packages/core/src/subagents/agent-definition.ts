/**
 * AgentDefinition: a sub-agent as its file, its override and the built-in list describe it. Types and defaults only. A
 * remote agent is described here and run elsewhere.
 */

import type { JsonSchema } from '../tools/from-schema.ts';
import type { SourceKind } from '../protocol/source.ts';

interface AgentFacts {
  /** Lower-case letters, digits, `-` and `_`. */
  readonly name: string;
  readonly displayName?: string;
  readonly description: string;
  readonly source: SourceKind;
  /** The name of an extension. */
  readonly owner?: string;
  /** Absent for a built-in agent. */
  readonly file?: string;
  /** What the user acknowledged: SHA-256 of the file, of the card, or the address of the card. */
  readonly fingerprint?: string;
  /** Why it is not offered, where it is not. */
  readonly isDisabled?: boolean;
}

export interface LocalAgent extends AgentFacts {
  readonly kind: 'local';
  /** The body of the file: the system instruction, with `${query}` and other variables. */
  readonly prompt: string;
  /** Patterns of tool names; absent: all tools of the parent. */
  readonly tools?: readonly string[];
  /** MCP servers of its own, by name, in the form of the settings. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** `inherit`, or a model or alias. */
  readonly model: string;
  /** Sampling and other fields of a request. */
  readonly generation?: Readonly<Record<string, unknown>>;
  readonly maxTurns: number;
  readonly maxMinutes: number;
  /** Each run works in a git worktree of its own. */
  readonly isIsolated?: boolean;
  /** The variable of the prompt that holds the task. Default `query`. */
  readonly inputName?: string;
  /** What `complete_task` takes instead of a text. */
  readonly output?: AgentOutput;
  /** Its system instruction begins with that of the main agent. */
  readonly usesMainPrompt?: boolean;
  /** It has the documentation of the program as a tool. */
  readonly readsDocumentation?: boolean;
}

export interface AgentOutput {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** The text for the parent. */
  render(value: unknown): string;
}

/** Runs on another machine, over A2A. */
export interface RemoteAgent extends AgentFacts {
  readonly kind: 'remote';
  readonly cardUrl?: string;
  /** The card itself, as JSON text. */
  readonly cardJson?: string;
  /** As written: `$VAR` and `!command` are not expanded. */
  readonly auth?: Readonly<Record<string, unknown>>;
}

export type AgentDefinition = LocalAgent | RemoteAgent;

export const DEFAULT_MAX_TURNS = 30;
export const DEFAULT_MAX_MINUTES = 10;
export const INHERIT = 'inherit';
export const DEFAULT_INPUT = 'query';
