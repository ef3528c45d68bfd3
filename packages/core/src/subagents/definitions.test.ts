/** Files of agents: what is accepted, what is told about a mistake, and which agents a session has. */

import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { computeSources } from '../config/sources.ts';
import { AgentRegistry } from './agent-registry.ts';
import type { AgentRegistryOptions } from './agent-registry.ts';
import { describeAgents } from './offered-agents.ts';
import { parseAgentFile } from './parse-definition.ts';
import { isToolListed } from './tool-patterns.ts';

const parse = (text: string) => parseAgentFile({ file: 'a.md', text, hash: 'h', source: 'user' });
const file = (fields: string, body = 'Body.') => `---\n${fields}\n---\n${body}\n`;
const GOOD = 'name: a\ndescription: Does a.';

describe('a file of an agent', () => {
  it('has defaults for everything but its name and description', async () => {
    const { agents, errors, warnings } = await parse(file(GOOD, '\nYou do a.\n'));
    expect([errors, warnings]).toEqual([[], []]);
    expect(agents).toEqual([
      {
        ...{ kind: 'local', name: 'a', description: 'Does a.', source: 'user', file: 'a.md', fingerprint: 'h' },
        ...{ prompt: 'You do a.', servers: {}, model: 'inherit', maxTurns: 30, maxMinutes: 10 },
      },
    ]);
  });

  it.each([
    ['no front matter', 'You do a.', 'a.md:1: the file must start with a line "---"'],
    ['no end of it', '---\nname: a\n', 'a.md:1: the front matter is not closed'],
    ['bad YAML', file('name: a\ndescription: [x'), 'a.md:'],
    ['a text instead of keys', file('just words'), 'a.md:2: the front matter must be a map of keys'],
    ['no name', file('description: x'), 'a.md:1: name: it is missing; expected a name such as code-reviewer.'],
    ['a bad name', file('name: My Agent\ndescription: x'), 'a.md:2: name: expected lower-case letters'],
    ['no description', file('name: a'), 'a.md:1: description: it is missing or empty'],
    ['an empty description', file('name: a\ndescription: ""'), 'a.md:3: description: it is missing or empty'],
    [
      'turns below one',
      file(`${GOOD}\nmax_turns: 0`),
      'a.md:4: max_turns: expected a whole number of 1 or more, not 0.',
    ],
    ['half a minute', file(`${GOOD}\ntimeout_mins: 0.5`), 'a.md:4: timeout_mins: expected a whole number of 1 or more'],
    ['a hot temperature', file(`${GOOD}\ntemperature: 3`), 'a.md:4: temperature: expected a number of 0 to 2, not 3.'],
    ['an unknown tool', file(`${GOOD}\ntools: [read_fiel]`), 'a.md:4: tools: Invalid tool name "read_fiel"'],
    ['tools as a number', file(`${GOOD}\ntools: 7`), 'a.md:4: tools: expected a list of tool names'],
    ['an unknown kind', file(`${GOOD}\nkind: alien`), 'a.md:4: kind: expected local or remote, not "alien".'],
    ['an unknown isolation', file(`${GOOD}\nisolation: moon`), 'a.md:4: isolation: expected worktree or none'],
    ['a bad server', file(`${GOOD}\nmcp_servers: {x: 1}`), 'a.md:4: mcp_servers: the server x: expected a map'],
    [
      'a bad sign-in',
      file(`${GOOD}\nmcp_servers: {x: {url: u, auth: {type: z}}}`),
      'auth: expected type: google-credentials',
    ],
    ['two cards', file('name: r\nagent_card_url: http://x\nagent_card_json: "{}"'), 'expected exactly one of'],
    [
      'a card that is no JSON',
      file('name: r\nkind: remote\nagent_card_json: x'),
      'agent_card_json: expected the card as JSON',
    ],
    [
      'a list of local agents',
      file('- name: a\n  description: x'),
      'a list in the front matter defines remote agents only',
    ],
  ])('with %s is refused, with its place and what was expected', async (_what, text, message) => {
    const { agents, errors } = await parse(text);
    expect(agents).toEqual([]);
    expect(errors.join('\n')).toContain(message);
  });

  it('written for another program works, and says what it ignores', async () => {
    const fields = 'name: a\ndescription: x\ncolor: red\nmodel: sonnet\ntools: Read, Bash(git *), mcp__gh__list';
    const { agents, warnings } = await parse(file(fields));
    expect(agents[0]).toMatchObject({ model: 'inherit', tools: ['read_file', 'run_shell_command', 'mcp_gh_list'] });
    expect(warnings.map((line) => line.split(';')[0])).toEqual([
      'a.md:4: color: unknown key, ignored',
      'a.md:6: tools: "Bash(git *)" gives the whole tool',
      'a.md:5: model: "sonnet" is a name of another program, so the agent inherits the model.',
    ]);
  });

  it('brings servers in the form of the settings, never trusted', async () => {
    const { agents } = await parse(file(`${GOOD}\nmcp_servers: {x: {http_url: u, trust: true, include_tools: [t]}}`));
    expect(agents[0]).toMatchObject({ servers: { x: { httpUrl: 'u', includeTools: ['t'] } } });
    expect(JSON.stringify(agents)).not.toContain('trust');
  });

  it('may describe several remote agents', async () => {
    const { agents } = await parse(
      file('- {name: r, agent_card_url: "http://x/card"}\n- {name: s, agent_card_json: "{}"}'),
    );
    expect(agents).toMatchObject([
      { kind: 'remote', name: 'r', cardUrl: 'http://x/card', fingerprint: 'http://x/card' },
      { kind: 'remote', name: 's', cardJson: '{}' },
    ]);
  });
});

