/**
 * runServe: `castor mcp serve`, Castor as an MCP server over stdio or HTTP. It decides what every prompt of a client
 * may do, once, from the flags and settings of this start; a client cannot widen it.
 */

import { getErrorMessage } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { homeDirectory } from '../home-directory.ts';
import type { Output } from '../output.ts';
import type { Interruption } from '../signals.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { prepareStart } from '../start/start.ts';
import type { Start } from '../start/start.ts';
import { ClientSession } from './client-session.ts';
import type { CallContext, ClientSessionOptions } from './client-session.ts';
import { HELP, readServeWords } from './flags.ts';
import { runPrompt } from './run-prompt.ts';
import { serveStdio } from './stdio.ts';
import type { PromptCall } from './tools.ts';

declare const CASTOR_VERSION: string;

/** Each prompt is an agent of its own. */
const MAX_PROMPTS = 8;
/** Throws an ExitError when the server cannot start. */
export async function runServe(words: readonly string[], output: Output, { signal }: Interruption): Promise<ExitCode> {
  const { isHelp, isHttp, port, args } = readServeWords(words);
  if (isHelp) {
    await output.answer(HELP);
    return ExitCode.Success;
  }
  const environment = process.env;
  const where = { cwd: process.cwd(), home: homeDirectory(environment), environment };
  const installed = await findInstalledExtensions({ ...where, args });
  const start = prepareStart({ ...where, args, installed, isAttended: false });
  for (const warning of start.warnings) output.note(`castor: warning: ${warning}`);
  for (const notice of start.notices) output.note(notice);
  const prompts = new Prompts(start, output);
  const open = (send: ClientSessionOptions['send']) =>
    new ClientSession({ version: CASTOR_VERSION, send, run: (call, context) => prompts.run(call, context) });
  if (!isHttp) await serveStdio({ input: process.stdin, output, signal, open });
  else await serveUntil(signal, port, start, output, open);
  return ExitCode.Success;
}

/** The prompts that run now, for all clients. */
class Prompts {
  private readonly start: Start;
  private readonly output: Output;
  private readonly sessions = new Set<string>();
  private count = 0;

  constructor(start: Start, output: Output) {
    this.start = start;
    this.output = output;
  }

  async run(call: PromptCall, context: CallContext) {
    const { sessionId } = call;
    if (this.count >= MAX_PROMPTS) return refusal(`${MAX_PROMPTS} prompts are running. Try again when one has ended.`);
    if (sessionId !== undefined && this.sessions.has(sessionId))
      return refusal(`The session ${sessionId} is busy with another prompt. Try again when it has ended.`);
    this.count += 1;
    if (sessionId !== undefined) this.sessions.add(sessionId);
    try {
      return await runPrompt(call, context, { start: this.start, output: this.output });
    } finally {
      this.count -= 1;
      if (sessionId !== undefined) this.sessions.delete(sessionId);
    }
  }
}

function refusal(text: string) {
  return { content: [{ type: 'text', text }], isError: true };
}

async function serveUntil(
  signal: AbortSignal,
  port: number,
  { home, environment }: Start,
  output: Output,
  open: (send: ClientSessionOptions['send']) => ClientSession,
): Promise<void> {
  const [{ serveHttp }, { readToken }] = await Promise.all([import('./http.ts'), import('./token.ts')]);
  const { token, origin } = readToken(home, environment);
  const server = await serveHttp({ port, token, open }).catch((error: unknown) => {
    const fix = 'Choose another with --port, or 0 for a free one.';
    throw new ExitError(ExitCode.Failure, `port ${port} cannot be used: ${getErrorMessage(error)}. ${fix}`);
  });
  output.note(`castor: MCP server at ${server.url}; the token is ${origin}. Ctrl+C ends it.`);
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await server.close();
}
