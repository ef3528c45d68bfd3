/** ApprovalModes: tracks the session's approval mode and its start, and records every change. */

import type { Telemetry } from './telemetry.ts';

export class ApprovalModes {
  current: string | undefined;
  private readonly telemetry: Telemetry;
  private since = 0;

  constructor(telemetry: Telemetry) {
    this.telemetry = telemetry;
  }

  /** Must be called with a different mode only. */
  set(mode: string): void {
    const { current } = this;
    this.end();
    this.current = mode;
    this.since = this.telemetry.clock.now();
    if (current === undefined) return;
    this.telemetry.log('gemini_cli.plan.approval_mode_switch', `Approval mode: ${current} to ${mode}.`, {
      from_mode: current,
      to_mode: mode,
    });
  }

  /** Records the duration of the current mode. Must also be called when the session ends. */
  end(): void {
    const { current: mode } = this;
    if (mode === undefined) return;
    this.current = undefined;
    const duration_ms = this.telemetry.clock.now() - this.since;
    const attributes = { mode, duration_ms };
    this.telemetry.log('gemini_cli.plan.approval_mode_duration', `${duration_ms}ms in mode ${mode}.`, attributes);
  }
}
