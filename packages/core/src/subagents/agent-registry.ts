/**
 * AgentRegistry: the agents of a session. It owns the order between equal names, the overrides of the settings, and
 * which agents of a project count: only those the user acknowledged as they are. It runs none.
 */

import { getErrorMessage } from '../protocol/errors.ts';
import { isRecord } from '../util/is-record.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { AgentDefinition, RemoteAgent } from './agent-definition.ts';
import { applyOverride, withoutServersOf } from './agent-overrides.ts';
import type { AgentOverrides } from './agent-overrides.ts';
import { BUILTIN_DEFINITIONS } from './builtin-agents.ts';
import { loadDefinitions } from './load-definitions.ts';
import type { DefinitionOptions } from './load-definitions.ts';
import { describeFully, describePending } from './tell-report.ts';
import type { AgentsReport } from './tell-report.ts';

export interface AgentRegistryOptions extends DefinitionOptions {
  home: string;
  overrides: AgentOverrides;
  /** `agents` of the project's settings. */
  projectOverrides?: unknown;
  /** The project's agents are accepted as they are, and remembered: the user asked for it. */
  acknowledgesAll?: boolean | undefined;
  /** Told of every remote agent that is loaded. */
  onRemote?: ((agent: RemoteAgent) => void) | undefined;
}

export interface AgentsChange extends AgentsReport {
  added: string[];
  updated: string[];
  deleted: string[];
}

export class AgentRegistry {
  private readonly options: AgentRegistryOptions;
  private readonly acknowledgements: Acknowledgements;
  private overrides: AgentOverrides;
  private agents: ReadonlyMap<string, AgentDefinition> = new Map();
  /** Of the last load. */
  report: AgentsReport = { errors: [], warnings: [], pending: [], acknowledged: [] };

  private constructor(options: AgentRegistryOptions) {
    this.options = options;
    this.overrides = withoutServersOf(options.projectOverrides, options.overrides);
    this.acknowledgements = new Acknowledgements(options.home, options.root);
  }

  static async load(options: AgentRegistryOptions): Promise<AgentRegistry> {
    const registry = new AgentRegistry(options);
    await registry.reload();
    return registry;
  }

  /** The agents that can be started, in the order of their sources. */
  get offered(): AgentDefinition[] {
    return this.all.filter(({ isDisabled }) => !isDisabled);
  }

  /** Also the disabled ones. */
  get all(): AgentDefinition[] {
    return [...this.agents.values()];
  }

  find(name: string): AgentDefinition | undefined {
    const agent = this.agents.get(name);
    return agent?.isDisabled ? undefined : agent;
  }

  has(name: string): boolean {
    return this.agents.has(name);
  }

  /** Enables or disables an agent from now on. */
  setEnabled(name: string, enabled: boolean): void {
    this.overrides = { ...this.overrides, [name]: { ...this.overrides[name], enabled } };
    const agent = this.agents.get(name);
    if (agent) this.agents = new Map(this.agents).set(name, { ...agent, isDisabled: !enabled });
  }

  /** Overrides one value of an agent from now on, as the same place in the settings would; `undefined` removes it. */
  async override(name: string, path: readonly string[], value: unknown): Promise<AgentsChange> {
    this.overrides = { ...this.overrides, [name]: replaced(this.overrides[name], path, value) };
    return this.reload();
  }

  /** What an agent's card says about it. */
  describe(name: string, description: string): void {
    const agent = this.agents.get(name);
    if (agent) this.agents = new Map(this.agents).set(name, { ...agent, description });
  }

  /** Each pending agent with what it would run and send, and its file. */
  describePending(): string[] {
    return this.report.pending.map((agent) => `${describePending(agent)}: ${agent.file ?? ''}`);
  }

  /** What the user accepts with all pending agents, as a page. */
  describeAcknowledgement(): string {
    return this.report.pending.flatMap(describeFully).join('\n');
  }

  /** Accepts the pending agents as they were loaded. Throws when that cannot be remembered. */
  async acknowledge(): Promise<AgentsChange> {
    this.acknowledgements.accept(this.report.pending);
    return this.reload();
  }

  /** Reads the files again. */
  async reload(): Promise<AgentsChange> {
    const { errors, warnings, agents: loaded } = await loadDefinitions(this.options);
    const { pending, acknowledged } = this.findNew(loaded, errors);
    const before = this.agents;
    const agents = new Map<string, AgentDefinition>();
    for (const agent of [...BUILTIN_DEFINITIONS, ...loaded]) {
      if (pending.includes(agent)) continue;
      const first = agents.get(agent.name);
      // A disabled built-in agent leaves its name to the user's own.
      if (first && !(first.isDisabled && first.source === 'builtin')) warnings.push(describeDuplicate(agent));
      else agents.set(agent.name, applyOverride(agent, this.overrides, errors));
    }
    this.agents = agents;
    for (const agent of this.offered) if (agent.kind === 'remote') this.options.onRemote?.(agent);
    this.report = { errors, warnings, pending, acknowledged };
    return { ...this.report, ...compare(before, agents) };
  }

  private findNew(
    loaded: readonly AgentDefinition[],
    errors: string[],
  ): Pick<AgentsReport, 'pending' | 'acknowledged'> {
    const ofProject = loaded.filter(({ source }) => source === 'project');
    const found = ofProject.length > 0 ? this.acknowledgements.findNew(ofProject) : [];
    if (found.length === 0 || !this.options.acknowledgesAll) return { pending: found, acknowledged: [] };
    try {
      this.acknowledgements.accept(found);
    } catch (error) {
      errors.push(`The acknowledgement of the project's agents could not be saved: ${getErrorMessage(error)}`);
    }
    return { pending: [], acknowledged: found };
  }
}

/** A copy with another value at this place. */
function replaced(entry: unknown, [key, ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  const { [key ?? '']: inner, ...others } = isRecord(entry) ? entry : {};
  const changed = rest.length === 0 ? value : replaced(inner, rest, value);
  return changed === undefined ? others : { ...others, [key ?? '']: changed };
}

function describeDuplicate({ name, file }: AgentDefinition): string {
  const where = file === undefined ? '' : ` (${file})`;
  return `Duplicate agent name '${name}' detected. The later definition will be ignored${where}. Rename one of the agents to avoid this conflict.`;
}

function compare(before: ReadonlyMap<string, AgentDefinition>, after: ReadonlyMap<string, AgentDefinition>) {
  const isChanged = (name: string) => before.get(name)?.fingerprint !== after.get(name)?.fingerprint;
  const names = [...after.keys()];
  return {
    added: names.filter((name) => !before.has(name)),
    updated: names.filter((name) => before.has(name) && isChanged(name)),
    deleted: [...before.keys()].filter((name) => !after.has(name)),
  };
}
