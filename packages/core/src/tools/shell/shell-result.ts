/** Formats the outcome of a command line for the model and the user. Loaded by the first command. */

import type { PartListUnion } from '../../protocol/content.ts';
import type { ToolResult } from '../../protocol/tools.ts';
import { isProgramStopped } from '../../util/program-stop.ts';
import { toParts } from '../../util/part-list.ts';
import { countOf } from '../../util/short-text.ts';
import { wrapUntrusted } from '../tool-output.ts';
import { describeTooMuchOutput } from './output-limit.ts';
import { headAndTail } from './output-ring.ts';
import type { ShellOutcome } from './shell-outcome.ts';
import type { ShellRunner } from './shell-runner.ts';

/** How much of one output is shown to the user; the model gets more. */
const DISPLAY_LIMIT = 100_000;

/** Describes how a command in the foreground ended. */
export function toResult(
  outcome: ShellOutcome,
  limits: Pick<ShellRunner, 'inactivityTimeoutMs' | 'maxOutputBytes'>,
  signal: AbortSignal,
): ToolResult {
  const { ending, output, pid } = outcome;
  switch (ending) {
    case 'exited':
      return outcome.error ? failedToStart(outcome.error) : exited(outcome);
    case 'cancelled':
      return cancelled(output, signal);
    case 'timed_out': {
      const seconds = limits.inactivityTimeoutMs / 1000;
      const limit = seconds < 60 ? countOf(seconds, 'second') : `${(seconds / 60).toFixed(1)} minutes`;
      return stopped(
        `Command was automatically cancelled because it exceeded the timeout of ${limit} without output.`,
        output,
      );
    }
    case 'waiting_for_input':
      return stopped(
        `Command was cancelled because it waits for input${outcome.waitingAt ? ` at "${outcome.waitingAt}"` : ''} and this run cannot answer. Run it again with the answer in a flag, an argument or a file.`,
        output,
      );
    case 'too_much_output': {
      const why = describeTooMuchOutput(outcome.printedBytes ?? 0, limits.maxOutputBytes);
      return stopped(
        `Command was stopped because ${why}. Let it print less, for example with \`| head -n 100\`, or redirect its output to a file.`,
        output,
      );
    }
    case 'moved_to_background':
      return moved(`Command moved to background (PID: ${pid}). Output hidden. Press Ctrl+B to view.`, pid);
    case 'serving':
      return {
        ...moved(`Command is running in background. PID: ${pid}.`, pid),
        llmContent: wrapOutput(
          `Command is a running server; it continues in the background. PID: ${pid}. Initial output:\n`,
          output,
        ),
      };
  }
}

/** The result with a note after what the command printed. */
export function withNote(result: ToolResult, note: string | undefined): ToolResult {
  if (note === undefined) return result;
  const { llmContent } = result;
  const text = `\nNote: ${note}`;
  return {
    ...result,
    llmContent: typeof llmContent === 'string' ? `${llmContent}${text}` : [...toParts(llmContent), { text }],
  };
}

export function exited(outcome: ShellOutcome): ToolResult {
  const { output, exitCode, signal, pid, backgroundPids, waitingAt } = outcome;
  const lines: string[] = [];
  if (exitCode !== null && exitCode !== 0) lines.push(`Exit Code: ${exitCode}`);
  if (signal !== null) lines.push(`Signal: ${signal}`);
  if (backgroundPids.length > 0) lines.push(`Background PIDs: ${backgroundPids.join(', ')}`);
  if (waitingAt) lines.push(`Note: its last line looks like an unanswered question.`);
  if (pid !== undefined) lines.push(`Process Group PGID: ${pid}`);
  return {
    llmContent: wrapOutput('Output: ', output.trimEnd() || '(empty)', lines.map((line) => `\n${line}`).join('')),
    returnDisplay: output.trim() === '' ? describeSilentEnd(outcome) : headAndTail(output, DISPLAY_LIMIT),
    data: { exitCode, isError: exitCode !== 0, ...(signal !== null && { signal }), ...(pid !== undefined && { pid }) },
  };
}

function describeSilentEnd({ exitCode, signal }: ShellOutcome): string {
  if (signal !== null) return `Command terminated by signal: ${signal}`;
  return exitCode === 0 ? '' : `Command exited with code: ${exitCode}`;
}

export function cancelled(output: string, signal: AbortSignal): ToolResult {
  const by = isProgramStopped(signal) ? 'stopped together with the program' : 'cancelled by user';
  return stopped(`Command was ${by} before it could complete.`, output);
}

function stopped(sentence: string, output: string): ToolResult {
  const isEmpty = output.trim() === '';
  return {
    llmContent: isEmpty
      ? `${sentence} There was no output before it was cancelled.`
      : wrapOutput(`${sentence} Below is the output before it was cancelled:\n`, output),
    returnDisplay: isEmpty
      ? sentence
      : `${sentence}\n\nOutput before cancellation:\n${headAndTail(output, DISPLAY_LIMIT)}`,
    data: { exitCode: null, isError: true },
  };
}

/** Longer output is returned in pieces: joined, it would be in memory twice. */
const LONG_OUTPUT = 1_000_000;

/** Like `wrapUntrusted`, without copying a long output that needs no escaping. */
function wrapOutput(before: string, output: string, after = ''): PartListUnion {
  if (/untrusted_context/i.test(output)) return wrapUntrusted(`${before}${output}${after}`);
  const [open = '', close = ''] = wrapUntrusted('\0').split('\0');
  const firstLine = output.indexOf('\n');
  if (output.length < LONG_OUTPUT || firstLine < 0) return `${open}${before}${output}${after}${close}`;
  // Parts are shown as separate lines, so the cuts are at line ends.
  const end = `${after}${close}`.slice(1);
  return [`${open}${before}${output.slice(0, firstLine)}`, output.slice(firstLine + 1), end];
}

function moved(sentence: string, pid: number | undefined): ToolResult {
  return { llmContent: sentence, returnDisplay: sentence, data: { pid } };
}

export function failedToStart(error: Error): ToolResult {
  return {
    llmContent: `Output: (empty)\nError: ${error.message}`,
    returnDisplay: `Command failed: ${error.message}`,
    error: { message: error.message, type: 'shell_execute_error' },
  };
}

/** Describes a command that was started in the background and still runs. */
export function started(pid: number, command: string, text: string): ToolResult {
  return {
    llmContent: wrapOutput(`Command is running in background. PID: ${pid}. Initial output:\n`, text),
    returnDisplay: `Command is running in background. PID: ${pid}.`,
    data: { pid, command, initialOutput: headAndTail(text, DISPLAY_LIMIT) },
  };
}
