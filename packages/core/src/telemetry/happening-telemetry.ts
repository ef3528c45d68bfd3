/** HappeningTelemetry: converts happenings into telemetry records, under Gemini CLI's names. */

import type { ApprovalModes } from './approval-modes.ts';
import type { EventTelemetry } from './event-telemetry.ts';
import type { Happening, LoopKind } from './happenings.ts';
import { METRICS } from './metric-names.ts';
import type { Telemetry } from './telemetry.ts';

type Told<K extends Happening['kind']> = Extract<Happening, { kind: K }>;
type Tellers = { readonly [K in Happening['kind']]: (happening: Told<K>) => void };

const LOOP_TYPES: Readonly<Record<LoopKind, string>> = {
  repeated_calls: 'consecutive_identical_tool_calls',
  repeated_content: 'chanting_identical_sentences',
  judged_by_model: 'llm_detected_loop',
};

/** Written where a second opinion was not requested or not received. */
const NO_CONFIDENCE = -1;

export function createHappeningTelemetry(
  telemetry: Telemetry,
  events: EventTelemetry,
  modes: ApprovalModes,
): (happening: Happening) => void {
  const { metrics } = telemetry;
  const tellers: Tellers = {
    model_routed: (routed) => tellRouting(telemetry, routed),
    model_replaced: () => events.fellBack(),
    next_speaker_checked({ prompt_id, result }) {
      const attributes = { prompt_id, finish_reason: events.finishReason, result };
      telemetry.log('gemini_cli.next_speaker_check', `Next speaker: ${result}.`, attributes);
    },
    malformed_json({ model }) {
      telemetry.log('gemini_cli.malformed_json_response', `${model} was asked for JSON and gave none.`, { model });
    },
    loop_detected({ type, prompt_id }) {
      const attributes = { loop_type: LOOP_TYPES[type], prompt_id };
      telemetry.log('loop_detected', `Loop detected: ${attributes.loop_type}.`, attributes);
    },
    loop_judged({ prompt_id, confidence, secondModel, secondConfidence = NO_CONFIDENCE }) {
      telemetry.log('gemini_cli.llm_loop_check', 'A model checked for a loop.', {
        prompt_id,
        flash_confidence: confidence,
        main_model: secondModel,
        main_model_confidence: secondConfidence,
      });
    },
    loop_detection_disabled() {
      telemetry.log('loop_detection_disabled', 'Loop detection is off.', { prompt_id: events.prompt_id });
    },
    outputs_masked({ tokensBefore, tokensAfter, count, prunableTokens }) {
      telemetry.log('gemini_cli.tool_output_masking', `Old output of ${count} turns was moved to files.`, {
        tokens_before: tokensBefore,
        tokens_after: tokensAfter,
        masked_count: count,
        total_prunable_tokens: prunableTokens,
      });
    },
    chat_compressed({ tokensBefore, tokensAfter }) {
      const attributes = { tokens_before: tokensBefore, tokens_after: tokensAfter };
      const outcome = tokensAfter < tokensBefore ? 'was compressed' : 'could not be compressed';
      telemetry.log('gemini_cli.chat_compression', `The history ${outcome}.`, attributes);
      metrics.count(METRICS.compressions, attributes);
    },
    approval_mode: ({ mode }) => modes.set(mode),
    plan_approved({ mode }) {
      const attributes = { approval_mode: mode };
      telemetry.log('gemini_cli.plan.execution', `The user approved a plan in mode ${mode}.`, attributes);
      metrics.count(METRICS.planExecutions, attributes);
    },
    slash_command({ path, status }) {
      const [command, ...rest] = path.split(' ');
      const subcommand = rest.length > 0 ? rest.join(' ') : undefined;
      telemetry.log('gemini_cli.slash_command', `Slash command: ${path}.`, { command, subcommand, status });
    },
    model_chosen({ model }) {
      telemetry.log('gemini_cli.slash_command.model', `Model: ${model}.`, { model_name: model });
      metrics.count(METRICS.modelChoices, { 'slash_command.model.model_name': model });
    },
    rewound({ outcome }) {
      telemetry.log('gemini_cli.rewind', `Rewind: ${outcome}.`, { outcome });
    },
    started: (start) => tellStart(telemetry, start),
    agent_started({ agentId, agentName }) {
      const attributes = { agent_id: agentId, agent_name: agentName };
      telemetry.log('gemini_cli.agent.start', `Agent ${agentName} started.`, attributes);
    },
    agent_finished: (run) => tellRun(telemetry, run),
    agent_recovery({ agentId, agentName, reason, durationMs, succeeded, turns }) {
      telemetry.log('gemini_cli.agent.recovery_attempt', `Agent ${agentName} had one more turn (${reason}).`, {
        agent_id: agentId,
        agent_name: agentName,
        reason,
        duration_ms: durationMs,
        success: succeeded,
        turn_count: turns,
      });
    },
    exit_failed: () => metrics.count(METRICS.exitFailures, {}),
    flicker: () => metrics.count(METRICS.flickers, {}),
  };
  // The table pairs every kind with its own handler, which the compiler cannot follow through an index.
  return (happening) => (tellers[happening.kind] as (happening: Happening) => void)(happening);
}

function tellRun(telemetry: Telemetry, run: Told<'agent_finished'>): void {
  const { agentId, agentName, durationMs, turns, reason } = run;
  telemetry.log('gemini_cli.agent.finish', `Agent ${agentName} finished: ${reason}.`, {
    agent_id: agentId,
    agent_name: agentName,
    duration_ms: durationMs,
    turn_count: turns,
    terminate_reason: reason,
  });
  const named = { agent_name: agentName };
  telemetry.metrics.count(METRICS.agentRuns, { ...named, terminate_reason: reason });
  telemetry.metrics.record(METRICS.agentDuration, named, durationMs);
  telemetry.metrics.record(METRICS.agentTurns, named, turns);
}

function tellRouting(telemetry: Telemetry, routed: Told<'model_routed'>): void {
  const { model, source, latencyMs, reasoning, error, approvalMode } = routed;
  telemetry.log('gemini_cli.model_routing', `Model routing: ${model} by ${source}.`, {
    decision_model: model,
    decision_source: source,
    routing_latency_ms: latencyMs,
    // A classifier's reasoning mentions the user's request.
    reasoning: telemetry.logPrompts ? reasoning : undefined,
    failed: error !== undefined,
    error_message: error,
    approval_mode: approvalMode,
  });
  const common = { 'routing.decision_source': source, 'routing.approval_mode': approvalMode };
  const decision = { ...common, 'routing.decision_model': model };
  telemetry.metrics.record(METRICS.routingLatency, decision, latencyMs);
  if (error === undefined) return;
  telemetry.metrics.count(METRICS.routingFailures, { ...common, 'routing.error_message': error });
}

function tellStart(telemetry: Telemetry, { phases, platform, release, isContainer }: Told<'started'>): void {
  const shown = phases.map(({ name, startMs, endMs }) => ({
    name,
    duration_ms: Math.round(endMs - startMs),
    start_time_usec: Math.round(startMs * 1_000),
    end_time_usec: Math.round(endMs * 1_000),
  }));
  telemetry.log('gemini_cli.startup_stats', `Startup stats: ${phases.length} phases.`, {
    phases: JSON.stringify(shown),
    os_platform: platform,
    os_release: release,
    is_docker: isContainer,
  });
  for (const { name, duration_ms } of shown) {
    telemetry.metrics.record(METRICS.startup, { phase: name }, duration_ms);
  }
}
