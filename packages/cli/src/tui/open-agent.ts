/** An agent in a session of its own, as this surface needs it. The heavy half of agent-link.ts. */

import { tmpdir } from 'node:os';
import { createReportError, createWorkspaceAgent, openSession } from '@castor/core';
import { createEditProposal } from '@castor/core/program';
import { toAgentOptions } from '../start/agent-options.ts';
import { openDebugLog } from '../start/debug-log.ts';
import { editorCommand } from '../editor-command.ts';
import { openGenerator } from '../generators/open-generator.ts';
import type { Start } from '../start/start.ts';
import { openTelemetryFor, tellStart } from '../start/telemetry.ts';
import type { AgentLinkOptions, OpenedAgent, SessionWish } from './agent-link.ts';

declare const CASTOR_VERSION: string;

type EditProposal = ReturnType<typeof createEditProposal>;

/** Throws SessionError, PolicyFileError and their like, for people to read. */
export async function openAgent(
  start: Start,
  { goesOn, ...wish }: SessionWish,
  { onWarning, onInfo, suspend }: Omit<AgentLinkOptions, 'onOpened' | 'onEvent'>,
): Promise<OpenedAgent> {
  const { home, cwd } = start;
  // Every request would fill the screen: what failed is shown.
  openDebugLog(start, ['warn', 'error'], onInfo);
  const [generator, session] = await Promise.all([
    openGenerator(start),
    openSession({ home, root: cwd, ...wish, resendHint: 'up recalls it', onProblem: onWarning }),
  ]);
  const { sessionId } = session;
  // Before there is an agent: what is sent again is no history.
  const interrupted = goesOn ? session.takeInterrupted() : undefined;
  if (goesOn && !interrupted) onInfo('The session has no interrupted prompt.');
  const telemetry = await openTelemetryFor(start, {
    sessionId,
    version: CASTOR_VERSION,
    interactive: true,
    onProblem: onWarning,
  });
  const agent = await createWorkspaceAgent({
    ...toAgentOptions(start),
    telemetry,
    generator,
    sessionId,
    session,
    interactive: true,
    editProposal: createSuspendedEdit(start, suspend),
    reportError: createReportError({ onWritten: (path) => onWarning(`details of the error: ${path}`) }),
  });
  if (telemetry) await tellStart(telemetry);
  const { dispose } = agent;
  agent.dispose = async () => {
    await dispose();
    await telemetry?.shutdown();
  };
  return { agent, session, interrupted };
}

/** The editor gets the terminal while it runs. */
function createSuspendedEdit({ environment, settings }: Start, suspend: AgentLinkOptions['suspend']): EditProposal {
  const editor = editorCommand(settings.general, environment);
  const edit = createEditProposal({ editor, environment, tempDirectory: tmpdir(), stdio: 'inherit' });
  return async (proposal, signal) => {
    let edited: string | undefined;
    await suspend(async () => {
      edited = await edit(proposal, signal);
    });
    return edited;
  };
}
