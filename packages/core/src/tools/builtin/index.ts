/**
 * Lists the built-in tools in the order of their declaration. Plain switches and the
 * settings' filter decide which exist; the policy decides when a tool may run.
 * activate_skill, invoke_agent and MCP tools are added elsewhere.
 */

import type { ContentGenerator } from '../../provider/content-generator.ts';
import type { ModelConfigResolver } from '../../routing/model-config.ts';
import { createModelConfigResolver } from '../../routing/model-configs.ts';
import type { DefinedTool } from '../../protocol/tools.ts';
import { systemClock } from '../../util/clock.ts';
import type { Clock } from '../../util/clock.ts';
import type { FileStore } from '../files/file-store.ts';
import type { BackgroundProcesses } from '../shell/background.ts';
import type { ShellRunner } from '../shell/shell-runner.ts';
import { isToolEnabled } from '../tool-registry.ts';
import type { ToolFilter } from '../tool-registry.ts';
import { createAskUserTool } from './ask-user.ts';
import { createEnterPlanModeTool } from './enter-plan-mode.ts';
import { createExitPlanModeTool } from './exit-plan-mode.ts';
import type { ExitPlanModeDependencies } from '../plan-approval.ts';
import { createGlobTool } from './glob.ts';
import { createGoogleWebSearchTool } from './google-web-search.ts';
import { createGrepSearchTool } from './grep-search.ts';
import { createListBackgroundProcessesTool } from './list-background-processes.ts';
import { createListDirectoryTool } from './list-directory.ts';
import { createReadBackgroundOutputTool } from './read-background-output.ts';
import { createReadFileTool } from './read-file.ts';
import { createReplaceTool } from './replace.ts';
import { createRunShellCommandTool } from './run-shell-command.ts';
import type { AroundCommand, RunShellCommandDependencies } from './run-shell-command.ts';
import { createWebFetchTool } from './web-fetch.ts';
import type { WebFetchDependencies } from './web-fetch.ts';
import { createWriteFileTool } from './write-file.ts';
import { createWriteTodosTool } from './write-todos.ts';

export interface PlanDependencies extends Omit<ExitPlanModeDependencies, 'setApprovalMode'> {
  setApprovalMode(mode: 'plan' | 'default' | 'autoEdit' | 'yolo'): void;
}

export interface BuiltinToolDependencies {
  /** Also holds the workspace and the read ledger. */
  store: FileStore;
  shell: ShellRunner;
  background: BackgroundProcesses;
  generator: ContentGenerator;
  /** Called with the aliases `web-fetch`, `web-fetch-fallback` and `web-search`. Default: our own presets. */
  resolveModel?: ModelConfigResolver;
  clock?: Clock;
  filter?: ToolFilter;
  /** `tools.useRipgrep`. */
  useRipgrep?: boolean;
  /** `context.fileFiltering.respectGitIgnore`. */
  respectGitIgnore?: boolean;
  /** `experimental.directWebFetch`, and the addresses web_fetch may connect to. */
  webFetch?: Pick<WebFetchDependencies, 'direct' | 'isAllowedAddress' | 'opensUrls' | 'resolve'>;
  /** `tools.shell.enableShellOutputEfficiency`. */
  asksForShortOutput?: boolean;
  /** Looks at the surroundings of each command. */
  aroundCommand?: AroundCommand | undefined;
  /** Asks about what a command needs beyond its sandbox. */
  widen?: RunShellCommandDependencies['widen'];
  /** Whether a user can be asked; otherwise ask_user is absent. */
  isInteractive?: boolean;
  /** A todo list helps only older models. */
  writeTodos?: boolean;
  /** Absent when planning is off. */
  plan?: PlanDependencies;
}

export function createBuiltinTools(dependencies: BuiltinToolDependencies): DefinedTool[] {
  const { store, shell, background, generator, clock = systemClock, filter = {}, plan } = dependencies;
  const { resolveModel = createModelConfigResolver() } = dependencies;
  const { workspace, ledger } = store;
  const { useRipgrep = true, respectGitIgnore = true } = dependencies;
  const { asksForShortOutput = true, aroundCommand, widen } = dependencies;
  const tools = [
    createListDirectoryTool({ workspace }),
    createReadFileTool({ workspace, ledger }),
    createGrepSearchTool({ workspace, useRipgrep, respectGitIgnore, guard: shell.guard }),
    createGlobTool({ workspace, clock }),
    createReplaceTool({ store }),
    createWriteFileTool({ store }),
    createWebFetchTool({ generator, resolveModel, clock, ...dependencies.webFetch }),
    createRunShellCommandTool({ workspace, shell, background, clock, asksForShortOutput, aroundCommand, widen }),
    createListBackgroundProcessesTool({ background }),
    createReadBackgroundOutputTool({ background, clock }),
    createGoogleWebSearchTool({ generator, resolveModel }),
    ...(dependencies.isInteractive ? [createAskUserTool()] : []),
    ...(dependencies.writeTodos ? [createWriteTodosTool()] : []),
    ...(plan ? [createExitPlanModeTool(plan), createEnterPlanModeTool(plan)] : []),
  ];
  return tools.filter(({ name }) => isToolEnabled(name, filter));
}
