/** Measures the start of the program, for telemetry. Loaded only with telemetry on. */

import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { TelemetryPort } from '@castor/core';

let hasTold = false;

/** Called when everything is open; reports once per process. */
export function tellStart(telemetry: TelemetryPort, telemetryOpenedMs: number): void {
  if (hasTold) return;
  hasTold = true;
  const node = performance.nodeTiming.bootstrapComplete;
  const now = performance.now();
  telemetry.note({
    kind: 'started',
    phases: [
      { name: 'cli_startup', startMs: 0, endMs: now },
      { name: 'node_startup', startMs: 0, endMs: node },
      { name: 'load_settings', startMs: node, endMs: telemetryOpenedMs },
      { name: 'open_agent', startMs: telemetryOpenedMs, endMs: now },
    ],
    platform: process.platform,
    release: release(),
    isContainer: existsSync('/.dockerenv'),
  });
}
