/**
 * The tools of a child: those of its parent that its definition names, with file tools of its own, since it knows other
 * files than its parent; `complete_task`; and `invoke_agent` where the settings let children start children.
 */

import type { ContentGenerator } from '../provider/content-generator.ts';
import type { DefinedTool } from '../protocol/tools.ts';
import type { LocalAgent } from '../subagents/agent-definition.ts';
import { COMPLETE_TASK } from '../subagents/complete-task.ts';
import { createInternalDocsTool, INTERNAL_DOCS } from '../subagents/internal-docs.ts';
import { AGENT_TOOL } from '../subagents/offered-agents.ts';
import { isToolListed } from '../subagents/tool-patterns.ts';
import type { FileStore } from '../tools/files/file-store.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { createAgentTool } from './workspace-agents.ts';
import type { ParentParts } from './parent-parts.ts';
import type { ChildPlace } from './workspace-child-place.ts';
import type { WorkspaceFit } from './workspace-fit.ts';
import { openTools } from './workspace-tools.ts';

export interface ChildToolsOptions {
  parent: ParentParts;
  agent: LocalAgent;
  place: ChildPlace;
  store: FileStore;
  fit: WorkspaceFit;
  mainModel: () => string;
  generator: ContentGenerator;
  completeTask: DefinedTool;
  /** Whether only `complete_task` is left. */
  isLast: () => boolean;
  /** The child as a parent. */
  nest: () => ParentParts;
}

const DEFAULT_DEPTH = 1;
/** The ways to change a file; the family of a model chooses one. */
const EDITS = ['replace', 'apply_patch'];

export async function openChildTools(given: ChildToolsOptions): Promise<ToolRegistry> {
  const { parent, agent, place, store, fit, completeTask, isLast } = given;
  const { toolCommands: _parents, ...options } = parent.options;
  const { tools: own } = await openTools({
    ...place.commands,
    options: { ...options, planSettings: { enabled: false } },
    toolSettings: parent.toolSettings,
    workspace: place.workspace,
    store,
    generator: given.generator,
    policy: parent.policy,
    tempDirectory: parent.tempDirectory,
    plansDirectory: parent.plansDirectory,
    fit,
    mainModel: given.mainModel,
    warn: parent.warn,
  });
  const isOfParent = (name: string): boolean => {
    const { tools } = parent;
    if (tools.getTool(name)) return true;
    return EDITS.includes(name) && EDITS.some((each) => tools.getTool(each) !== undefined);
  };
  const findDocumentation = parent.options.agents?.findDocumentation;
  const docs = agent.readsDocumentation && findDocumentation ? [createInternalDocsTool(findDocumentation)] : [];
  const canNest = parent.depth + 1 < (parent.options.agents?.maxDepth ?? DEFAULT_DEPTH);
  const nested = canNest ? [createAgentTool(parent.agents, given.nest)] : [];
  const registry: ToolRegistry = new ToolRegistry([...nested, ...docs, completeTask], {
    isActive(tool) {
      if (tool.name === COMPLETE_TASK) return true;
      if (isLast()) return false;
      if (tool.name === INTERNAL_DOCS) return true;
      // A server of its own is part of its definition; rules decide on its calls.
      const isOwnServer = tool.server !== undefined && Object.hasOwn(agent.servers, tool.server.name);
      if (isOwnServer) return parent.policy.isOffered(tool);
      return isToolListed(tool, agent.tools) && isOfParent(tool.name) && (own.getTool(tool.name) ?? tool) === tool;
    },
    explainAbsence: ({ name }) =>
      isLast()
        ? `Only ${COMPLETE_TASK} is available now.`
        : `Unauthorized tool call: '${name}' is not available to this agent.`,
    declare: (declaration) => fit.declare(declaration),
  });
  for (const name of new Set([...own.names(), ...parent.tools.names()])) {
    if (name === AGENT_TOOL || name === COMPLETE_TASK || name === INTERNAL_DOCS) continue;
    const tool = own.getTool(name) ?? parent.tools.getTool(name);
    if (tool) registry.register(tool, tool.server ? 'mcp' : 'builtin');
  }
  return registry;
}
