/**
 * Ends the program when the process that started it dies: a worker of a batch names a pipe that only it holds open. The session stays,
 * as after any signal, and another worker continues it.
 */

import { Socket } from 'node:net';

const VARIABLE = 'CASTOR_LIFELINE';

export function watchLifeline(): void {
  const descriptor = Number(process.env[VARIABLE]);
  // What this program starts must not look for the pipe.
  delete process.env[VARIABLE];
  if (!Number.isInteger(descriptor) || descriptor < 3) return;
  const end = () => process.kill(process.pid, 'SIGTERM');
  try {
    const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
    pipe.on('error', end);
    pipe.once('close', end);
    pipe.resume();
    pipe.unref();
  } catch {
    // The number is not a pipe: the variable was inherited, and its owner is another program.
  }
}
