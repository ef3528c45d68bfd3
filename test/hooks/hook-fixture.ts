/** A prompt run by an agent with real hook scripts, against the scripted model. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGeminiGenerator, createWorkspaceAgent } from '@castor/core';
import type { AgentEvent, HookLayer, SessionEvent, WorkspaceAgent, WorkspaceAgentOptions } from '@castor/core';
import { createWorkspace, fakeModel } from '@castor/testkit';
import type { FakeModel, Script, Workspace } from '@castor/testkit';

export interface HookedRun extends AsyncDisposable {
  agent: WorkspaceAgent;
  model: FakeModel;
  workspace: Workspace;
  /** Ends the session; gives what happened in it outside of prompts. */
  closing(): Promise<SessionEvent[]>;
  /** Runs one prompt and gives everything that happened. */
  prompt(text: string, react?: (event: AgentEvent) => void): Promise<AgentEvent[]>;
  /** What the hooks wrote with `tee -a "$GEMINI_PROJECT_DIR/log"`, one object a line. */
  log(): Record<string, unknown>[];
}

/** Appends what the hook is told to a log, then answers. */
export function says(output: object | string = {}): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  // One write, so that hooks that run beside each other do not mix their lines.
  return `printf '%s\\n' "$(cat)" >> "$GEMINI_PROJECT_DIR/log"; cat <<'END'\n${text}\nEND`;
}

/** One hook for each event, from the person's own settings. */
export function userHooks(hooks: Readonly<Record<string, string | readonly string[]>>, rest: object = {}): HookLayer {
  const definitions = Object.entries(hooks).map(([event, commands]) => [
    event,
    [{ ...rest, hooks: [commands].flat().map((command) => ({ type: 'command', command })) }],
  ]);
  return { source: 'user', file: 'settings.json', hooks: Object.fromEntries(definitions) };
}

export async function openHooked(
  script: Script,
  hookLayers: readonly HookLayer[],
  { homeFiles = {}, ...options }: Partial<WorkspaceAgentOptions> & { homeFiles?: Record<string, string> } = {},
): Promise<HookedRun> {
  const workspace = await createWorkspace({ files: { 'a.txt': 'text of a' }, homeFiles });
  const model = await fakeModel(script);
  const agent = await createWorkspaceAgent({
    generator: createGeminiGenerator({ baseUrl: model.url, apiKey: 'secret-key' }),
    model: 'gemini-2.5-flash',
    sessionId: 'session',
    root: workspace.project,
    home: workspace.home,
    environment: { PATH: process.env['PATH'], HOME: workspace.home, GEMINI_API_KEY: 'secret-key' },
    secrets: ['secret-key'],
    approvalMode: 'yolo',
    hookLayers,
    ...options,
  });
  return {
    agent,
    model,
    workspace,
    async closing() {
      await agent.dispose();
      const events: SessionEvent[] = [];
      for await (const event of agent.session.events()) events.push(event);
      return events;
    },
    async prompt(text, react) {
      const events: AgentEvent[] = [];
      for await (const event of agent.session.prompt([{ text }], new AbortController().signal)) {
        events.push(event);
        react?.(event);
      }
      return events;
    },
    log: () =>
      readFileSync(join(workspace.project, 'log'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      await agent.dispose();
      await model.close();
      await workspace.dispose();
    },
  };
}

/** A pipe that tells when a hook is up, and when the last process that holds it is gone. */
export function openSign(path: string): { command: string; isUp: Promise<unknown>; isGone(): Promise<unknown> } {
  execFileSync('mkfifo', [path]);
  // Opening it for reading waits for a writer; the end comes when there is none left.
  const stream = createReadStream(path);
  return {
    command: `exec 9>'${path}'; trap '' TERM; sleep 1000`,
    isUp: once(stream, 'open'),
    isGone: () => once(stream.resume(), 'end'),
  };
}

/** What a child of a hook does: it waits until our program knows of the hook's end, and prints when it is told to. */
export function openLatecomer(path: string): { command: string; speak(): Promise<void> } {
  const [gone, go] = [`${path}-gone`, `${path}-go`];
  execFileSync('mkfifo', [gone, go]);
  return {
    command: `while kill -0 $$ 2>/dev/null; do :; done; echo > '${gone}'; read -r _ < '${go}'; echo late`,
    async speak() {
      await readFile(gone);
      // What the hook itself printed is read within a few turns of this loop.
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      writeFileSync(go, 'go\n');
    },
  };
}

/** The text of the answer, and how the prompt ended. */
export function summaryOf(events: readonly AgentEvent[]): { text: string; outcome: string; detail?: string } {
  const text = events.map((event) => (event.type === 'content' ? event.value : '')).join('');
  const end = events.at(-1);
  if (end?.type !== 'prompt_ended') throw new Error('The prompt did not end.');
  return { text, outcome: end.outcome, ...(end.detail !== undefined && { detail: end.detail }) };
}

/** What the model was told of the calls before its last request. */
export function toldOf({ requests }: FakeModel, index = 1): unknown[] {
  const parts = (requests[index]?.body.contents.at(-1).parts ?? []) as { functionResponse?: { response: unknown } }[];
  return parts.flatMap(({ functionResponse }) => functionResponse?.response ?? []);
}

/** The texts of the last turn of a request. */
export function lastTexts({ requests }: FakeModel, index = 0): string[] {
  const parts = (requests[index]?.body.contents.at(-1).parts ?? []) as { text?: string }[];
  return parts.flatMap(({ text }) => text ?? []);
}
