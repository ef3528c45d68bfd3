/** What the editor does for an agent: its unsaved files, and its terminals. Only what it said it offers. */

import type { WorkspaceAgentOptions } from '@castor/core';
import type { Client } from './client.ts';
import { runInTerminal } from './editor-terminal.ts';
import type { EditorTerminalOptions, ForeignCommand } from './editor-terminal.ts';

type EditorPorts = NonNullable<WorkspaceAgentOptions['editor']>;

export interface EditorPortsOptions extends Omit<EditorTerminalOptions, 'sessionId'> {
  readonly client: Client;
  readonly sessionId: () => string;
  /** Aborts with the current prompt: no file is waited for then. */
  readonly promptSignal: () => AbortSignal;
}

export function createEditorPorts(options: EditorPortsOptions): EditorPorts {
  const { fs, terminal } = options.client.capabilities;
  const files = {
    ...(fs?.readTextFile && { read: (path: string) => readFile(path, options) }),
    ...(fs?.writeTextFile && { write: (path: string, text: string) => writeFile(path, text, options) }),
  };
  const runCommand = (command: ForeignCommand) =>
    runInTerminal(command, { ...options, sessionId: options.sessionId() });
  return { files, ...(terminal && { runCommand }) };
}

/** An editor that cannot read a file leaves it to the disk. */
async function readFile(
  path: string,
  { client, sessionId, promptSignal }: EditorPortsOptions,
): Promise<string | undefined> {
  try {
    const { content } = await client.request('fs/read_text_file', { sessionId: sessionId(), path }, promptSignal());
    return content;
  } catch {
    return undefined;
  }
}

async function writeFile(
  path: string,
  content: string,
  { client, sessionId, promptSignal }: EditorPortsOptions,
): Promise<void> {
  await client.request('fs/write_text_file', { sessionId: sessionId(), path, content }, promptSignal());
}
