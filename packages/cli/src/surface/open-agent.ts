/**
 * openAgent: opens the agent of any surface with its session, telemetry and provider, from what the start decided.
 * Errors caused by a file, a setting or a flag become an ExitError with a sentence.
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
import { actingFor, AuditError, SandboxError } from '@castor/core/program';
import type { OpenedSession, WorkspaceAgentOptions } from '@castor/core';
import type { RunTape } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { openGenerator } from '../generators/open-generator.ts';
import { toAgentOptions } from '../start/agent-options.ts';
import { AIRGAP_NEEDS_SANDBOX, isAirgapped } from '../start/airgap.ts';
import { openAuditFor } from '../start/audit.ts';
import { NO_SANDBOX_HINT } from '../start/sandbox.ts';
import { openDebugLog } from '../start/debug-log.ts';
import type { Start } from '../start/start.ts';
import { RESEND_HINT } from '../start/user-hints.ts';
import { openTelemetryFor, tellStart } from '../start/telemetry.ts';
import type { OpenedAgent } from './session-lifecycle.ts';
import type { SessionWish } from './session-wish.ts';

type McpOptions = NonNullable<WorkspaceAgentOptions['mcp']>;

export interface OpenAgentOptions {
  readonly start: Start;
  readonly wish: SessionWish;
  /** Whether the surface can answer questions. */
  readonly interactive: boolean;
  /** How the user resends an interrupted prompt, see OpenSessionOptions. */
  readonly resendHint?: string;
  /** What helps a user of this surface. Default: the flags and subcommands of the command line. */
  readonly hints?: WorkspaceAgentOptions['hints'];
  /** Lets the user edit a proposed change. */
  readonly editProposal?: WorkspaceAgentOptions['editProposal'];
  /** How the surface serves MCP servers: asks the user for them, shows the wait for them. */
  readonly servers?: Pick<McpOptions, 'ask' | 'showsWait'>;
  /** Servers of the surface itself, which precede those of the settings; by name, as in settings.json. */
  readonly ownServers?: Readonly<Record<string, unknown>>;
  /** What an editor around the terminal shows. */
  readonly ideState?: WorkspaceAgentOptions['ideState'];
  /** Which completed calls end a prompt; see AgentOptions. */
  readonly endAfter?: WorkspaceAgentOptions['endAfter'];
  /** What an editor does for the agent. */
  readonly editor?: WorkspaceAgentOptions['editor'];
  /** The format of the answers. */
  readonly answerFormat?: WorkspaceAgentOptions['answerFormat'];
  /** Records or replays the run. */
  readonly tape?: AgentTape | undefined;
  /** Aborts the opening. */
  readonly signal?: AbortSignal;
  /** What a debugged session shows, and where. */
  readonly debugLog: { readonly levels: Parameters<typeof openDebugLog>[1]; readonly write: (line: string) => void };
  readonly onWarning: (message: string) => void;
  /** Called with the path of every error report, when it is written. */
  readonly onReport: (path: string) => void;
  /** Called with the contents of the session, before the agent exists. */
  readonly onSession?: (session: OpenedSession) => void;
  /** `--continue` was given and the session has no interrupted prompt; throws where nothing else is to do. */
  readonly onNothingLeft: () => void;
}

/** The parts of a tape that an agent works with. */
export interface AgentTape extends Pick<RunTape, 'clock' | 'isReplay' | 'wrapGenerator' | 'opening' | 'addSecrets'> {
  readonly tapeTools: NonNullable<WorkspaceAgentOptions['tapeTools']>;
}

declare const CASTOR_VERSION: string;

/** Thrown for something the user configured that would not be in force. */
const SETTINGS_ERRORS = [
  ...[PolicyFileError, BudgetError, ModelConfigError, SystemPromptError, TelemetrySettingsError],
  AuditError,
];

