/**
 * The single entry to the analysis of shell lines: the policy engine loads it with the
 * first command, so that startup does not.
 */

import { loadShellParser } from './shell-command.ts';
import type { JudgeOptions } from './command-judge.ts';
import type { LineVerdict } from './shell-judge.ts';
import { judgeLine } from './shell-judge.ts';
import { readShellLine } from './shell-leaves.ts';
import { unnamedWrites } from './unnamed-writes.ts';

/** Decides on a command line; `home` is the value of HOME for the line. */
export async function judgeShell(command: string, home: string, options: JudgeOptions): Promise<LineVerdict> {
  await loadShellParser();
  // When the line may change its folder, PWD is unknown before it runs.
  const moves = /\b(?:cd|pushd|popd)\b/.test(command.replaceAll(/\$?['"]|\\\n?/g, ''));
  const variables = new Map([['HOME', home], ...(moves ? [] : [['PWD', options.directory] as const])]);
  const reading = readShellLine(command, variables);
  return judgeLine(command, reading, options, await unnamedWrites(reading.leaves, options));
}
