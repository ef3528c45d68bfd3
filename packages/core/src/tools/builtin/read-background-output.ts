/**
 * read_background_output: reads the end of a background process's log, only for processes
 * this session started, and never through a link.
 */

import { getErrorMessage, ToolError } from '../../protocol/errors.ts';
import type { DefinedTool } from '../../protocol/tools.ts';
import { systemClock } from '../../util/clock.ts';
import type { Clock } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';
import type { BackgroundProcesses } from '../shell/background.ts';

const DESCRIPTION = 'Reads the last lines a background process wrote.';

const DEFAULT_LINES = 100;
const LONGEST_DELAY_MS = 60_000;

export interface ReadBackgroundOutputDependencies {
  background: BackgroundProcesses;
  clock?: Clock;
}

export function createReadBackgroundOutputTool(dependencies: ReadBackgroundOutputDependencies): DefinedTool {
  const { background, clock = systemClock } = dependencies;
  return defineTool({
    name: 'read_background_output',
    displayName: 'Read Background Output',
    kind: 'read',
    description: DESCRIPTION,
    isOutputMarkdown: false,
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        pid: { type: 'integer', description: 'PID as run_shell_command gave it.' },
        lines: { type: 'integer', minimum: 1, description: 'How many lines. Default 100.' },
        delay_ms: { type: 'integer', minimum: 0, description: 'Wait before reading.' },
      },
      required: ['pid'],
    },
    describe: ({ pid }) => `Read output of background process ${pid}`,
    async execute({ pid, lines = DEFAULT_LINES, delay_ms = 0 }, { signal }) {
      if (background.get(pid) === undefined) {
        throw new ToolError(
          `Access denied. PID ${pid} is not a background process of this session.`,
          'execution_failed',
        );
      }
      if (delay_ms > 0) await clock.sleep(Math.min(delay_ms, LONGEST_DELAY_MS), signal);
      const text = await readLastLines(background, pid, lines);
      return { llmContent: text, returnDisplay: text };
    },
  });
}

async function readLastLines(background: BackgroundProcesses, pid: number, count: number): Promise<string> {
  let log: Awaited<ReturnType<BackgroundProcesses['readLogTail']>>;
  try {
    log = await background.readLogTail(pid);
  } catch (error) {
    throw toLogError(error, pid);
  }
  if (log.text === '') return 'Log is empty.';
  const lines = log.text.replace(/\n$/, '').split('\n');
  const shown = lines.slice(-count);
  const total = log.isWhole ? String(lines.length) : `more than ${lines.length}`;
  const head = shown.length < lines.length || !log.isWhole ? `Showing last ${shown.length} of ${total} lines:\n` : '';
  const { wrapUntrusted } = await import('../tool-output.ts');
  return head + wrapUntrusted(shown.join('\n'));
}

function toLogError(error: unknown, pid: number): ToolError {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return new ToolError(`No output log found for PID ${pid}.`, 'file_not_found', { cause: error });
    case 'ELOOP':
      return new ToolError('Symbolic link detected at the log of the process. Access is denied.', 'permission_denied', {
        cause: error,
      });
    default:
      return new ToolError(`Error reading background log: ${getErrorMessage(error)}`, 'read_content_failure', {
        cause: error,
      });
  }
}
