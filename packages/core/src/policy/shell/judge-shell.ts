/**
 * All that is known about shell lines, behind one door: the policy engine opens it when
 * the first command comes, so that a start does not load it.
 */

import { loadShellParser } from './shell-command.ts';
import type { JudgeOptions } from './command-judge.ts';
import type { LineVerdict } from './shell-judge.ts';
import { judgeLine } from './shell-judge.ts';
import { readShellLine } from './shell-leaves.ts';

/** The decision on a command line; `home` is what the line finds in HOME. */
export async function judgeShell(command: string, home: string, options: JudgeOptions): Promise<LineVerdict> {
  await loadShellParser();
  // Where the line may move to another folder, PWD is known only when it runs.
  const moves = /\b(?:cd|pushd|popd)\b/.test(command.replaceAll(/\$?['"]|\\\n?/g, ''));
  const variables = new Map([['HOME', home], ...(moves ? [] : [['PWD', options.directory] as const])]);
  return judgeLine(command, readShellLine(command, variables), options);
}
