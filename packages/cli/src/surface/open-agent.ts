/**
 * openAgent: the agent of any surface with its session, telemetry and provider, from what the start decided. What can go
 * wrong because of a file, a setting or a flag becomes an ExitError with a sentence.
 */

import {
  BudgetError,
  createReportError,
  createWorkspaceAgent,
  ModelConfigError,
  openSession,
  PolicyFileError,
  SessionError,
  SystemPromptError,
  TelemetrySettingsError,
} from '@castor/core';
import type { OpenedSession, WorkspaceAgent, WorkspaceAgentOptions } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { openGenerator } from '../generators/open-generator.ts';
import { toAgentOptions } from '../start/agent-options.ts';
import { openDebugLog } from '../start/debug-log.ts';
import type { Start } from '../start/start.ts';
import { openTelemetryFor, tellStart } from '../start/telemetry.ts';
import type { OpenedAgent } from './session-lifecycle.ts';
import type { SessionWish } from './session-wish.ts';

export interface OpenAgentOptions {
  readonly start: Start;
  readonly wish: SessionWish;
  /** Whether the surface can answer questions. */
  readonly interactive: boolean;
  /** How the user sends an interrupted prompt again, see OpenSessionOptions. */
  readonly resendHint?: string;
  /** Lets the user edit a proposed change. */
  readonly editProposal?: WorkspaceAgentOptions['editProposal'];
  /** Ends what the opening waits for. */
  readonly signal?: AbortSignal;
  /** What a debugged session shows, and where. */
  readonly debugLog: { readonly levels: Parameters<typeof openDebugLog>[1]; readonly write: (line: string) => void };
  readonly onWarning: (message: string) => void;
  /** Told of every report on an error, by its path, as it is written. */
  readonly onReport: (path: string) => void;
  /** Told what the session brings along, before there is an agent. */
  readonly onSession?: (session: OpenedSession) => void;
  /** `--continue`, and the session has no prompt that was interrupted; throws where there is nothing else to do. */
  readonly onNothingLeft: () => void;
}

declare const CASTOR_VERSION: string;

/** Thrown for something the user wrote down and that would not be in force. */
const SETTINGS_ERRORS = [PolicyFileError, BudgetError, ModelConfigError, SystemPromptError, TelemetrySettingsError];

/** Throws an ExitError for a session that cannot be opened, and for policies, prompts and limits that would not apply. */
export async function openAgent(options: OpenAgentOptions): Promise<OpenedAgent> {
  const { start, debugLog } = options;
  openDebugLog(start, debugLog.levels, debugLog.write);
  const session = await openSessionFor(options);
  try {
    options.onSession?.(session);
    // Before there is an agent: what is sent again is not part of the history.
    const interrupted = options.wish.goesOn ? session.takeInterrupted() : undefined;
    if (options.wish.goesOn && !interrupted) options.onNothingLeft();
    const agent = await createAgentFor(session, options);
    return { agent, session, interrupted };
  } catch (error) {
    session.recorder.close();
    if (!(error instanceof Error) || !SETTINGS_ERRORS.some((type) => error instanceof type)) throw error;
    throw new ExitError(ExitCode.Settings, error.message, { cause: error });
  }
}

async function openSessionFor({ start, wish, resendHint, onWarning }: OpenAgentOptions): Promise<OpenedSession> {
  const { goesOn: _, ...wanted } = wish;
  try {
    const hint = resendHint !== undefined && { resendHint };
    return await openSession({ home: start.home, root: start.cwd, ...wanted, ...hint, onProblem: onWarning });
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    const message = wish.resume === undefined ? error.message : `Error resuming session: ${error.message}`;
    throw new ExitError(ExitCode.Input, message, { cause: error });
  }
}

async function createAgentFor(session: OpenedSession, options: OpenAgentOptions): Promise<WorkspaceAgent> {
  const { start, interactive, editProposal, signal, onWarning, onReport } = options;
  const { sessionId } = session;
  const [telemetry, generator] = await Promise.all([
    openTelemetryFor(start, { sessionId, version: CASTOR_VERSION, interactive, onProblem: onWarning }),
    openGenerator(start),
  ]);
  const agent = await createWorkspaceAgent({
    ...toAgentOptions(start),
    telemetry,
    ...(editProposal && { editProposal }),
    ...(signal && { signal }),
    generator,
    session,
    sessionId,
    // A run of one prompt is that prompt; in a conversation each begins anew, for hooks, loops and the model.
    ...(!interactive && { prompt_id: sessionId }),
    interactive,
    reportError: createReportError({ onWritten: onReport }),
  });
  if (telemetry) await tellStart(telemetry);
  return agent;
}
