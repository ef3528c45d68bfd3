/**
 * Runs the user's command that prints a key, without a shell. Its output is a secret: it is cached for the process,
 * never logged, and no message repeats it.
 */

import { spawn } from 'node:child_process';
import { debugLogger } from '@castor/core';
import { ExitCode, ExitError } from '../exit-codes.ts';

const LIMIT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

const printed = new Map<string, Promise<string>>();

/** `isFresh` runs it again, for a token that expires. Throws an ExitError that names the setting. */
export function runKeyCommand(
  command: readonly string[],
  setting: string,
  environment: Readonly<Record<string, string | undefined>>,
  { isFresh = false }: { isFresh?: boolean } = {},
): Promise<string> {
  const id = JSON.stringify(command);
  const known = (isFresh ? undefined : printed.get(id)) ?? run(command, setting, environment);
  printed.set(id, known);
  // The user may unlock the password store and try again.
  known.catch(() => printed.delete(id));
  return known;
}

async function run(
  [file = '', ...args]: readonly string[],
  setting: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const fail = (reason: string) =>
    new ExitError(ExitCode.Unauthorized, `the command of ${setting} (${file}) ${reason}. Run it by hand to see why.`);
  const child = spawn(file, args, {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    if (text.length <= MAX_BYTES) text += piece;
  });
  const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(fail(error.code === 'ENOENT' ? 'was not found' : `could not be started: ${error.code ?? error.message}`)),
    );
    child.once('close', (ended, by) => resolve({ code: ended, signal: by }));
  });
  if (signal !== null) throw fail(`printed no key within ${LIMIT_MS / 1000} s`);
  if (code !== 0) throw fail(`failed with exit code ${code}`);
  const key = text.trim();
  if (key === '') throw fail('printed no key');
  if (/\s/.test(key) || text.length > MAX_BYTES) throw fail('printed more than one word');
  debugLogger.hide(key);
  return key;
}
