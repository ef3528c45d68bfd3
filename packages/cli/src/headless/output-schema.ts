/** `--output-schema`: reads the schema, and finds the structured answer of a run. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AnswerSchemaError, createAnswerFormat, GeminiEventType, getErrorMessage, parseAnswer } from '@castor/core';
import { parseJsonText, SettingsError } from '@castor/core/program';
import type { AgentEvent, AnswerFormat } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { RunSummary } from './run-summary.ts';
import type { HeadlessWriter, RunEnd } from './writer.ts';

/** Throws an ExitError that names the file and what is wrong in it. */
export function readOutputSchema(given: string, cwd: string): AnswerFormat {
  const path = resolve(cwd, given);
  try {
    return createAnswerFormat(parseJsonText(path, readFileSync(path, 'utf8')));
  } catch (error) {
    const isNamed = error instanceof SettingsError;
    const message = isNamed ? error.message : `${path}: ${getErrorMessage(error)}`;
    if (!isNamed && !(error instanceof AnswerSchemaError) && !isFileError(error)) throw error;
    throw new ExitError(ExitCode.Input, `--output-schema: ${message}`, { cause: error });
  }
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** Nothing where the run failed, or a hook answered instead of the model. */
export function noteStructured(summary: RunSummary): void {
  if (summary.error) return;
  try {
    summary.structured = parseAnswer(summary.response);
  } catch {
    summary.structured = undefined;
  }
}

/** As text: stdout holds the structured answer in one line, and nothing else. */
export class StructuredWriter implements HeadlessWriter {
  private readonly inner: HeadlessWriter;
  private readonly output: Output;

  constructor(inner: HeadlessWriter, output: Output) {
    this.inner = inner;
    this.output = output;
  }

  write(event: AgentEvent): Promise<void> | undefined {
    const isWords = event.type === GeminiEventType.Content || event.type === GeminiEventType.Finished;
    return isWords ? undefined : this.inner.write(event);
  }

  async end(end: RunEnd): Promise<void> {
    const { structured, response, error } = end.summary;
    if (structured !== undefined) await this.output.answer(`${JSON.stringify(structured)}\n`);
    else if (!error && response !== '') await this.output.answer(`${response}\n`);
    await this.inner.end(end);
  }
}
