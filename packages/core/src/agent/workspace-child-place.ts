/**
 * The place a child works in: its parent's folder, or a git worktree of its own. It provides the workspace, the shell,
 * the rules there and the journal of changed files; an isolated place also hands the changes over, and is removed.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { getErrorMessage, ToolError } from '../protocol/errors.ts';
import type { ToolContext } from '../protocol/tools.ts';
import type { SessionRecorder } from '../records/session-recorder.ts';
import { CoreToolScheduler } from '../scheduler/core-tool-scheduler.ts';
import type { PolicyPort } from '../scheduler/ports.ts';
import type { LocalAgent } from '../subagents/agent-definition.ts';
import type { Worktree } from '../subagents/worktree.ts';
import { createWriteFileTool } from '../tools/builtin/write-file.ts';
import { FileStore } from '../tools/files/file-store.ts';
import type { FileJournal } from '../tools/files/file-store.ts';
import { IgnoreRules } from '../tools/files/ignore-rules.ts';
import { ReadLedger } from '../tools/files/read-ledger.ts';
import { Workspace } from '../tools/files/workspace.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { ChildPolicy } from './child-policy.ts';
import type { ParentParts } from './parent-parts.ts';
import { openShell } from './workspace-shell.ts';
import type { WorkspaceShell } from './workspace-shell.ts';
import { loadPatchTool } from './workspace-tools.ts';

export interface ChildPlace {
  workspace: Workspace;
  commands: WorkspaceShell;
  /** The rules of the session, in this place. */
  rules: PolicyPort;
  /** Decides on the parent's calls in this place. */
  judge: PolicyPort;
  journal(recorder: SessionRecorder | undefined): FileJournal | undefined;
  /** For an agent that goes on here: what differs from how it left the place. */
  readonly note?: string | undefined;
  handOver?(context: ToolContext, applies: boolean): AsyncGenerator<AgentEvent, string | undefined>;
  close(): Promise<void>;
}

export interface PlaceRequest {
  agent: LocalAgent;
  agentId: string;
  callId: string;
  isIsolated: boolean;
  isResumed: boolean;
  signal: AbortSignal;
}

export async function openChildPlace(parent: ParentParts, request: PlaceRequest): Promise<ChildPlace> {
  if (request.isIsolated) return openIsolated(parent, request);
  const { workspace, commands, policy, judge } = parent;
  const upwards = attribute(parent.journal, request.callId);
  return {
    workspace,
    commands,
    rules: policy,
    judge,
    journal: (recorder) => joinJournals(recorder, upwards),
    close: async () => undefined,
  };
}

/** A change of a child is also one of the call that runs it: rewinding the parent takes it back. */
function attribute(journal: FileJournal | undefined, callId: string): FileJournal | undefined {
  return journal && { changing: (write) => journal.changing({ ...write, callId }) };
}

function joinJournals(own: FileJournal | undefined, upwards: FileJournal | undefined): FileJournal | undefined {
  if (!own || !upwards) return own ?? upwards;
  return {
    async changing(write) {
      await own.changing(write);
      await upwards.changing(write);
    },
  };
}

const worktreesIn = (tempDirectory: string): string => join(tempDirectory, 'worktrees');

const NO_LONGER_FIT =
  'The changes you made before do not fit the project as it is now, so this folder is without them. They are in';

/** A worktree that cannot be filled is removed. */
async function restoreInto(worktree: Worktree, patchFile: string): Promise<boolean> {
  try {
    return await worktree.restore(patchFile);
  } catch (error) {
    await worktree.remove();
    throw error;
  }
}

async function openIsolated(parent: ParentParts, request: PlaceRequest): Promise<ChildPlace> {
  const { options, toolSettings, tempDirectory, policy } = parent;
  const { agentId, signal, callId } = request;
  if (options.trustedFolder !== true)
    throw new ToolError('A worktree is only made in a trusted folder, since git runs there.', 'execution_failed');
  const [{ Worktree, patchFileOf }, { handOver, keepPatch }] = await Promise.all([
    import('../subagents/worktree.ts'),
    import('../subagents/hand-over.ts'),
  ]);
  const folder = worktreesIn(tempDirectory);
  const { environment } = parent.commands;
  const worktree = await Worktree.create({ root: parent.workspace.root, folder, id: agentId, environment, signal });
  const earlier = patchFileOf(join(folder, agentId));
  const fits = !request.isResumed || (await restoreInto(worktree, earlier));
  // The patch that does not fit stays beside that of this run.
  let patchFile = earlier;
  for (let run = 2; !fits && existsSync(patchFile); run += 1)
    patchFile = patchFileOf(join(folder, `${agentId}-${run}`));
  const { root } = worktree;
  const ignore = await IgnoreRules.load(root, { ...options.ignore, includeDirectories: [] });
  const workspace = new Workspace({ root, tempDirectory, ignore });
  // An editor does not have the files of a worktree open.
  const rooted = { ...options, root, editor: options.editor && {} };
  const sandbox = await parent.commands.sandbox?.at(root);
  const onBackgroundEnded = () => undefined;
  const { secrets } = parent.commands;
  const commands = openShell({ options: rooted, toolSettings, tempDirectory, onBackgroundEnded, sandbox, secrets });
  const rules = policy.at({ root, workspaceDirectories: workspace.directories });
  let isHandedOver = false;
  return {
    workspace,
    commands,
    rules,
    // The parent's own rules are those of the session, but for a child with rules of its own.
    judge: parent.depth === 0 ? rules : parent.judge,
    journal: (recorder) => recorder,
    note: fits ? undefined : `${NO_LONGER_FIT} ${earlier}`,
    async *handOver(context, applies) {
      isHandedOver = true;
      const edits = await openEdits(parent, request);
      return yield* handOver({ worktree, edits, agentId, patchFile, applies, context });
    },
    async close() {
      await Promise.all([commands.shell.dispose(), commands.background.dispose()]);
      sandbox?.dispose();
      try {
        // A cancelled run loses nothing it wrote.
        const kept = isHandedOver ? undefined : await keepPatch(worktree, patchFile);
        if (kept !== undefined) parent.warn(`The changes of the agent ${agentId}, which was stopped, are in ${kept}.`);
      } catch (error) {
        parent.warn(`The changes of the agent ${agentId} could not be kept: ${getErrorMessage(error)}`);
      }
      await worktree.remove();
    },
  };

  async function openEdits(above: ParentParts, { agent }: PlaceRequest) {
    const store = new FileStore(above.workspace, new ReadLedger(), attribute(above.journal, callId));
    const judge = new ChildPolicy({ parent: above.judge, rules: policy, agent: agent.name });
    const tools = new ToolRegistry([createWriteFileTool({ store }), await loadPatchTool(store)]);
    const scheduler = new CoreToolScheduler({ tools, policy: judge, subagent: agent.name });
    return {
      run: scheduler.run.bind(scheduler),
      isWaiting: scheduler.isWaiting.bind(scheduler),
      respond: scheduler.respond.bind(scheduler),
      async writeExactly(path: string, bytes: Buffer) {
        const file = await store.load(path);
        if (!('bytes' in file) || !file.bytes.equals(bytes)) await store.write(file, bytes, callId);
      },
    };
  }
}
