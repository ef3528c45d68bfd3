/**
 * Implements `/chat`: saves conversations under a name, resumes them in a session of their own, and exports them. For
 * every surface; it reads the conversation and never changes it.
 */

import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { getErrorMessage } from '@castor/core';
import {
  createSessionFrom,
  deleteCheckpoint,
  listCheckpoints,
  readCheckpoint,
  saveCheckpoint,
} from '@castor/core/program';
import type { Content, WorkspaceAgent } from '@castor/core';
import { readableTime } from '../readable-numbers.ts';
import { chooseAuthType } from '../start/auth-type.ts';
import type { Start } from '../start/start.ts';
import type { SessionService } from './command.ts';
import { toMarkdown } from './conversation-text.ts';

export interface SessionServiceOptions {
  agent: Pick<WorkspaceAgent, 'chat' | 'workspace' | 'requestedModel'>;
  home: string;
  /** How requests are authorised; a conversation saved under another method is not resumed. */
  authType: string | undefined;
  now?: () => number;
}

export function openSessionService({ home, settings, environment }: Start, agent: WorkspaceAgent): SessionService {
  return createSessionService({ agent, home, authType: chooseAuthType(settings.security.auth, environment) });
}

export function createSessionService({ agent, home, authType, now = Date.now }: SessionServiceOptions): SessionService {
  const { root, tempDirectory: folder } = agent.workspace;
  return {
    async list() {
      const saved = listCheckpoints(folder);
      if (saved.length === 0) return 'No saved conversations. Save this one with /chat save <tag>.';
      return ['Saved conversations, oldest first:', ...saved.map(describe)].join('\n');
    },

    async save(tag) {
      const history = conversationOf(agent);
      saveCheckpoint(folder, tag, { history, authType });
      return `The conversation is saved as "${tag}". Resume it with /chat resume ${tag}.`;
    },

    async resume(tag) {
      const saved = readCheckpoint(folder, tag);
      if (saved.authType !== undefined && authType !== undefined && saved.authType !== authType) {
        throw new Error(
          `"${tag}" was saved with the authentication "${saved.authType}"; the current one is "${authType}". Castor did not resume it.`,
        );
      }
      return createSessionFrom(saved.history.filter(isSaid), { home, root });
    },

    async delete(tag) {
      deleteCheckpoint(folder, tag);
      return `The conversation "${tag}" is deleted.`;
    },

    async share(file) {
      const name = file || `conversation-${now()}.md`;
      const history = conversationOf(agent);
      return `The conversation is in ${await writeNew(resolve(root, name), toText(name, history))}.`;
    },

    async debug() {
      conversationOf(agent);
      const { chat } = agent;
      const request = { model: agent.requestedModel(), contents: chat.getHistory(true), tools: chat.getTools() };
      const text = `${JSON.stringify(request, null, 2)}\n`;
      return `The request is in ${await writeNew(resolve(root, `castor-request-${now()}.json`), text)}.`;
    },
  };
}

/** Returns the path. An existing file is kept. */
async function writeNew(path: string, text: string): Promise<string> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return path;
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new Error(isTaken ? `${path} already exists; choose another name.` : getErrorMessage(error), {
      cause: error,
    });
  }
}

function conversationOf({ chat }: SessionServiceOptions['agent']): Content[] {
  const history = chat.getHistory().filter(isSaid);
  if (history.length === 0) throw new Error('The conversation is empty.');
  return history;
}

/** The first message describes the environment, and a resumed session gets its own. */
function isSaid({ parts }: Content): boolean {
  return parts?.[0]?.text?.startsWith('<session_context>') !== true;
}

function toText(name: string, history: readonly Content[]): string {
  const kind = extname(name).toLowerCase();
  if (kind === '.json') return `${JSON.stringify(history, null, 2)}\n`;
  if (kind === '.md') return toMarkdown(history);
  throw new Error(`"${name}" must end in .md or .json.`);
}

function describe({ tag, savedAt }: { tag: string; savedAt: number }): string {
  return `  ${tag}  (${readableTime(savedAt)})`;
}
