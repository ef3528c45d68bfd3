/** Opens the shell of a workspace: the environment of its commands, their runner and the background commands. */

import { join } from 'node:path';
import { backgroundLogDirectory } from '../config/paths.ts';
import { BackgroundProcesses } from '../tools/shell/background.ts';
import type { BackgroundProcess } from '../tools/shell/background.ts';
import { createChildEnvironment, withholdSecrets } from '../tools/shell/child-environment.ts';
import { ShellRunner } from '../tools/shell/shell-runner.ts';
import type { EnvironmentFor } from '../tools/shell/shell-runner.ts';
import type { WorkspaceSecrets } from './workspace-secrets.ts';
import type { WorkspaceSandbox } from './workspace-sandbox.ts';
import type { ResolvedWorkspaceOptions, ToolSettings } from './workspace-options.ts';

export interface OpenShellOptions {
  options: ResolvedWorkspaceOptions;
  toolSettings: Required<ToolSettings>;
  tempDirectory: string;
  onBackgroundEnded: (process: BackgroundProcess) => void;
  sandbox?: WorkspaceSandbox | undefined;
  secrets: WorkspaceSecrets;
}

export interface WorkspaceShell {
  environment: Record<string, string>;
  shell: ShellRunner;
  background: BackgroundProcesses;
  sandbox?: WorkspaceSandbox | undefined;
  secrets: WorkspaceSecrets;
  /** Removes the credentials of providers that were opened since. */
  withhold(): void;
}

export function openShell({
  options,
  toolSettings,
  tempDirectory,
  onBackgroundEnded,
  sandbox,
  secrets: vault,
}: OpenShellOptions): WorkspaceShell {
  const { home, trustedFolder, interactive = false, secrets, redaction = { enabled: false } } = options;
  const environment = createChildEnvironment({
    base: options.environment,
    secretValues: secrets,
    pager: toolSettings.pager,
    redaction,
    git: trustedFolder === undefined ? 'guarded' : trustedFolder ? 'standard' : 'strict',
  });
  const guard = !trustedFolder && { environmentFor: createGitGuard(environment, options.root, tempDirectory) };
  const shell = new ShellRunner({
    environment,
    tempDirectory,
    // Every command gets a terminal where the user can type into it.
    useTerminal: interactive && toolSettings.interactiveShell && !options.editor,
    inactivityTimeoutMs: toolSettings.inactivityTimeoutMs,
    maxOutputBytes: toolSettings.maxOutputBytes,
    whenWaiting: interactive && !options.editor ? 'report' : 'end',
    // The terminal of an editor is outside the sandbox.
    elsewhere: sandbox ? undefined : options.editor?.runCommand,
    confine: sandbox?.confine,
    useMarks: vault.useMarks,
    ...guard,
  });
  const background = new BackgroundProcesses({
    logDirectory: backgroundLogDirectory(home),
    environment,
    maxOutputBytes: toolSettings.maxOutputBytes,
    onEnded: onBackgroundEnded,
    confine: sandbox?.confine,
    useMarks: vault.useMarks,
    conceal: vault.conceal,
    ...guard,
  });
  let withheld = secrets?.length ?? 0;
  const withhold = () => {
    if (secrets === undefined || secrets.length === withheld) return;
    withheld = secrets.length;
    withholdSecrets(environment, secrets);
  };
  return { environment, shell, background, sandbox, secrets: vault, withhold };
}

/**
 * Keeps git from running what a repository configures: the wrapper covers every repository a command reaches, the
 * variables also a git that is called by its full path in the folder where the command starts.
 */
function createGitGuard(environment: Record<string, string>, folder: string, tempDirectory: string): EnvironmentFor {
  let path: string | undefined;
  return async (command, directory) => {
    const { writeGitWrapper } = await import('../tools/shell/git-wrapper.ts');
    path ??= writeGitWrapper({ directory: join(tempDirectory, 'bin'), environment, folder });
    const { guardRepository } = await import('../tools/shell/safe-git.ts');
    const variables = /\bgit\b/.test(command) ? await guardRepository(directory, environment) : {};
    return { ...variables, ...(path !== undefined && { PATH: path }) };
  };
}
