/** The program at its prompt, for tests: a home, a project, a scripted model and a terminal, gone together at the end. */

import { createWorkspace, fakeModel, say, startTerminal } from '@castor/testkit';
import type { FakeModel, Script, Terminal, TerminalOptions, Workspace, WorkspaceOptions } from '@castor/testkit';

/** On the screen when words can be typed. */
export const READY = 'Type your message';

export interface OpenedTerminal extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly model: FakeModel;
  readonly terminal: Terminal;
}

export type OpenTerminalOptions = WorkspaceOptions &
  Pick<TerminalOptions, 'rows' | 'columns' | 'background'> & {
    /** The person's own. */
    readonly settings?: object;
    /** The last answer is given again and again; default `ok`. */
    readonly script?: Script;
    readonly args?: readonly string[];
    readonly env?: Record<string, string> | ((workspace: Workspace) => Record<string, string>);
    readonly isAtHome?: boolean;
    /** Typed before the program has shown anything. */
    readonly typedFirst?: string;
    /** Waited for; default the prompt. */
    readonly until?: string | RegExp;
  };

export async function openTerminal(options: OpenTerminalOptions = {}): Promise<OpenedTerminal> {
  const { settings, script = [say('ok')], args = [], env = {}, isAtHome = false, until = READY } = options;
  const { rows = 24, columns = 80, background } = options;
  const homeFiles = {
    ...(settings && { '.gemini/settings.json': JSON.stringify(settings) }),
    ...options.homeFiles,
  };
  const workspace = await createWorkspace({ files: options.files ?? {}, homeFiles });
  const model = await fakeModel(script, { repeatLast: true });
  const terminal = await startTerminal(args, {
    model,
    workspace,
    rows,
    columns,
    env: typeof env === 'function' ? env(workspace) : env,
    ...(background !== undefined && { background }),
    ...(isAtHome && { cwd: workspace.home }),
  });
  if (options.typedFirst !== undefined) terminal.type(options.typedFirst);
  const opened = {
    workspace,
    model,
    terminal,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await workspace.dispose();
    },
  };
  try {
    await terminal.waitForText(until);
    return opened;
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/** The parts of the last message the model was sent. */
export function lastParts({ requests }: Pick<FakeModel, 'requests'>): readonly unknown[] {
  const { contents } = requests.at(-1)?.body as { contents: { parts: unknown[] }[] };
  return contents.at(-1)?.parts ?? [];
}
