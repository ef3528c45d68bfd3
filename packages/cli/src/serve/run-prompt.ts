/**
 * runPrompt: one call of a client as one prompt of a session: opens the agent, reports its steps, asks what it asks,
 * and returns the result. The session is on disk when it returns, and nothing of it still runs.
 */

import { GeminiEventType, getErrorMessage, UnauthorizedError } from '@castor/core';
import { describeRequestFailure } from '@castor/core/program';
import type { AgentEvent } from '@castor/core';
import { ExitError } from '../exit-codes.ts';
import { PromptRunner } from '../headless/prompt-runner.ts';
import { RunSummary } from '../headless/run-summary.ts';
import type { Output } from '../output.ts';
import { toHarmlessText } from '../prompt/prompt-signs.ts';
import { prepareStart } from '../start/start.ts';
import type { Start } from '../start/start.ts';
import { Conversation } from '../surface/conversation.ts';
import { openAgent } from '../surface/open-agent.ts';
import { LiveSession } from '../surface/session-lifecycle.ts';
import { occasionOf } from '../surface/session-wish.ts';
import type { CallContext } from './client-session.ts';
import type { RpcMessage } from './json-rpc.ts';
import { ProgressWriter } from './progress-writer.ts';
import { fallbackIntent, fallbackQuestion, questionOf, responseTo } from './questions.ts';
import type { PromptCall } from './tools.ts';

export interface RunPromptOptions {
  readonly start: Start;
  readonly output: Output;
}

/** Resolves to the result of a tool; it rejects only for a bug. */
export async function runPrompt(
  call: PromptCall,
  context: CallContext,
  options: RunPromptOptions,
): Promise<RpcMessage> {
  try {
    return await run(call, context, options);
  } catch (error) {
    if (error instanceof ExitError) return failureOf(error.message);
    if (error instanceof UnauthorizedError)
      return failureOf(`The service rejected the credentials: ${describeRequestFailure(error)}`);
    throw error;
  }
}

async function run(
  { prompt, sessionId, model }: PromptCall,
  context: CallContext,
  { start: common, output }: RunPromptOptions,
): Promise<RpcMessage> {
  const { signal, ask } = context;
  const startedAt = Date.now();
  // The choice of a model is a decision of the start.
  const start =
    model === undefined ? common : prepareStart({ ...common, args: { ...common.args, model }, isAttended: false });
  const wish = sessionId === undefined ? {} : { resume: sessionId };
  const opened = await openAgent({
    start,
    wish,
    interactive: ask !== undefined,
    signal,
    onWarning: (message) => output.note(`castor: warning: ${message}`),
    debugLog: { levels: ['debug', 'log', 'warn', 'error'], write: (line) => output.note(`castor: ${line}`) },
    onReport: (path) => output.note(`castor: details of the error: ${path}`),
    onNothingLeft: () => undefined,
  });
  const live = new LiveSession(opened);
  const summary = new RunSummary();
  const writer = new ProgressWriter(context.progress);
  const runner = new PromptRunner({ start, live, writer, summary, output, startedAt });
  live.follow((event) => void runner.show(event));
  try {
    await live.begin(occasionOf(wish), signal);
    const ports = runner.ports(signal);
    const text = toHarmlessText(prompt);
    const conversation = new Conversation({
      ...ports,
      // The words of a program, often of a model: no sign in them is a command of the user.
      read: async () => ({ parts: [{ text }], text }),
      show(event) {
        void answer(event, live, context);
        return ports.show(event);
      },
    });
    conversation.enqueue({ text });
    await conversation.settled();
  } finally {
    await live.end({ reason: 'exit', hurry: signal }).catch((error: unknown) => {
      output.note(`castor: warning: some processes could not be ended: ${getErrorMessage(error)}`);
    });
  }
  return resultOf(live, summary);
}

/** Passes a question of the session to the client, and the client's answer back. */
async function answer(event: AgentEvent, { agent }: LiveSession, { ask }: CallContext): Promise<void> {
  const { session } = agent;
  try {
    if (event.type === GeminiEventType.ToolCallConfirmation) {
      const { request, details } = event.value;
      const { outcome, payload } = responseTo(
        details,
        await ask?.(questionOf(details, event.parentCallId !== undefined)),
      );
      session.respond(request.callId, outcome, payload, event);
    } else if (event.type === GeminiEventType.FallbackRequested) {
      const { requestId, message, fallbackModel } = event;
      session.answerFallback(requestId, fallbackIntent(await ask?.(fallbackQuestion(message, fallbackModel))), event);
    }
  } catch {
    // The question was settled in the meantime, by an abort for example.
  }
}

function resultOf({ agent, session }: LiveSession, { response, error, warnings }: RunSummary): RpcMessage {
  const structuredContent = {
    session_id: session.sessionId,
    status: error ? 'error' : 'success',
    response,
    ...(error && { error }),
    ...(warnings.length > 0 && { warnings }),
    stats: agent.ledger.metrics(),
  };
  const text = error ? [response, error.message].filter((part) => part !== '').join('\n\n') : response;
  return {
    // The model of many a client reads the text only, and needs the id to continue.
    content: [
      { type: 'text', text },
      { type: 'text', text: `session_id: ${session.sessionId}` },
    ],
    structuredContent,
    isError: error !== undefined,
  };
}

/** A call that reached no session. The model of the client reads it. */
function failureOf(message: string): RpcMessage {
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
  };
}
