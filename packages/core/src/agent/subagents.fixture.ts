/** A workspace agent whose sub-agents are played by scripts of their own: a request goes to the agent that its system instruction names. */

import { createWorkspace, fakeModel, say } from '@castor/testkit';
import type { ModelRequest, Step, Workspace } from '@castor/testkit';
import type { AgentEvent } from '../protocol/agent-events.ts';
import { createGeminiGenerator } from '../provider/gemini/generator.ts';
import { openSession } from '../records/open-session.ts';
import { createWorkspaceAgent } from './workspace-agent.ts';
import type { WorkspaceAgentOptions } from './workspace-options.ts';

/** By the name of an agent; `main` is the user's session. The last step is not repeated. */
export type Scripts = Readonly<Record<string, readonly Step[]>>;

export interface SubagentOptions extends Partial<WorkspaceAgentOptions> {
  /** Of the project. */
  files?: Readonly<Record<string, string>>;
  homeFiles?: Readonly<Record<string, string>>;
  workspace?: Workspace;
  /** A session to resume. */
  resume?: string;
}

interface Body {
  systemInstruction?: { parts?: { text?: string }[] };
  contents: { role: string; parts: Record<string, unknown>[] }[];
  tools?: { functionDeclarations: { name: string; description: string }[] }[];
}

export const bodyOf = ({ body }: ModelRequest): Body => body as Body;
export const toolsOf = (request: ModelRequest | undefined): string[] =>
  (request && bodyOf(request).tools?.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name))) ?? [];
export const instructionOf = (request: ModelRequest | undefined): string =>
  (request &&
    bodyOf(request)
      .systemInstruction?.parts?.map(({ text = '' }) => text)
      .join('')) ??
  '';

/** The conversation of a request, as text. */
export const sentText = (request: ModelRequest | undefined): string =>
  request ? JSON.stringify(bodyOf(request).contents) : '';

function agentOf(request: ModelRequest): string {
  return /You are the sub-agent ([\w-]+)\./.exec(instructionOf(request))?.[1] ?? 'main';
}

export async function openSubagents(first: Scripts, given: SubagentOptions = {}) {
  const { files, homeFiles, workspace: shared, resume, ...options } = given;
  const workspace = shared ?? (await createWorkspace({ ...(files && { files }), ...(homeFiles && { homeFiles }) }));
  let scripts = first;
  const requests = new Map<string, ModelRequest[]>();
  const model = await fakeModel((request) => {
    const name = agentOf(request);
    const seen = requests.get(name) ?? [];
    requests.set(name, [...seen, request]);
    return scripts[name]?.[seen.length] ?? say(`There is no step ${seen.length} for ${name}.`);
  });
  const { home, project: root } = workspace;
  const session = await openSession({ home, root, ...(resume === undefined ? { sessionId: 'parent' } : { resume }) });
  const agent = await createWorkspaceAgent({
    generator: createGeminiGenerator({ apiKey: 'k', baseUrl: model.url }),
    model: 'gemini-2.5-flash',
    session,
    root,
    home,
    environment: { PATH: process.env['PATH'], HOME: home },
    interactive: true,
    trustedFolder: true,
    ...options,
  });
  return {
    agent,
    session,
    workspace,
    model,
    requestsOf: (name: string) => requests.get(name) ?? [],
    /** Other scripts from here on, each from its first step. */
    play(next: Scripts) {
      scripts = next;
      requests.clear();
    },
    /** Runs a prompt; `see` receives every event as it comes. */
    async ask(prompt: string, see?: (event: AgentEvent) => void, signal = new AbortController().signal) {
      const events: AgentEvent[] = [];
      for await (const event of agent.session.prompt(prompt, signal)) {
        events.push(event);
        see?.(event);
      }
      return events;
    },
    async [Symbol.asyncDispose]() {
      await agent.dispose();
      await model.close();
      if (!shared) await workspace.dispose();
    },
  };
}

export type Subagents = Awaited<ReturnType<typeof openSubagents>>;

/** The response to a call of the session itself, as the model reads it. */
export function responseOf(events: readonly AgentEvent[], callId: string): Record<string, unknown> {
  for (const event of events) {
    if (event.type !== 'tool_call_response' || event.parentCallId !== undefined) continue;
    const part = event.value.responseParts.find(({ functionResponse }) => functionResponse?.id === callId);
    if (part) return part.functionResponse?.response ?? {};
  }
  return {};
}

export const agentFile = (fields: string, body = 'You review code.'): string => `---\n${fields}\n---\n${body}\n`;
