/**
 * One prompt without a screen: the session's events to a writer, and an exit code.
 * It owns the order of things and no format, no signal and no exit.
 */

import { createReportError, createSessionId, createWorkspaceAgent, UnauthorizedError } from '@castor/core';
import type { AgentEvent } from '@castor/core';
import type { Approval } from '../approval.ts';
import type { ModelChoice } from '../credentials.ts';
import { ExitCode } from '../exit-codes.ts';
import { openGenerator } from '../generators/open-generator.ts';
import type { Output } from '../output.ts';
import { TextWriter } from './text-writer.ts';

export interface HeadlessOptions {
  prompt: string;
  choice: ModelChoice;
  approval: Approval;
  output: Output;
  /** Ends the run at once; what the exit code then is, is the caller's to know. */
  signal: AbortSignal;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

const YOLO_WARNING = 'YOLO mode is enabled. All tool calls will be automatically approved.';

/** Throws an ExitError when there is nothing to run with. */
export async function runHeadless(options: HeadlessOptions): Promise<ExitCode> {
  const { prompt, choice, output, signal } = options;
  const reports: string[] = [];
  const agent = await openAgent(options);
  const writer = new TextWriter(output);
  try {
    for await (const event of agent.session.prompt([{ text: prompt }], signal)) {
      const written = writer.write(event as AgentEvent);
      if (written) await written;
    }
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    output.note(`castor: the credentials were refused: ${error.message}`);
    return ExitCode.Unauthorized;
  } finally {
    await agent.dispose();
  }
  for (const path of reports) output.note(`castor: what led to the error is in ${path}`);
  return writer.outcome ?? ExitCode.Failure;

  async function openAgent({ approval, cwd, home, environment }: HeadlessOptions) {
    if (approval.mode === 'yolo') output.note(YOLO_WARNING);
    const sessionId = createSessionId();
    const { access } = choice;
    return createWorkspaceAgent({
      generator: await openGenerator(choice, cwd),
      model: choice.model,
      root: cwd,
      home,
      environment,
      secrets: access.kind === 'gemini' && access.apiKey !== undefined ? [access.apiKey] : [],
      sessionId,
      prompt_id: sessionId,
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
