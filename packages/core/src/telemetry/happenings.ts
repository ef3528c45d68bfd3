/**
 * Happening: what neither an event nor a request says, told to telemetry by the place
 * that knows it, as plain data. Which records it leaves is this room's business. Types only.
 */

export type Happening =
  /** A model was chosen for a prompt. `error` is what a strategy that was skipped failed with. */
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
  /** A model asked for JSON gave something else. */
  | { kind: 'malformed_json'; model: string }
  | { kind: 'loop_detected'; type: LoopKind; prompt_id: string }
  /** A model was asked whether there is a loop; the second answer is absent where it was not needed or did not come. */
  | { kind: 'loop_judged'; prompt_id: string; confidence: number; secondModel: string; secondConfidence?: number }
  | { kind: 'loop_detection_disabled' }
  | { kind: 'outputs_masked'; tokensBefore: number; tokensAfter: number; count: number; prunableTokens: number }
  /** A model was asked for a summary of the history, which may have come out larger, or not at all. */
  | { kind: 'chat_compressed'; tokensBefore: number; tokensAfter: number }
  /** The mode a session begins in, or goes on in. */
  | { kind: 'approval_mode'; mode: string }
  | { kind: 'plan_approved'; mode: string }
  /** `path` is the whole name of the command, such as `memory show`. */
  | { kind: 'slash_command'; path: string; status: 'success' | 'error' }
  /** A person named the model to go on with. */
  | { kind: 'model_chosen'; model: string }
  | { kind: 'rewound'; outcome: 'rewind_and_revert' | 'rewind_only' | 'revert_only' | 'cancel' }
  | { kind: 'started'; phases: readonly StartupPhase[]; platform: string; release: string; isContainer: boolean }
  | { kind: 'exit_failed' }
  /** A frame was taller than the terminal. */
  | { kind: 'flicker' };

export type LoopKind = 'repeated_calls' | 'repeated_content' | 'judged_by_model';

export interface StartupPhase {
  name: string;
  /** Milliseconds since the process began. */
  startMs: number;
  endMs: number;
}
