/** What the editor does for an agent: its unsaved files, and its terminals. Only what it said it offers. */

import { getErrorMessage } from '@castor/core';
import type { WorkspaceAgentOptions } from '@castor/core';
import type { Client } from './client.ts';
import { describeEditorFailure } from './editor-failure.ts';
import { runInTerminal } from './editor-terminal.ts';
import type { EditorTerminalOptions, ForeignCommand } from './editor-terminal.ts';

type EditorPorts = NonNullable<WorkspaceAgentOptions['editor']>;

export interface EditorPortsOptions extends Omit<EditorTerminalOptions, 'sessionId'> {
  readonly client: Client;
  readonly sessionId: () => string;
  /** Aborts with the current prompt: no file is waited for then. */
  readonly promptSignal: () => AbortSignal;
  /** Tells the user. */
  readonly warn: (message: string) => void;
}

/** How editors and their languages say that a file does not exist. */
const NOT_FOUND = /ENOENT|no ?such ?file|not ?found|(?:does|do)(?: not|n't) exist|can(?:'t|not) (?:open|find)/i;
const RESOURCE_NOT_FOUND = -32_002;

export function createEditorPorts(options: EditorPortsOptions): EditorPorts {
  const { fs, terminal } = options.client.capabilities;
  const told = new Set<string>();
  const warn = (message: string) => {
    if (told.has(message)) return;
    told.add(message);
    options.warn(message);
  };
  const files = {
    ...(fs?.readTextFile && { read: (path: string) => readFile(path, options), warn }),
    ...(fs?.writeTextFile && { write: (path: string, text: string) => writeFile(path, text, options) }),
  };
  const runCommand = (command: ForeignCommand) =>
    runInTerminal(command, { ...options, sessionId: options.sessionId() });
  return { files, ...(terminal && { runCommand }) };
}

/** Undefined where the editor does not know the file. Rejects when it failed. */
async function readFile(
  path: string,
  { client, sessionId, promptSignal }: EditorPortsOptions,
): Promise<string | undefined> {
  const signal = promptSignal();
  try {
    const { content } = await client.request('fs/read_text_file', { sessionId: sessionId(), path }, signal);
    if (typeof content !== 'string') throw new Error('its answer has no text');
    return content;
  } catch (error) {
    // The call that asked ends by itself.
    if (signal.aborted) return undefined;
    const { code, message } = describeEditorFailure(error);
    if (code === RESOURCE_NOT_FOUND || NOT_FOUND.test(`${message} ${getErrorMessage(error)}`)) return undefined;
    throw new Error(message, { cause: error });
  }
}

async function writeFile(
  path: string,
  content: string,
  { client, sessionId, promptSignal }: EditorPortsOptions,
): Promise<void> {
  const signal = promptSignal();
  await client
    .request('fs/write_text_file', { sessionId: sessionId(), path, content }, signal)
    .catch((error: unknown) => {
      throw signal.aborted ? error : new Error(describeEditorFailure(error).message, { cause: error });
    });
}
