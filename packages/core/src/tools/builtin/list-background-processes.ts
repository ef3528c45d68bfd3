/** list_background_processes: lists the commands this session moved to the background, running or not. */

import type { DefinedTool } from '../../protocol/tools.ts';
import { defineTool } from '../define-tool.ts';
import type { BackgroundProcess, BackgroundProcesses } from '../shell/background.ts';

const DESCRIPTION = 'Lists the background processes this session started, with PID, status and command.';

export function createListBackgroundProcessesTool({ background }: { background: BackgroundProcesses }): DefinedTool {
  return defineTool({
    name: 'list_background_processes',
    displayName: 'List Background Processes',
    kind: 'read',
    description: DESCRIPTION,
    isOutputMarkdown: false,
    schema: { type: 'object', additionalProperties: false, properties: {} },
    describe: () => 'List background processes',
    execute() {
      const processes = background.list();
      const text = processes.length === 0 ? 'No background processes found.' : processes.map(toLine).join('\n');
      return Promise.resolve({ llmContent: text, returnDisplay: text });
    },
  });
}

function toLine({ pid, status, command, exitCode, signal, stopped }: BackgroundProcess): string {
  const line = `- [PID ${pid}] ${status.toUpperCase()}: \`${command}\``;
  if (stopped !== undefined) return `${line} (Stopped: ${stopped})`;
  if (signal) return `${line} (Signal: ${signal})`;
  return typeof exitCode === 'number' ? `${line} (Exit Code: ${exitCode})` : line;
}