describe('the tools of an agent', () => {
  it.each([
    ['read_file', undefined, undefined, true],
    ['read_file', ['*'], undefined, true],
    ['read_file', ['glob'], undefined, false],
    ['apply_patch', ['replace'], undefined, true],
    ['mcp_gh_list', ['mcp_*'], 'gh', true],
    ['mcp_gh_list', ['mcp_gh_*'], 'gh', true],
    ['mcp_gh_x_list', ['mcp_gh_*'], 'gh_x', false],
    ['mcp_gh_list', ['read_file'], 'gh', false],
    ['exit_plan_mode', ['*'], undefined, false],
    ['update_topic', undefined, undefined, false],
  ] as const)('%s with %j of the server %s: %s', (name, patterns, server, expected) => {
    expect(isToolListed({ name, ...(server && { server: { name: server } }) }, patterns)).toBe(expected);
  });
});

async function load(
  files: Record<string, string>,
  options: Partial<AgentRegistryOptions> & { trusted?: boolean } = {},
) {
  const { trusted = true, ...given } = options;
  const workspace = await createWorkspace({ files });
  const { home, project: root } = workspace;
  const sources = computeSources({ home, root, trustedFolder: trusted, platform: 'linux' });
  const open = () => AgentRegistry.load({ sources, home, root, overrides: {}, ...given });
  return { workspace, open, registry: await open(), [Symbol.asyncDispose]: () => workspace.dispose() };
}
const PROJECT = { '.gemini/agents/a.md': file(GOOD) };
const names = (registry: AgentRegistry) => registry.offered.map(({ name }) => name);
const BUILTIN = ['codebase_investigator', 'generalist', 'cli_help'];

