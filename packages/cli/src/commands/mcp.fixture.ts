/** A folder and a home in which `castor mcp` and `castor doctor` run, with what they print. For tests. */

import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspace } from '@castor/testkit';
import type { WorkspaceOptions } from '@castor/testkit';
import { runDoctorCommand } from './doctor.ts';
import { runMcpCommand } from './mcp.ts';

/** The bundle defines it. */
export function defineVersion(): () => void {
  Object.assign(globalThis, { CASTOR_VERSION: '0.0.0' });
  return () => void Reflect.deleteProperty(globalThis, 'CASTOR_VERSION');
}

const NO_BROWSER = { NO_BROWSER: '1' };

export async function openFolder(options: WorkspaceOptions = {}, environment: Record<string, string> = {}) {
  const workspace = await createWorkspace(options);
  const { project: cwd, home } = workspace;
  const userFile = join(home, '.gemini', 'settings.json');
  const projectFile = join(cwd, '.gemini', 'settings.json');
  async function start(
    command: (argv: string[], context: Parameters<typeof runMcpCommand>[1]) => Promise<number>,
    args: string[],
    onNote: (text: string) => void = () => {},
  ) {
    let stdout = '';
    let stderr = '';
    const output = {
      answer: async (text: string) => void (stdout += text),
      note(text: string) {
        stderr += `${text}\n`;
        onNote(text);
      },
    };
    const env = { PATH: process.env['PATH'], HOME: home, ...NO_BROWSER, ...environment };
    const code = await command(args, { output, cwd, home, environment: env }).catch(
      (error: Error & { exitCode?: number }) => {
        stderr += error.message;
        return error.exitCode ?? -1;
      },
    );
    return { code, stdout, stderr };
  }
  return {
    workspace,
    userFile,
    projectFile,
    run: (...args: string[]) => start(runMcpCommand, args),
    runWith: (onNote: (text: string) => void, ...args: string[]) => start(runMcpCommand, args, onNote),
    doctor: (...args: string[]) => start(runDoctorCommand, args),
    readUser: () => JSON.parse(readFileSync(userFile, 'utf8')) as Record<string, unknown>,
    readProject: () => JSON.parse(readFileSync(projectFile, 'utf8')) as { mcpServers: Record<string, unknown> },
    async trust() {
      await mkdir(join(home, '.gemini'), { recursive: true });
      const text = JSON.stringify({ [cwd]: 'TRUST_FOLDER' });
      await writeFile(join(home, '.gemini', 'trustedFolders.json'), text, { mode: 0o600 });
    },
    [Symbol.asyncDispose]: () => workspace.dispose(),
  };
}

export const userServers = (mcpServers: object, rest: object = {}): WorkspaceOptions => ({
  homeFiles: { '.gemini/settings.json': JSON.stringify({ mcpServers, ...rest }) },
});
