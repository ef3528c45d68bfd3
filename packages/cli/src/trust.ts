/**
 * Whether the folder may have a say, by flag, variable and the user's own file. A
 * folder the user marked as not trusted is not worked in without a screen; one nobody
 * has decided on is, and nothing it configures runs (docs/decisions/0009).
 */

import { join } from 'node:path';
import { TrustedFolders } from '@castor/core';
import { ExitCode, ExitError } from './exit-codes.ts';

export interface TrustQuestion {
  folder: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** `--skip-trust`. */
  skipTrust: boolean;
}

const VARIABLE = 'GEMINI_CLI_TRUST_WORKSPACE';

/** True, or undefined where nobody has decided. Throws an ExitError for a folder that is not trusted. */
export function decideTrust({ folder, home, environment, skipTrust }: TrustQuestion): true | undefined {
  const override = skipTrust || readOverride(environment[VARIABLE]);
  if (override === true) return true;
  if (override === false) {
    throw new ExitError(
      ExitCode.Untrusted,
      `${VARIABLE} says that this folder is not trusted. Unset it, or trust the folder for this run with --skip-trust.`,
    );
  }
  const file = environment['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || join(home, '.gemini', 'trustedFolders.json');
  const folders = TrustedFolders.load(file);
  // An entry that cannot be read may be the one that says no.
  if (folders.problems.length > 0) throw new ExitError(ExitCode.Settings, folders.problems.join('\n'));
  const { trusted, path } = folders.check({ folder, enabled: true });
  if (trusted === false) {
    throw new ExitError(
      ExitCode.Untrusted,
      `${folder} is not trusted: ${file} marks ${path} as DO_NOT_TRUST. Change that entry, or trust the folder for this run with --skip-trust.`,
    );
  }
  return trusted;
}

/** Undefined where the variable decides nothing. */
function readOverride(value: string | undefined): boolean | undefined {
  if (value === undefined || value === '') return undefined;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new ExitError(ExitCode.Settings, `${VARIABLE} must be true or false, not ${JSON.stringify(value)}.`);
}
