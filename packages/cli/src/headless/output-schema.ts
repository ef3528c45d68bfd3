/** `--output-schema`: reads the schema, and finds the structured answer of a run. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AnswerSchemaError, createAnswerFormat, GeminiEventType, getErrorMessage, parseAnswer } from '@castor/core';
import { lineOf, parseJsonText, SettingsError } from '@castor/core/program';
import type { AgentEvent, AnswerFormat } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { RunSummary } from './run-summary.ts';
import type { HeadlessWriter, RunEnd } from './writer.ts';

/** Throws an ExitError with one sentence: the file, the place and what is wrong there. */
export function readOutputSchema(given: string, cwd: string): AnswerFormat {
  const path = resolve(cwd, given);
  let source = '';
  try {
    source = readFileSync(path, 'utf8');
    const schema = parseJsonText(path, source, 'schema');
    if (Object.keys(schema).length === 0 && !source.includes('{'))
      throw new AnswerSchemaError('the file is empty: write a JSON schema, for example {"type": "object"}.');
    return createAnswerFormat(schema);
  } catch (error) {
    throw new ExitError(ExitCode.Input, `--output-schema: ${describeProblem(error, path, source)}`, { cause: error });
  }
}

function describeProblem(error: unknown, path: string, source: string): string {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof AnswerSchemaError) {
    const line = error.place.length === 0 ? '' : `:${lineOf(path, source, error.place)}`;
    return `${path}${line}: ${error.message}`;
  }
  if (!(error instanceof Error) || !('syscall' in error)) throw error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `${path} does not exist.`;
  return code === 'EISDIR' ? `${path} is a folder, not a file.` : `${path}: ${getErrorMessage(error)}`;
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
