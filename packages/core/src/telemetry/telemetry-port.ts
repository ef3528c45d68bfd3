/** createTelemetryPort: assembles the parts of this room behind the port the runtime reports to. */

import type { HookExecution } from '../hooks/hook-events.ts';
import { ApprovalModes } from './approval-modes.ts';
import { EventTelemetry } from './event-telemetry.ts';
import { createHappeningTelemetry } from './happening-telemetry.ts';
import { createLoggedGenerator } from './logged-generator.ts';
import { METRICS } from './metric-names.ts';
import type { TelemetryPort } from './open-telemetry.ts';
import { Telemetry } from './telemetry.ts';
import type { TelemetryOptions } from './telemetry.ts';

export function createTelemetryPort(options: TelemetryOptions): TelemetryPort {
  const telemetry = new Telemetry(options);
  const modes = new ApprovalModes(telemetry);
  const events = new EventTelemetry(telemetry, modes);
  return {
    watch: (generator) => createLoggedGenerator(generator, telemetry, events),
    add: (event) => events.add(event),
    called: (call) => events.calls.closed(call),
    hookExecuted: (execution) => logHook(telemetry, execution),
    note: createHappeningTelemetry(telemetry, events, modes),
    log: (name, body, attributes) => telemetry.log(name, body, attributes),
    concealWith(conceal) {
      telemetry.conceal = conceal;
    },
    shutdown() {
      modes.end();
      return telemetry.shutdown();
    },
  };
}

function logHook(telemetry: Telemetry, execution: HookExecution): void {
  const { hookEventName, hookType, hookName, durationMs, success, exitCode, error } = execution;
  const words = telemetry.logPrompts ? execution : undefined;
  telemetry.log('gemini_cli.hook_call', `Hook ${hookName} for ${hookEventName}. Success: ${success}.`, {
    hook_event_name: hookEventName,
    hook_type: hookType,
    hook_name: hookName,
    duration_ms: durationMs,
    success,
    exit_code: exitCode,
    hook_input: words?.input,
    hook_output: words?.output,
    stdout: words?.stdout,
    stderr: words?.stderr,
    error,
  });
  telemetry.metrics.count(METRICS.hooks, { hook_event_name: hookEventName, hook_name: hookName, success });
  telemetry.metrics.record(METRICS.hookLatency, { hook_event_name: hookEventName, hook_name: hookName }, durationMs);
}
