/** `/agents`: lists the sub-agents, reloads their files, acknowledges those of the project, enables, disables and configures one. */

import { getErrorMessage } from '@castor/core';
import type { AgentDefinition, AgentsChange, SessionAgents } from '@castor/core/program';
import { changeField, fieldsOf, showField } from './agent-fields.ts';
import { failure, info } from './command.ts';
import type { CommandContext, CommandResult, CommandServices, NameContext, SlashCommand } from './command.ts';

type Run = (agents: SessionAgents, context: CommandContext, args: string) => CommandResult | Promise<CommandResult>;

const OFF = 'Sub-agents are disabled: the setting experimental.enableAgents is false.';

function command(fields: Omit<SlashCommand, 'source' | 'run'>, run: Run): SlashCommand {
  return {
    ...fields,
    source: 'builtin',
    async run(context, args) {
      const { agents } = context.agent;
      return agents ? run(await agents.load(), context, args) : failure(OFF);
    },
  };
}

async function namesOf({ agent }: NameContext, isWanted: (agent: AgentDefinition) => boolean): Promise<string[]> {
  const loaded = await agent.agents?.load();
  return (loaded?.registry.all ?? []).filter(isWanted).map(({ name }) => name);
}

const LIST = {
  description: 'Lists the sub-agents.',
  runsWhileBusy: true,
  runsHeadless: true,
} as const;

const list = command({ ...LIST, name: 'list' }, ({ registry }) => info(describeAll(registry)));

const reload = command(
  { name: 'reload', aliases: ['refresh'], description: 'Reads the files of the agents again.', runsHeadless: true },
  async ({ registry }) => info(describeChange(registry, await registry.reload())),
);

const acknowledge = command(
  {
    name: 'acknowledge',
    description: "Shows the project's new agents, and enables them if you agree.",
    usage: '',
    runsHeadless: true,
  },
  async ({ registry }, { services }) => {
    const { pending } = registry.report;
    if (pending.length === 0) return info('No agent of this project waits for an acknowledgement.');
    if (!services?.confirmPage)
      return failure('An acknowledgement needs a user to ask. For scripts: --acknowledge-agents');
    const isAgreed = await services.confirmPage(
      registry.describeAcknowledgement(),
      'Enable these agents of the project?',
    );
    if (!isAgreed) return info('The agents of this project stay disabled.');
    // Another reload may have come first: what was shown is what counts.
    if (registry.report.pending !== pending) return failure('The agents changed meanwhile. Run the command again.');
    try {
      await registry.acknowledge();
    } catch (error) {
      return failure(`The acknowledgement could not be saved: ${getErrorMessage(error)}`);
    }
    return info(`Acknowledged and enabled: ${pending.map(({ name }) => name).join(', ')}.`);
  },
);

const enable = command(
  {
    name: 'enable',
    description: 'Enables a sub-agent.',
    usage: '<agent-name>',
    names: (context) => namesOf(context, ({ isDisabled }) => isDisabled === true),
  },
  (agents, context, name) => switchOne(agents, context, { name, enabled: true }),
);

const disable = command(
  {
    name: 'disable',
    description: 'Disables a sub-agent.',
    usage: '<agent-name>',
    names: (context) => namesOf(context, ({ isDisabled }) => !isDisabled),
  },
  (agents, context, name) => switchOne(agents, context, { name, enabled: false }),
);

const config = command(
  {
    name: 'config',
    description: 'Shows how a sub-agent is configured, and changes it.',
    usage: '<agent-name> [field value]',
    runsHeadless: true,
    names: (context) => namesOf(context, () => true),
  },
  async (session, { hasScreen, services }, words) => {
    const [name = '', fieldName, ...value] = words.split(/\s+/);
    if (name === '') return failure('Usage: /agents config <agent-name> [field value]');
    const agent = session.registry.all.find((each) => each.name === name);
    if (!agent) return failure(`Agent '${name}' not found.`);
    if (fieldName !== undefined) return configure(session, services, agent, [fieldName, value.join(' ')]);
    return hasScreen ? { type: 'open_dialog', dialog: 'agent', argument: name } : info(describeOne(agent));
  },
);

async function configure(
  session: SessionAgents,
  services: CommandServices | undefined,
  agent: AgentDefinition,
  [fieldName, text]: readonly [string, string],
): Promise<CommandResult> {
  const fields = fieldsOf(agent);
  const field = fields.find(({ name }) => name === fieldName);
  if (!field) return failure(`Unknown field "${fieldName}". Known: ${fields.map(({ name }) => name).join(', ')}.`);
  const value = text === 'default' ? undefined : field.parse(text);
  if (value === undefined && text !== 'default')
    return failure(`${field.name}: expected ${field.expected}, or "default".`);
  const problem = await changeField(session, services, { agent: agent.name, field, value });
  const now = session.registry.all.find(({ name }) => name === agent.name) ?? agent;
  return info([`${agent.name}: ${field.name} is ${showField(field, now)}.`, problem].filter(Boolean).join(' '));
}

