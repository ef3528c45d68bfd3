/** The token of the HTTP server: from the environment, else from a file of the user that is created once. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { makeDirectory, userDirectory } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';

export const TOKEN_VARIABLE = 'CASTOR_MCP_TOKEN';
const MIN_LENGTH = 16;

export interface ServeToken {
  readonly token: string;
  /** Where the user finds it. */
  readonly origin: string;
}

/** Throws an ExitError for a token that others can read or guess. */
export function readToken(home: string, environment: Readonly<Record<string, string | undefined>>): ServeToken {
  const given = environment[TOKEN_VARIABLE];
  if (given !== undefined && given !== '') return checked(given.trim(), `in ${TOKEN_VARIABLE}`);
  const path = join(userDirectory(home), 'mcp-serve-token');
  try {
    makeDirectory(userDirectory(home));
    writeFileSync(path, `${crypto.randomUUID()}${crypto.randomUUID()}\n`.replaceAll('-', ''), {
      flag: 'wx',
      mode: 0o600,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, error);
  }
  try {
    const isShared = process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;
    if (isShared) throw new ExitError(ExitCode.Settings, `other users can read ${path}. Run: chmod 600 ${path}`);
    return checked(readFileSync(path, 'utf8').trim(), `in ${path}`);
  } catch (error) {
    throw error instanceof ExitError ? error : unusable(path, error);
  }
}

function checked(token: string, origin: string): ServeToken {
  if (token.length >= MIN_LENGTH && /^[\x21-\x7e]+$/.test(token)) return { token, origin };
  const message = `the token ${origin} must have at least ${MIN_LENGTH} characters, without spaces.`;
  throw new ExitError(ExitCode.Settings, message);
}

function unusable(path: string, error: unknown): ExitError {
  const message = `the token cannot be kept in ${path}: ${getErrorMessage(error)}. Set ${TOKEN_VARIABLE} instead.`;
  return new ExitError(ExitCode.Settings, message, { cause: error });
}
