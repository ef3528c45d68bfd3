/** Checks the machine for `castor doctor`: programs and modules that make a run faster or safer. Runs nothing. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SubcommandContext } from './subcommand-context.ts';
import type { Check } from './doctor.ts';

export async function checkMachine({ environment }: SubcommandContext): Promise<Check[]> {
  const ripgrep = await findModule(async () => (await import('@vscode/ripgrep')).rgPath);
  const pty = await findModule(async () => {
    await import('@lydell/node-pty');
    return 'found';
  });
  const onPath = (name: string) => findOnPath(name, environment['PATH'] ?? '');
  return [
    present('ripgrep', ripgrep ?? onPath('rg'), 'search is slower without it'),
    present('git', onPath('git'), 'needed for worktrees and checkpoints'),
    present('pty', pty, 'commands run without a terminal of their own'),
    ...(process.platform === 'linux' ? [present('bwrap', onPath('bwrap'), 'bubblewrap, for sandboxes')] : []),
  ];
}

function present(topic: string, found: string | undefined, use: string): Check {
  return found === undefined
    ? { topic, status: 'missing', says: `not found; ${use}` }
    : { topic, status: 'ok', says: found };
}

async function findModule(load: () => Promise<string>): Promise<string | undefined> {
  try {
    const path = await load();
    return path === 'found' || existsSync(path) ? path : undefined;
  } catch {
    // Not installed, or built for another machine.
    return undefined;
  }
}

function findOnPath(name: string, path: string): string | undefined {
  const separator = process.platform === 'win32' ? ';' : ':';
  const candidates = path.split(separator).flatMap((folder) => (folder === '' ? [] : join(folder, name)));
  return candidates.find((candidate) => existsSync(candidate) && dirname(candidate) !== process.cwd());
}