const auth: SlashCommand = {
  name: 'auth',
  description: 'Signs in to a remote agent.',
  source: 'builtin',
  usage: '<agent-name>',
  names: (context) => namesOf(context, ({ kind }) => kind === 'remote'),
  async run({ agent: { agents }, services, signal }, name) {
    if (!agents) return failure(OFF);
    if (name === '') return failure('Usage: /agents auth <agent-name>');
    const found = (await agents.load()).registry.find(name);
    if (!found) return failure(`Agent '${name}' not found.`);
    if (found.kind !== 'remote') return failure(`Agent '${name}' works on this machine and needs no sign-in.`);
    const ports = services?.signInPorts?.(signal);
    if (!ports) return failure('Signing in needs a terminal: use /agents auth in a session with one.');
    try {
      await (await agents.remotes()).signIn(found, ports);
    } catch (error) {
      if (signal.aborted) throw error;
      return failure(`Failed to sign in to the agent '${name}': ${getErrorMessage(error)}`);
    }
    return info(`Signed in to the agent '${name}'.`);
  },
};

export const agents: SlashCommand = {
  ...command({ ...LIST, name: 'agents', description: 'Lists and configures sub-agents.' }, ({ registry }) =>
    info(describeAll(registry)),
  ),
  subCommands: [list, reload, acknowledge, enable, disable, config, auth],
};

type Registry = SessionAgents['registry'];

function describeAll(registry: Registry): string {
  const { all } = registry;
  const section = (title: string, kind: AgentDefinition['kind']) => {
    const some = all.filter((agent) => agent.kind === kind);
    const width = Math.max(0, ...some.map((agent) => nameOf(agent).length));
    const rows = some.map((agent) => `  ${nameOf(agent).padEnd(width)}  ${agent.description}`);
    return some.length === 0 ? [] : [title, ...rows, ''];
  };
  const lines = [...section('Local Agents', 'local'), ...section('Remote Agents', 'remote')];
  lines.push(...describeNew(registry));
  return lines.length === 0 ? 'No agents available.' : lines.join('\n').trimEnd();
}

function describeNew(registry: Registry): string[] {
  const pending = registry.describePending().map((line) => `  ${line}`);
  if (pending.length === 0) return [];
  return ['New Agents Discovered, not enabled. To enable them: /agents acknowledge', ...pending];
}

/** As it is typed, with what is to know of it. */
function nameOf({ name, isDisabled, source, owner }: AgentDefinition): string {
  const from = source === 'builtin' ? '' : ` [${owner ?? source}]`;
  return `${name}${from}${isDisabled ? ' (disabled)' : ''}`;
}

function describeOne(agent: AgentDefinition): string {
  const title = agent.displayName === undefined ? '' : ` (${agent.displayName})`;
  const head = `${nameOf(agent)}${title}: ${agent.description}`;
  const lines = [head, ...(agent.file === undefined ? [] : [`  file: ${agent.file}`])];
  if (agent.kind === 'local') {
    const { model, maxTurns, maxMinutes, tools, servers, generation } = agent;
    lines.push(`  model: ${model}`, `  limits: ${maxTurns} turns, ${maxMinutes} minutes`);
    lines.push(`  tools: ${tools?.join(', ') ?? 'all of the main agent'}`);
    if (Object.keys(servers).length > 0) lines.push(`  MCP servers: ${Object.keys(servers).join(', ')}`);
    if (generation) lines.push(`  generation: ${JSON.stringify(generation)}`);
  } else {
    const { type } = agent.auth ?? {};
    lines.push(`  card: ${agent.cardUrl ?? 'in its file'}`, `  auth: ${typeof type === 'string' ? type : 'none'}`);
    return lines.join('\n');
  }
  return [...lines, `To change it: /agents config ${agent.name} maxTurns 60`].join('\n');
}

function describeChange(registry: Registry, change: AgentsChange): string {
  const { offered } = registry;
  const { added, updated, deleted, errors, warnings } = change;
  const remote = offered.filter(({ kind }) => kind === 'remote').length;
  const named = (title: string, names: readonly string[]) =>
    names.length > 0 ? [`- ${title}: ${names.join(', ')}`] : [];
  return [
    errors.length > 0 ? 'Agents reloaded with errors:' : 'Agents reloaded successfully:',
    `- Total: ${offered.length} (${offered.length - remote} local, ${remote} remote)`,
    ...named('New', added),
    ...named('Updated', updated),
    ...named('Deleted', deleted),
    ...(errors.length > 0 ? [`- Errors: ${errors.length} encountered during reload`, ...errors] : []),
    ...warnings,
    ...describeNew(registry),
  ].join('\n');
}

async function switchOne(
  { registry }: SessionAgents,
  { services }: CommandContext,
  { name, enabled }: { name: string; enabled: boolean },
): Promise<CommandResult> {
  const verb = enabled ? 'enable' : 'disable';
  if (name === '') return failure(`Usage: /agents ${verb} <agent-name>`);
  if (!registry.has(name)) return failure(`Agent '${name}' not found.`);
  registry.setEnabled(name, enabled);
  try {
    await services?.saveSetting?.(`agents.overrides.${name}.enabled`, enabled);
  } catch (error) {
    return failure(`Agent "${name}" is ${verb}d in this session only: ${getErrorMessage(error)}`);
  }
  const where = services?.saveSetting ? `by setting it to ${verb}d in user settings` : 'in this session';
  return info(`Agent "${name}" ${verb}d ${where}.`);
}