/** Throws an ExitError for a session that cannot be opened, and for policies, prompts and limits that would not apply. */
export async function openAgent(options: OpenAgentOptions): Promise<OpenedAgent> {
  const { start, debugLog } = options;
  openDebugLog(start, debugLog.levels, debugLog.write);
  if (start.args.allowedMcpServerNames) {
    const { checkServerNames } = await import('../start/server-names.ts');
    for (const warning of checkServerNames(start)) options.onWarning(warning);
  }
  const session = await openSessionFor(options);
  try {
    options.onSession?.(session);
    // Before the agent exists: the resent prompt is not part of the history.
    const interrupted = options.wish.goesOn ? session.takeInterrupted() : undefined;
    if (options.wish.goesOn && !interrupted) options.onNothingLeft();
    return { ...(await createAgentFor(session, options)), session, interrupted };
  } catch (error) {
    session.recorder.close();
    if (error instanceof SandboxError)
      throw new ExitError(
        ExitCode.Sandbox,
        `${error.message} ${isAirgapped(start) ? AIRGAP_NEEDS_SANDBOX : NO_SANDBOX_HINT}`,
        { cause: error },
      );
    if (!(error instanceof Error) || !SETTINGS_ERRORS.some((type) => error instanceof type)) throw error;
    throw new ExitError(ExitCode.Settings, await describe(error), { cause: error });
  }
}

async function openSessionFor({
  start,
  wish,
  tape,
  resendHint = RESEND_HINT,
  onWarning,
}: OpenAgentOptions): Promise<OpenedSession> {
  const { goesOn: _, ...wanted } = wish;
  try {
    return await openSession({
      home: start.home,
      root: start.cwd,
      ...wanted,
      resendHint,
      onProblem: onWarning,
      ...(tape && { clock: tape.clock }),
    });
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    const said = await describe(error);
    const message = wish.resume === undefined ? said : `Error resuming session: ${said}`;
    throw new ExitError(ExitCode.Input, message, { cause: error });
  }
}

async function describe(error: unknown): Promise<string> {
  const { describeWithHint } = await import('../start/describe-with-hint.ts');
  return describeWithHint(error);
}

async function createAgentFor(
  session: OpenedSession,
  options: OpenAgentOptions,
): Promise<Pick<OpenedAgent, 'agent' | 'prepareModel'>> {
  const { start, interactive, editProposal, answerFormat, editor, endAfter, servers, signal, onWarning, onReport } =
    options;
  const { tape } = options;
  const chosen = toAgentOptions(start);
  const { sessionId } = session;
  // Before anything connects.
  const audit = await openAuditFor(start, onWarning);
  const [telemetry, { generator, model, secrets, prepareModel }, values] = await Promise.all([
    openTelemetryFor(start, { sessionId, version: CASTOR_VERSION, interactive, onProblem: onWarning }),
    openGenerator(start, onWarning),
    start.extensions?.readValues({ ...start, onProblem: onWarning }),
  ]);
  tape?.addSecrets(secrets);
  const open = (given: WorkspaceAgentOptions) => actingFor({ session: sessionId }, () => createWorkspaceAgent(given));
  const agent = await open({
    ...chosen,
    audit,
    mcp: { ...withOwnServers(chosen.mcp, options), ...servers },
    model,
    secrets,
    ...values,
    telemetry,
    ...(options.hints && { hints: options.hints }),
    ...(editProposal && { editProposal }),
    ...(answerFormat && { answerFormat }),
    ...(signal && { signal }),
    editor,
    ...(options.ideState && { ideState: options.ideState }),
    ...(endAfter && { endAfter }),
    ...(tape && {
      clock: tape.clock,
      tapeTools: tape.tapeTools,
      // A replay has one folder, whatever a recording says.
      ...(tape.isReplay && { undo: 'off' as const, includeDirectories: [] }),
      onOpeningFile: (path: string) => tape.opening(path),
    }),
    // A model without a network has no requests that a tape could see.
    generator: tape && start.choice.access.kind === 'offline' ? tape.wrapGenerator(generator) : generator,
    session,
    sessionId,
    // A session of one prompt is that prompt; in a conversation each has its own id, for hooks, loops and /rewind.
    ...(!interactive && session.promptCount === 0 && { prompt_id: sessionId }),
    interactive,
    reportError: createReportError({ onWritten: onReport }),
  });
  if (telemetry) await tellStart(telemetry);
  return { agent, prepareModel };
}

/** The last layer is the strongest. */
function withOwnServers(mcp: McpOptions, { ownServers = {} }: OpenAgentOptions): McpOptions {
  if (Object.keys(ownServers).length === 0) return mcp;
  const own = { source: 'user', servers: ownServers, written: {} } as const;
  return { ...mcp, layers: [...mcp.layers, own], reloadLayers: () => [...(mcp.reloadLayers?.() ?? mcp.layers), own] };
}
