/** openAcpSession: opens the agent of a session with what the editor offers, and the surface in front of it. */

import type { WorkspaceAgentOptions } from '@castor/core';
import type { Output } from '../output.ts';
import type { Start } from '../start/start.ts';
import { openAgent } from '../surface/open-agent.ts';
import { LiveSession } from '../surface/session-lifecycle.ts';
import { occasionOf } from '../surface/session-wish.ts';
import type { SessionWish } from '../surface/session-wish.ts';
import { AcpSession } from './acp-session.ts';
import type { Client } from './client.ts';
import { EDITOR_HINTS, EDITOR_RESEND_HINT } from './editor-hints.ts';
import { createEditorPorts } from './editor-ports.ts';
import { listOtherModels } from './other-models.ts';
import { SessionQuestions } from './session-questions.ts';

export interface OpenAcpSessionOptions {
  readonly client: Client;
  readonly start: Start;
  readonly wish: SessionWish;
  /** The MCP servers of the editor. */
  readonly ownServers: Readonly<Record<string, unknown>>;
  readonly output: Output;
}

/** Throws an ExitError as `openAgent` does. */
export async function openAcpSession(options: OpenAcpSessionOptions): Promise<AcpSession> {
  const { client, start, wish, ownServers, output } = options;
  const startedAt = Date.now();
  let session: AcpSession | undefined;
  const sessionId = () => session?.id ?? '';
  const { security } = start.settings;
  const questions = new SessionQuestions({
    client,
    sessionId,
    limits: {
      allowsAlways: !security.disableAlwaysAllow,
      allowsPermanent: security.enablePermanentToolApproval,
      allowsEdits: start.trustedFolder === true,
    },
  });
  const ended = new AbortController();
  const opened = await openAgent({
    start,
    wish,
    ownServers,
    interactive: true,
    hints: EDITOR_HINTS,
    resendHint: EDITOR_RESEND_HINT,
    endAfter,
    editor: createEditorPorts({
      client,
      sessionId,
      ended: ended.signal,
      promptSignal: () => session?.promptSignal ?? ended.signal,
      inherited: process.env,
      warn: (message) => session?.updates.tell('warning', message),
      onTerminal: (callId, terminalId) => session?.updates.calls.attachTerminal(callId, terminalId),
    }),
    servers: { ask: (question, signal) => questions.answerServer(question, signal), showsWait: false },
    debugLog: { levels: ['debug', 'log', 'warn', 'error'], write: (line) => output.note(`castor: ${line}`) },
    onWarning: (message) => output.note(`castor: warning: ${message}`),
    onReport: (path) => output.note(`castor: details of the error: ${path}`),
    onNothingLeft: () => undefined,
  });
  const live = new LiveSession(opened);
  const otherModels = listOtherModels(start);
  const isNew = occasionOf(wish) !== 'resume';
  const onEnd = () => ended.abort();
  session = new AcpSession({ client, start, live, questions, startedAt, otherModels, onEnd });
  session.begin(isNew ? 'startup' : 'resume');
  return session;
}

/** A refusal does not end the prompt: the model learns of it and goes on, as in Gemini CLI. */
const endAfter: NonNullable<WorkspaceAgentOptions['endAfter']> = (completed) => {
  const stopped = completed.find(({ response }) => response.errorType === 'stop_execution');
  return stopped && { outcome: 'stopped', detail: stopped.response.error?.message ?? 'A hook stopped the agent.' };
};
