/** SessionAgents: the agents of one session, loaded with the first that is needed, and the runs they have in common. */

import type { ExecuteContext, ToolOutput, ToolUpdate } from '../tools/define-tool.ts';
import { AgentRegistry } from './agent-registry.ts';
import type { AgentRegistryOptions } from './agent-registry.ts';
import type { AgentServices } from './agent-services.ts';
import { runAgent } from './run-agent.ts';
import type { AgentCall } from './run-agent.ts';
import { RunSlots } from './run-slots.ts';

export interface SessionAgentsOptions extends AgentRegistryOptions {
  /** How many runs of one depth work at once. Default 5. */
  maxConcurrent?: number | undefined;
}

const DEFAULT_CONCURRENT = 5;

export class SessionAgents {
  readonly registry: AgentRegistry;
  private readonly slots: RunSlots;

  private constructor(registry: AgentRegistry, slots: RunSlots) {
    this.registry = registry;
    this.slots = slots;
  }

  static async load({ maxConcurrent = DEFAULT_CONCURRENT, ...options }: SessionAgentsOptions): Promise<SessionAgents> {
    return new SessionAgents(await AgentRegistry.load(options), new RunSlots(maxConcurrent));
  }

  run(call: AgentCall, context: ExecuteContext, services: AgentServices): AsyncGenerator<ToolUpdate, ToolOutput> {
    return runAgent(call, context, { registry: this.registry, services, slots: this.slots });
  }
}
