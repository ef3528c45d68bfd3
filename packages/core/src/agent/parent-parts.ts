/** What a child takes over from its parent, which may be a child itself. */

import type { WorkspaceContext } from '../context/context-workspace.ts';
import type { SessionHooks } from '../hook-ports/open-hooks.ts';
import type { Source } from '../protocol/source.ts';
import type { SessionRecorder } from '../records/session-recorder.ts';
import type { Spending } from '../spending/open-spending.ts';
import type { FileJournal } from '../tools/files/file-store.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { ChildPolicy } from './child-policy.ts';
import type { PolicyAdapter } from './policy-adapter.ts';
import type { WorkspaceAgents } from './workspace-agents.ts';
import type { WorkspaceFit } from './workspace-fit.ts';
import type { ResolvedWorkspaceOptions, ToolSettings, Warn } from './workspace-options.ts';
import type { WorkspaceShell } from './workspace-shell.ts';
import type { WorkspaceUndo } from './workspace-undo.ts';
import type { WrittenFiles } from './written-files.ts';

export interface ParentParts {
  options: ResolvedWorkspaceOptions & { sources: readonly Source[] };
  toolSettings: Required<ToolSettings>;
  tempDirectory: string;
  plansDirectory: string;
  workspace: Workspace;
  commands: WorkspaceShell;
  isGitRepository: boolean;
  /** The rules and the mode of the session. */
  policy: PolicyAdapter;
  /** Decides on the parent's own calls. */
  judge: AgentPolicy;
  spending: Spending;
  tools: ToolRegistry;
  recorder: SessionRecorder | undefined;
  /** Records the files that the parent and its children change. */
  journal: FileJournal | undefined;
  hooks: SessionHooks | undefined;
  undo: WorkspaceUndo | undefined;
  /** The call of the user's session that the child belongs to; absent in that session. */
  owner?: string | undefined;
  sessionId: string;
  requestedModel(): string;
  /** The list of skills for the model. */
  describeSkills(): string;
  loadContext(workspace: Workspace, fit: WorkspaceFit): Promise<WorkspaceContext>;
  agents: WorkspaceAgents;
  /** Checks the files that calls write; absent where nothing is checked. */
  written: WrittenFiles | undefined;
  /** 0 for the session of the user. */
  depth: number;
  warn: Warn;
}

type AgentPolicy = ChildPolicy | PolicyAdapter;