describe('the agents of a session', () => {
  it('of a project count when they are acknowledged, until their file changes', async () => {
    await using env = await load(PROJECT);
    expect(names(env.registry)).toEqual(BUILTIN);
    expect(env.registry.report.pending.map(({ name }) => name)).toEqual(['a']);
    expect((await env.registry.acknowledge()).added).toEqual(['a']);
    expect(names(await env.open())).toContain('a');
    await env.workspace.write('.gemini/agents/a.md', file(GOOD, 'Another body.'));
    expect(names(await env.open())).not.toContain('a');
  });

  it('of a project are accepted at once where the user asked for it, and stay so', async () => {
    await using env = await load(PROJECT, { acknowledgesAll: true });
    expect(names(env.registry)).toContain('a');
    const { home, project } = env.workspace;
    const later = await AgentRegistry.load({
      ...{
        sources: computeSources({ home, root: project, trustedFolder: true, platform: 'linux' }),
        home,
        root: project,
      },
      overrides: {},
    });
    expect(names(later)).toContain('a');
  });

  it('of an untrusted folder are not read', async () => {
    await using env = await load(PROJECT, { trusted: false, acknowledgesAll: true });
    expect([names(env.registry), env.registry.report.pending]).toEqual([BUILTIN, []]);
  });

  it('are regular files of one folder', async () => {
    await using env = await load({ '.gemini/agents/_draft.md': file(GOOD), '.gemini/agents/deep/a.md': file(GOOD) });
    const { home, project } = env.workspace;
    await mkdir(join(home, '.gemini', 'agents'), { recursive: true });
    await writeFile(join(project, 'secret.md'), file('name: linked\ndescription: x'));
    await symlink(join(project, 'secret.md'), join(home, '.gemini', 'agents', 'linked.md'));
    expect(names(await env.open())).toEqual(BUILTIN);
  });

  it('of an extension have its paths and the open values of its settings in place', async () => {
    const text = file(
      'name: a\ndescription: In ${REGION}.\nmcp_servers:\n  s:\n    command: ${extensionPath}/run',
      'Use ${extensionPath}${/}bin for ${query} in ${workspacePath}, not ${TOKEN}.',
    );
    await using workspace = await createWorkspace({ files: { 'ext/agents/a.md': text } });
    const directory = join(workspace.project, 'ext');
    const registry = await AgentRegistry.load({
      ...{
        sources: [{ kind: 'extension', name: 'cloud', directory, trusted: true }],
        shownValues: { cloud: { REGION: 'eu' } },
      },
      ...{ home: workspace.home, root: workspace.project, overrides: {} },
    });
    expect(registry.find('a')).toMatchObject({
      description: 'In eu.',
      prompt: `Use ${join(directory, 'bin')} for \${query} in ${workspace.project}, not \${TOKEN}.`,
      servers: { s: { command: `${directory}/run` } },
    });
  });

  it('keep the first of two with one name, and tell', async () => {
    await using env = await load(
      { '.gemini/agents/g.md': file('name: generalist\ndescription: Mine.') },
      { acknowledgesAll: true },
    );
    expect(env.registry.find('generalist')?.description).not.toBe('Mine.');
    expect(env.registry.report.warnings.join()).toContain("Duplicate agent name 'generalist' detected.");
    const { home, project } = env.workspace;
    const sources = computeSources({ home, root: project, trustedFolder: true, platform: 'linux' });
    const overrides = { generalist: { enabled: false } };
    const own = await AgentRegistry.load({ sources, home, root: project, overrides, acknowledgesAll: true });
    expect([own.has('generalist'), own.find('generalist')]).toEqual([true, undefined]);
  });

  it('take overrides of the settings, for all and for one, and keep their servers', async () => {
    const mine = { '.gemini/agents/a.md': file(`${GOOD}\nmcp_servers: {x: {url: u}}`) };
    const overrides = {
      '*': { runConfig: { maxTurns: 60 } },
      a: { runConfig: { maxTurns: 5, maxTimeMinutes: 2 }, modelConfig: { model: 'pro' }, tools: ['glob'] },
      cli_help: { enabled: false },
    };
    await using env = await load(mine, { overrides, acknowledgesAll: true });
    const model = { model: 'pro', maxTurns: 5, maxMinutes: 2, tools: ['glob'], servers: { x: { url: 'u' } } };
    expect(env.registry.find('a')).toMatchObject(model);
    expect(env.registry.find('generalist')).toMatchObject({ maxTurns: 60 });
    expect(env.registry.find('cli_help')).toBeUndefined();
  });

  it('report a wrong override by its key, and ignore servers of a project', async () => {
    const overrides = { generalist: { runConfig: { maxTurns: -1 }, tools: 'x', mcpServers: { evil: {} } } };
    const projectOverrides = { overrides: { generalist: { mcpServers: {} } } };
    await using env = await load({}, { overrides, projectOverrides });
    expect(env.registry.report.errors).toEqual([
      'settings: agents.overrides.generalist.runConfig.maxTurns: expected a number above 0.',
      'settings: agents.overrides.generalist.tools: expected a list of tool names.',
    ]);
    expect(env.registry.find('generalist')).toMatchObject({ servers: {} });
  });

  it('tell what a reload changed', async () => {
    await using env = await load({ '.gemini/agents/a.md': file(GOOD) }, { acknowledgesAll: true });
    await env.workspace.write('.gemini/agents/a.md', file(GOOD, 'New.'));
    await env.workspace.write('.gemini/agents/b.md', file('name: b\ndescription: x'));
    await env.workspace.write('.gemini/agents/bad.md', 'nothing');
    const { added, updated, deleted, errors } = await env.registry.reload();
    expect([added, updated, deleted]).toEqual([['b'], ['a'], []]);
    expect(errors.join()).toMatch(/^Agent loading error: Failed to load agent from .*bad\.md: Validation failed/);
  });
});

describe('the declaration of agents', () => {
  it('is small, and stays so with many agents', () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ name: `agent-${index}`, description: 'x'.repeat(500) }));
    expect(describeAgents([]).length).toBeLessThan(300);
    expect(describeAgents(many).length).toBeLessThan(8_000);
  });
});
