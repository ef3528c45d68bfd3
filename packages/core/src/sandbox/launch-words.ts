/**
 * The words that start bubblewrap. Descriptors cannot be passed through a pseudo terminal, so a shell opens them; it also closes
 * those that this program inherited itself.
 */

import { builtin } from '../util/builtin-modules.ts';
import { inheritedDescriptors } from './session-folder.ts';

export const ARGUMENTS_DESCRIPTOR = 8;
export const FILTER_DESCRIPTOR = 9;

/** The highest descriptor that every shell can close. */
const LAST_OF_SH = 9;

export class LaunchWords {
  private readonly inherited: readonly number[];
  private resets: boolean | undefined;

  constructor(inherited: readonly number[] = inheritedDescriptors()) {
    // Those of ours take the place of what was inherited there.
    this.inherited = inherited.filter((each) => each !== ARGUMENTS_DESCRIPTOR && each !== FILTER_DESCRIPTOR);
  }

  /** Only bash, which starts slower, can close descriptors above nine. A terminal's Ctrl-C is for the command alone. */
  shell(isTerminal: boolean): { file: string; script: string } {
    const closed = this.inherited.map((descriptor) => ` ${descriptor}>&-`).join('');
    const trap = isTerminal && this.canResetSignals() ? `trap '' INT QUIT; ` : '';
    const opened = `${ARGUMENTS_DESCRIPTOR}<"$a" ${FILTER_DESCRIPTOR}<"$f"`;
    return {
      file: this.inherited.every((each) => each <= LAST_OF_SH) ? '/bin/sh' : '/bin/bash',
      script: `${trap}a=$1 f=$2; shift 2; exec "$@" ${opened}${closed}`,
    };
  }

  /** The words of the command itself, which gets the signals of its terminal again. */
  inner(words: readonly string[], isTerminal: boolean): string[] {
    return isTerminal && this.canResetSignals() ? ['/usr/bin/env', '--default-signal=INT,QUIT', ...words] : [...words];
  }

  private canResetSignals(): boolean {
    this.resets ??=
      builtin.childProcess.spawnSync('/usr/bin/env', ['--default-signal=INT,QUIT', 'true'], { stdio: 'ignore' })
        .status === 0;
    return this.resets;
  }
}
