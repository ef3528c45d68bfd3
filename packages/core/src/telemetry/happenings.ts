/**
 * Happening: a fact that neither an event nor a request carries, reported to telemetry where it occurs, as plain
 * data. This room decides which records it causes. Types only.
 */

export type Happening =
  /** A model was chosen for a prompt. `error` is the error of a strategy that was skipped. */
  | {
      kind: 'model_routed';
      model: string;
      source: string;
      latencyMs: number;
      reasoning: string;
      error?: string;
      approvalMode?: string;
    }
  /** Another model took over without a question. */
  | { kind: 'model_replaced' }
  | { kind: 'next_speaker_checked'; prompt_id: string; result: string }
  /** A model returned invalid JSON when asked for JSON. */
  | { kind: 'malformed_json'; model: string }
  | { kind: 'loop_detected'; type: LoopKind; prompt_id: string }
  /**
   * A model was asked whether there is a loop; the second answer is absent where it was not needed or not received.
   */
  | { kind: 'loop_judged'; prompt_id: string; confidence: number; secondModel: string; secondConfidence?: number }
  | { kind: 'loop_detection_disabled' }
  | { kind: 'outputs_masked'; tokensBefore: number; tokensAfter: number; count: number; prunableTokens: number }
  /** A model was asked to summarise the history; the result may be larger, or missing. */
  | { kind: 'chat_compressed'; tokensBefore: number; tokensAfter: number }
  /** The mode a session starts in, or changes to. */
  | { kind: 'approval_mode'; mode: string }
  | { kind: 'plan_approved'; mode: string }
  /** `path` is the full name of the command, such as `memory show`. */
  | { kind: 'slash_command'; path: string; status: 'success' | 'error' }
  /** The user chose the model to continue with. */
  | { kind: 'model_chosen'; model: string }
  | { kind: 'rewound'; outcome: 'rewind_and_revert' | 'rewind_only' | 'revert_only' | 'cancel' }
  | { kind: 'started'; phases: readonly StartupPhase[]; platform: string; release: string; isContainer: boolean }
  | { kind: 'exit_failed' }
  | { kind: 'agent_started'; agentId: string; agentName: string }
  /** `reason`: `GOAL`, or why the run was cut or failed. */
  | { kind: 'agent_finished'; agentId: string; agentName: string; durationMs: number; turns: number; reason: string }
  /** A run that was cut had one more turn to hand in its result. */
  | {
      kind: 'agent_recovery';
      agentId: string;
      agentName: string;
      reason: string;
      durationMs: number;
      succeeded: boolean;
      turns: number;
    }
  /** A frame was taller than the terminal. */
  | { kind: 'flicker' };

export type LoopKind = 'repeated_calls' | 'repeated_content' | 'judged_by_model';

export interface StartupPhase {
  name: string;
  /** Milliseconds since the process started. */
  startMs: number;
  endMs: number;
}
