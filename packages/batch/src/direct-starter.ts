/** Starts programs as children of the worker itself. */

import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { startTimeOf } from './process-identity.ts';
import { LIFELINE_DESCRIPTOR, signalGroup } from './starter.ts';
import type { Start, Started, Starter } from './starter.ts';

export class DirectStarter implements Starter {
  readonly hasFirst = false;

  start({ words, directory, environment, stdin, stdout, stderr, lifeline, identity }: Start): Started {
    const [command, ...args] = words;
    const input = stdin === undefined ? 'ignore' : openSync(stdin, 'r');
    const [out, err] = [openSync(stdout, 'a', 0o600), openSync(stderr, 'a', 0o600)];
    let child;
    try {
      child = spawn(command, args, {
        cwd: directory,
        env: environment as NodeJS.ProcessEnv,
        stdio: [input, out, err, lifeline === undefined ? 'ignore' : 'pipe'],
        // A group of its own: a terminal's Ctrl+C is for the worker, which lets its tasks finish.
        detached: true,
      });
    } finally {
      if (input !== 'ignore') closeSync(input);
      closeSync(out);
      closeSync(err);
    }
    const { pid } = child;
    if (pid !== undefined && identity !== undefined)
      writeFileSync(identity, `${pid} ${startTimeOf(pid)}\n`, { mode: 0o600 });
    const pipe = child.stdio[LIFELINE_DESCRIPTOR];
    // A child that is gone may not crash the worker.
    pipe?.on('error', () => undefined);
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => {
        pipe?.destroy();
        resolve(code);
      });
    });
    return { ended, end: (signal) => void (pid !== undefined && signalGroup(pid, signal)) };
  }

  close(): void {}
}
