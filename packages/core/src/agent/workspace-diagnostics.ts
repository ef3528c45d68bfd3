/** Creates the checks after an edit, from the settings: language servers and formatters in the folder of the workspace. */

import { FileDiagnostics } from '../diagnostics/file-diagnostics.ts';
import { chooseServers } from '../diagnostics/server-table.ts';
import type { DiagnosticsOptions, Warn } from './workspace-options.ts';
import type { WorkspaceShell } from './workspace-shell.ts';

export interface DiagnosticsSurroundings {
  root: string;
  commands: Pick<WorkspaceShell, 'environment' | 'shell' | 'sandbox'>;
  tell: Warn;
}

const DEFAULT_LIMIT_MS = 3_000;

export function createDiagnostics(
  { mode = 'auto', servers = {}, formatters = {}, limitMs = DEFAULT_LIMIT_MS }: DiagnosticsOptions,
  { root, commands, tell }: DiagnosticsSurroundings,
): FileDiagnostics {
  const { environment, shell } = commands;
  return new FileDiagnostics({
    root,
    environment,
    guard: shell.guard,
    confine: commands.sandbox?.confine,
    servers: chooseServers(mode, servers),
    formatters: Object.entries(formatters).map(([name, { args = [], ...program }]) => ({ name, args, ...program })),
    limitMs,
    onReport: tell,
  });
}
