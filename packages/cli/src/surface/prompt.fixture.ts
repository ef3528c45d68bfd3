/** For tests: a workspace with an agent, and the services commands get. */

import type { ContentGenerator, WorkspaceAgentOptions } from '@castor/core';
import { createWorkspaceAgent } from '@castor/core';
import { createWorkspace } from '@castor/testkit';
import { join } from 'node:path';
import type { ReadContext } from './prompt-reading.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

export interface FixtureOptions {
  files?: Files;
  homeFiles?: Files;
  agent?: Partial<WorkspaceAgentOptions>;
  dependencies?: Partial<ReadContext>;
}

export async function openPromptFixture({ files = {}, homeFiles = {}, agent = {}, dependencies = {} }: FixtureOptions) {
  const workspace = await createWorkspace({ files, homeFiles });
  const { home, project } = workspace;
  const trustedFolder = 'trustedFolder' in agent ? agent.trustedFolder : true;
  const opened = await createWorkspaceAgent({
    // Tests here never ask a model.
    generator: {} as ContentGenerator,
    model: 'gemini-2.5-flash',
    sessionId: 'session-1',
    root: project,
    home,
    environment: { PATH: process.env['PATH'] },
    ...agent,
    trustedFolder,
  });
  const context: ReadContext = {
    agent: opened,
    home,
    version: '1.2.3',
    trustedFoldersFile: join(home, 'trusted.json'),
    trustedFolder,
    isAttended: false,
    startedAt: Date.now(),
    signal: new AbortController().signal,
    ...dependencies,
  };
  return {
    ...workspace,
    agent: opened,
    context,
    async [Symbol.asyncDispose]() {
      await opened.dispose();
      await workspace.dispose();
    },
  };
}
