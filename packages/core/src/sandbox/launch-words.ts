/**
 * The words that start bubblewrap. It gets the files it reads as descriptors, which cannot be passed through a pseudo terminal: there a
 * shell opens them. A shell is needed as well to close descriptors that this program inherited itself.
 */

import { builtin } from '../util/builtin-modules.ts';
import { inheritedDescriptors } from './session-folder.ts';

/** The first file of an invocation, and the second. */
export const ARGUMENTS_DESCRIPTOR = 3;
export const FILTER_DESCRIPTOR = 4;

/** The highest descriptor that every shell can close. */
const LAST_OF_SH = 9;

export interface LaunchFiles {
  arguments: string;
  filter: string | undefined;
}

export class LaunchWords {
  /** Redirections of bash that close what was inherited; empty where nothing was. */
  readonly closing: string;
  private readonly inherited: readonly number[];
  private resets: boolean | undefined;

  constructor(inherited: readonly number[] = inheritedDescriptors()) {
    // Those of ours take the place of what was inherited there.
    this.inherited = inherited.filter((each) => each !== ARGUMENTS_DESCRIPTOR && each !== FILTER_DESCRIPTOR);
    this.closing = this.inherited.map((descriptor) => ` ${descriptor}>&-`).join('');
  }

  /** `closesItself`: what runs inside begins by closing what was inherited. Each shell costs a command milliseconds. */
  start(
    [file = '', ...args]: readonly string[],
    { arguments: words, filter }: LaunchFiles,
    { isTerminal = false, closesItself = false },
  ): { file: string; args: string[]; files?: string[] } {
    const isOpen = this.closing !== '' && !closesItself;
    if (!isTerminal && !isOpen) return { file, args, files: [words, ...(filter === undefined ? [] : [filter])] };
    const shell = this.shell(isTerminal);
    return { file: shell.file, args: ['-c', shell.script, 'sandbox', words, filter ?? '/dev/null', file, ...args] };
  }

  /** The words of the command itself, which gets the signals of its terminal again. */
  inner(words: readonly string[], isTerminal: boolean): string[] {
    return isTerminal && this.canResetSignals() ? ['/usr/bin/env', '--default-signal=INT,QUIT', ...words] : [...words];
  }

  /** Only bash, which starts slower, can close descriptors above nine. A terminal's Ctrl-C is for the command alone. */
  private shell(isTerminal: boolean): { file: string; script: string } {
    const trap = isTerminal && this.canResetSignals() ? `trap '' INT QUIT; ` : '';
    const opened = `${ARGUMENTS_DESCRIPTOR}<"$a" ${FILTER_DESCRIPTOR}<"$f"`;
    return {
      file: this.inherited.every((each) => each <= LAST_OF_SH) ? '/bin/sh' : '/bin/bash',
      script: `${trap}a=$1 f=$2; shift 2; exec "$@" ${opened}${this.closing}`,
    };
  }

  private canResetSignals(): boolean {
    this.resets ??=
      builtin.childProcess.spawnSync('/usr/bin/env', ['--default-signal=INT,QUIT', 'true'], { stdio: 'ignore' })
        .status === 0;
    return this.resets;
  }
}
