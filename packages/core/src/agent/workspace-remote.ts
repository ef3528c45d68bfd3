/** Runs the remote agents of a workspace: with its environment, its shell for `!command`, its account and its telemetry. */

import { getErrorMessage } from '../protocol/errors.ts';
import type { ToolContext } from '../protocol/tools.ts';
import type { RemoteAgents } from '../remote-agents/remote-agents.ts';
import { createSessionId } from '../records/session-id.ts';
import { openChildSpending } from '../spending/child-spending.ts';
import type { RemoteAgent } from '../subagents/agent-definition.ts';
import type { SessionAgents } from '../subagents/session-agents.ts';
import type { ToolOutput, ToolUpdate } from '../tools/define-tool.ts';
import { runChild } from '../tools/run-child.ts';
import { systemClock } from '../util/clock.ts';
import type { ParentParts } from './parent-parts.ts';

const COMMAND_LIMIT_MS = 60_000;
const MAX_OUTPUT = 64 * 1024;

export type RemoteParts = Pick<ParentParts, 'options' | 'commands' | 'workspace'>;

/** Loaded with the first remote agent that runs or is described. */
export async function openRemotes({ options, commands, workspace }: RemoteParts): Promise<RemoteAgents> {
  const { RemoteAgents } = await import('../remote-agents/remote-agents.ts');
  const { home, environment, clock = systemClock, mcp, hints } = options;
  return new RemoteAgents({
    home,
    environment,
    clock,
    openKeyring: mcp?.openKeyring,
    signInHint: hints?.signInToAgent && ((agent) => hints.signInToAgent?.(agent) ?? ''),
    runCommand: (command, signal) => printedBy(command, { cwd: workspace.root, env: commands.environment, signal }),
  });
}

async function printedBy(
  command: string,
  { cwd, env, signal }: { cwd: string; env: Readonly<Record<string, string>>; signal: AbortSignal },
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const isWindows = process.platform === 'win32';
  const { code, ended, stderr } = await runChild({
    command: isWindows ? 'cmd.exe' : '/bin/sh',
    args: isWindows ? ['/d', '/s', '/c', command] : ['-c', command],
    cwd,
    env,
    signal,
    timeoutMs: COMMAND_LIMIT_MS,
    onStdout(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      return size <= MAX_OUTPUT;
    },
  });
  if (code === 0 && ended === undefined) return Buffer.concat(chunks).toString('utf8').trim();
  const why = ended === 'timeout' ? 'it took longer than 60 s' : stderr.trim().slice(0, 300);
  throw new Error(why === '' ? `it ended with code ${code}.` : why);
}

const DESCRIBE_LIMIT_MS = 15_000;

/** Asks for the cards of agents whose files describe them with no word: the model could not choose them. */
export async function describeRemotes(
  { registry }: SessionAgents,
  remotes: () => Promise<RemoteAgents>,
  warn: (message: string) => void,
): Promise<void> {
  const mute = registry.offered
    .filter((agent) => agent.kind === 'remote')
    .filter(({ description }) => description === '');
  const describe = async (agent: RemoteAgent) => {
    try {
      const described = await (await remotes()).describe(agent, AbortSignal.timeout(DESCRIBE_LIMIT_MS));
      registry.describe(agent.name, described);
    } catch (error) {
      warn(`[${agent.name}] ${getErrorMessage(error)}`);
    }
  };
  await Promise.all(mute.map(describe));
}

export async function* runRemoteAgent(
  parent: ParentParts,
  agent: RemoteAgent,
  task: string,
  context: ToolContext,
): AsyncGenerator<ToolUpdate, ToolOutput> {
  const { clock = systemClock, telemetry } = parent.options;
  const [remotes, { runRemote }] = await Promise.all([
    parent.agents.remotes(),
    import('../remote-agents/run-remote.ts'),
  ]);
  const named = { agentId: `${agent.name}-${createSessionId(clock).slice(-8)}`, agentName: agent.name };
  const startedAt = clock.now();
  telemetry?.note({ kind: 'agent_started', ...named });
  let isSuccess = false;
  try {
    const output = yield* runRemote(remotes, agent, task, context);
    isSuccess = typeof output === 'string' || output.error === undefined;
    return output;
  } finally {
    const durationMs = clock.now() - startedAt;
    const reason = isSuccess ? 'GOAL' : context.signal.aborted ? 'ABORTED' : 'ERROR';
    telemetry?.note({ kind: 'agent_finished', ...named, durationMs, turns: 1, reason });
    // Its tokens are spent elsewhere; the run counts here.
    openChildSpending(parent.spending, clock).settle(agent.name, {
      succeeded: isSuccess ? 1 : 0,
      turns: 1,
      durationMs,
    });
  }
}
