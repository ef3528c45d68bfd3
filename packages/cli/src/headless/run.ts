/**
 * One prompt without a screen: the session's events to a writer, and an exit code.
 * It owns the order of things and no format, no signal and no exit.
 */

import {
  createReportError,
  createSessionId,
  createWorkspaceAgent,
  PolicyFileError,
  UnauthorizedError,
} from '@castor/core';
import type { Approval } from '../approval.ts';
import type { ModelChoice } from '../credentials.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { openGenerator } from '../generators/open-generator.ts';
import type { Output } from '../output.ts';
import { RunSummary } from './run-summary.ts';
import { decideTrust } from '../trust.ts';
import { TextWriter } from './text-writer.ts';
import type { HeadlessWriter, OutputFormat } from './writer.ts';

export interface HeadlessOptions {
  prompt: string;
  format: OutputFormat;
  choice: ModelChoice;
  approval: Approval;
  output: Output;
  /** Ends the run at once; what the exit code then is, is the caller's to know. */
  signal: AbortSignal;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** `--skip-trust`. */
  skipTrust: boolean;
}

const YOLO_WARNING = 'YOLO mode is enabled. All tool calls will be automatically approved.';

/** Throws an ExitError when there is nothing to run with. */
export async function runHeadless(options: HeadlessOptions): Promise<ExitCode> {
  const { prompt, choice, output, signal } = options;
  const startedAt = Date.now();
  const reports: string[] = [];
  const sessionId = createSessionId();
  const summary = new RunSummary();
  const writer = await openWriter(options, sessionId);
  const agent = await openAgent(options).catch((error: unknown) => {
    if (!(error instanceof PolicyFileError)) throw error;
    throw new ExitError(ExitCode.Settings, error.message, { cause: error });
  });
  try {
    await writer.begin?.(prompt);
    for await (const event of agent.session.prompt([{ text: prompt }], signal)) {
      summary.add(event);
      const written = writer.write(event);
      if (written) await written;
    }
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const message = `the credentials were refused: ${error.message}`;
    if (options.format === 'text') output.note(`castor: ${message}`);
    summary.fail({ type: 'FatalAuthenticationError', message, code: ExitCode.Unauthorized });
  } finally {
    await agent.dispose();
    await writer.end({
      summary,
      metrics: agent.ledger.metrics(),
      durationMs: Date.now() - startedAt,
    });
  }
  for (const path of reports) output.note(`castor: what led to the error is in ${path}`);
  return summary.exitCode;

  async function openAgent({ approval, cwd, home, environment, skipTrust }: HeadlessOptions) {
    const trustedFolder = decideTrust({ folder: cwd, home, environment, skipTrust });
    if (approval.mode === 'yolo') output.note(YOLO_WARNING);
    const { access } = choice;
    return createWorkspaceAgent({
      generator: await openGenerator(choice, cwd),
      model: choice.model,
      root: cwd,
      home,
      environment,
      trustedFolder,
      secrets: access.kind === 'gemini' && access.apiKey !== undefined ? [access.apiKey] : [],
      sessionId,
      prompt_id: sessionId,
      recordSession: true,
      approvalMode: approval.mode,
      rules: { ...(approval.allowedTools && { allowed: approval.allowedTools }) },
      reportError: createReportError({ onWritten: (path) => void reports.push(path) }),
      onWarning: (message) => output.note(`castor: warning: ${message}`),
      ...(approval.policyPaths && { policyPaths: approval.policyPaths }),
      ...(approval.adminPolicyPaths && { adminPolicyPaths: approval.adminPolicyPaths }),
      ...(approval.includeDirectories && { includeDirectories: approval.includeDirectories }),
    });
  }
}

async function openWriter({ format, output, choice }: HeadlessOptions, sessionId: string): Promise<HeadlessWriter> {
  if (format === 'text') return new TextWriter(output);
  if (format === 'json') return new (await import('./json-writer.ts')).JsonWriter(output, sessionId);
  const { StreamJsonWriter } = await import('./stream-json-writer.ts');
  return new StreamJsonWriter(output, { sessionId, model: choice.model });
}
