/** The agent a headless run talks to, from what the start decided. */

import {
  BudgetError,
  createReportError,
  createWorkspaceAgent,
  ModelConfigError,
  PolicyFileError,
  SystemPromptError,
  TelemetrySettingsError,
} from '@castor/core';
import type { OpenedSession, TelemetryPort, WorkspaceAgent } from '@castor/core';
import { toAgentOptions } from '../start/agent-options.ts';
import { openDebugLog } from '../start/debug-log.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { openGenerator } from '../generators/open-generator.ts';
import type { Output } from '../output.ts';
import type { Start } from '../start/start.ts';
import { openTelemetryFor, tellStart } from '../start/telemetry.ts';

export interface OpenAgentOptions {
  start: Start;
  session: OpenedSession;
  /** Whether a user or a program can answer questions. */
  interactive: boolean;
  output: Output;
  /** Ends what the opening waits for. */
  signal: AbortSignal;
}

export interface OpenedAgent {
  agent: WorkspaceAgent;
  /** Where reports on errors went, as they are written. */
  reports: readonly string[];
  /** Absent when nothing is reported. */
  telemetry: TelemetryPort | undefined;
}

declare const CASTOR_VERSION: string;

/** What is thrown for something a person wrote down and cannot have. */
const SETTINGS_ERRORS = [PolicyFileError, BudgetError, ModelConfigError, SystemPromptError, TelemetrySettingsError];

const YOLO_WARNING = 'YOLO mode is enabled. All tool calls will be automatically approved.';

/** Throws an ExitError for policies, prompts and limits that would not be in force. */
export async function openAgent(options: OpenAgentOptions): Promise<OpenedAgent> {
  const { start, session, interactive, output, signal } = options;
  const reports: string[] = [];
  if (start.approval.mode === 'yolo') output.note(YOLO_WARNING);
  openDebugLog(start, ['debug', 'log', 'warn', 'error'], (line) => output.note(`castor: ${line}`));
  const onProblem = (message: string) => output.note(`castor: warning: ${message}`);
  try {
    const telemetry = await openTelemetryFor(start, {
      sessionId: session.sessionId,
      version: CASTOR_VERSION,
      interactive,
      onProblem,
    });
    const agent = await createWorkspaceAgent({
      ...toAgentOptions(start),
      telemetry,
      generator: await openGenerator(start),
      session,
      sessionId: session.sessionId,
      // A run of one prompt is that prompt; in a conversation each begins anew, for hooks, loops and the model.
      ...(!interactive && { prompt_id: session.sessionId }),
      interactive,
      signal,
      reportError: createReportError({ onWritten: (path) => void reports.push(path) }),
    });
    if (telemetry) await tellStart(telemetry);
    return { agent, reports, telemetry };
  } catch (error) {
    if (!(error instanceof Error) || !SETTINGS_ERRORS.some((type) => error instanceof type)) throw error;
    throw new ExitError(ExitCode.Settings, error.message, { cause: error });
  }
}
