/**
 * Offers the sub-agents of a workspace to the model. Their room is loaded when one runs, or when a source brings one: a
 * session without either pays for a declaration.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RemoteAgents } from '../remote-agents/remote-agents.ts';
import type { Source } from '../protocol/source.ts';
import type { DefinedTool } from '../protocol/tools.ts';
import { AGENT_SCHEMA, AGENT_TOOL, BUILTIN_AGENTS, describeAgents } from '../subagents/offered-agents.ts';
import type { OfferedAgent } from '../subagents/offered-agents.ts';
import type { SessionAgents } from '../subagents/session-agents.ts';
import { defineTool } from '../tools/define-tool.ts';
import { findPlaces } from '../util/find-places.ts';
import { toOneLine } from '../util/short-text.ts';
import type { PolicyAdapter } from './policy-adapter.ts';
import type { ParentParts } from './parent-parts.ts';
import type { ResolvedWorkspaceOptions } from './workspace-options.ts';

export interface WorkspaceAgents {
  /** The agents that can be started. */
  readonly offered: readonly OfferedAgent[];
  /** The room, once it is loaded. */
  readonly loaded: SessionAgents | undefined;
  load(): Promise<SessionAgents>;
  /** The remote agents of the session. */
  remotes(): Promise<RemoteAgents>;
}

export interface AgentPorts extends Pick<ParentParts, 'commands' | 'workspace' | 'options'> {
  tell(level: 'info' | 'warning', message: string): void;
  policy: Pick<PolicyAdapter, 'askBeforeAgent'>;
}

const SKIPPED = 'Skipping project agents due to untrusted folder. To enable, ensure that the project root is trusted.';

export async function openAgents(
  options: ResolvedWorkspaceOptions & { sources: readonly Source[] },
  root: string,
  { tell, policy, ...parts }: AgentPorts,
): Promise<WorkspaceAgents | undefined> {
  const { overrides = {}, isEnabled = true, maxConcurrent, acknowledgesAll, projectOverrides } = options.agents ?? {};
  if (!isEnabled) return undefined;
  const { sources, home, shownValues } = options;
  let loaded: SessionAgents | undefined;
  let loading: Promise<SessionAgents> | undefined;
  let remotes: Promise<RemoteAgents> | undefined;
  const load = async (): Promise<SessionAgents> => {
    const { SessionAgents } = await import('../subagents/session-agents.ts');
    loaded = await SessionAgents.load({
      ...{ sources, home, root, shownValues, overrides, maxConcurrent, acknowledgesAll, projectOverrides },
      onRemote: ({ name }) => policy.askBeforeAgent(name),
    });
    return loaded;
  };
  const agents: WorkspaceAgents = {
    get loaded() {
      return loaded;
    },
    get offered() {
      return loaded?.registry.offered ?? BUILTIN.filter(({ name }) => overrides[name]?.['enabled'] !== false);
    },
    load: () => (loading ??= load()),
    remotes: () => (remotes ??= import('./workspace-remote.ts').then(({ openRemotes }) => openRemotes(parts))),
  };
  if (findPlaces(sources, 'agents').some(({ path }) => hasFiles(path))) {
    const session = await agents.load();
    const { report, offered } = session.registry;
    const { tellReport } = await import('../subagents/tell-report.ts');
    tellReport(report, options.hints?.acknowledgeAgents, tell);
    if (offered.some(({ kind, description }) => kind === 'remote' && description === '')) {
      const { describeRemotes } = await import('./workspace-remote.ts');
      void describeRemotes(session, agents.remotes, (message) => tell('warning', message));
    }
  }
  const project = sources.find(({ kind, trusted }) => kind === 'project' && !trusted);
  if (project && hasFiles(join(project.directory, 'agents'))) tell('info', SKIPPED);
  return agents;
}

const BUILTIN: readonly OfferedAgent[] = Object.entries(BUILTIN_AGENTS).map(([name, description]) => ({
  name,
  description,
}));

function hasFiles(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name.endsWith('.md'));
  } catch {
    // The folder need not exist.
    return false;
  }
}

/** `parent`: the session whose tool it is. */
export function createAgentTool(agents: WorkspaceAgents, parent: () => ParentParts): DefinedTool {
  const tool = defineTool({
    name: AGENT_TOOL,
    displayName: 'Agent',
    kind: 'agent',
    description: '',
    schema: AGENT_SCHEMA,
    validate: ({ agent_name: name }) =>
      agents.offered.some((agent) => agent.name === name)
        ? undefined
        : `Subagent '${name}' not found. The agents are: ${agents.offered.map((agent) => agent.name).join(', ')}.`,
    describe: ({ agent_name: name, prompt }) => `${name}: ${toOneLine(prompt)}`,
    // Only a remote agent is asked about: the policy says so.
    async confirm({ agent_name: name, prompt }) {
      const agent = (await agents.load()).registry.find(name);
      if (agent?.kind !== 'remote') return { type: 'info', title: `Start Agent: ${name}`, prompt };
      const where = agent.cardUrl ?? 'the address in its card';
      return {
        type: 'info',
        title: `Call Remote Agent: ${name}`,
        prompt: `This text is sent to ${where}:\n\n${prompt}`,
      };
    },
    async *execute(call, context) {
      const [session, { createAgentServices }] = await Promise.all([agents.load(), import('./workspace-child.ts')]);
      return yield* session.run(call, context, createAgentServices(parent()));
    },
  });
  return {
    ...tool,
    get description() {
      return describeAgents(agents.offered);
    },
  };
}
