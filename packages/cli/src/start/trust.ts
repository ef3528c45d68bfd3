/**
 * Decides whether the folder is trusted, by flag, variable, setting and the user's own file. Without a screen Castor
 * rejects a folder the user marked as not trusted; in one without a trust decision it works, and nothing the folder
 * configures runs (docs/decisions/0009), unless the user's own settings require a decision first.
 */

import { join } from 'node:path';
import { TrustedFolders } from '@castor/core/program';
import type { SettingsLayer } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';

export interface TrustQuestion {
  folder: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** `--skip-trust`. */
  skipTrust: boolean;
  /** `security.folderTrust.enabled`. */
  isAsked: boolean;
  /** What the editor around the terminal decided; it precedes the user's file. */
  editorTrust?: boolean | undefined;
}

export interface TrustDecision {
  /** Undefined without a trust decision. */
  trusted: boolean | undefined;
  /** Why the folder is not trusted and what to do; only then. */
  reason?: string;
}

const VARIABLE = 'GEMINI_CLI_TRUST_WORKSPACE';

/** The user's file of trusted folders. */
export function trustedFoldersFile({ home, environment }: Pick<TrustQuestion, 'home' | 'environment'>): string {
  return environment['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || join(home, '.gemini', 'trustedFolders.json');
}

/** Throws an ExitError for an invalid variable or file. */
export function decideTrust(question: TrustQuestion): TrustDecision {
  const { folder, environment, skipTrust, isAsked } = question;
  const override = skipTrust || readOverride(environment[VARIABLE]);
  if (override === true) return { trusted: true };
  if (override === false) {
    const reason = `${VARIABLE} marks this folder as not trusted. Unset it, or trust the folder for this run with --skip-trust.`;
    return { trusted: false, reason };
  }
  if (question.editorTrust !== undefined) {
    const reason = `${folder} is not trusted in your editor. Trust it there, or for this run with --skip-trust.`;
    return question.editorTrust ? { trusted: true } : { trusted: false, reason };
  }
  const file = trustedFoldersFile(question);
  const folders = TrustedFolders.load(file);
  // An unreadable entry may be the one that denies trust.
  if (folders.problems.length > 0) throw new ExitError(ExitCode.Settings, folders.problems.join('\n'));
  const { trusted, path } = folders.check({ folder, enabled: isAsked });
  if (trusted !== false) return { trusted };
  const reason = `${folder} is not trusted: ${file} marks ${path} as DO_NOT_TRUST. Change that entry, or trust the folder for this run with --skip-trust.`;
  return { trusted, reason };
}

const SETTING = 'security.folderTrust.enabled';

/**
 * Why Castor rejects a folder without a screen; undefined when it accepts it. A user who has enabled folder trust in
 * the settings wants a question about a folder without a trust decision.
 */
export function refusalWithoutScreen(
  { trusted, reason }: TrustDecision,
  { cwd, layers }: { cwd: string; layers: readonly SettingsLayer[] },
): string | undefined {
  if (trusted !== undefined) return reason;
  const asking = layers.find((layer) => ['systemDefaults', 'user', 'system'].includes(layer.scope) && asks(layer));
  if (asking === undefined) return undefined;
  return `${cwd} has no trust decision, and ${asking.locate(SETTING) ?? asking.scope} requires one (${SETTING}). Trust the folder for this run with --skip-trust or ${VARIABLE}=true, or permanently in the terminal UI.`;
}

function asks({ values }: SettingsLayer): boolean {
  const { security } = values as { security?: { folderTrust?: { enabled?: unknown } } };
  return security?.folderTrust?.enabled === true;
}

/** Undefined where the variable decides nothing. */
function readOverride(value: string | undefined): boolean | undefined {
  if (value === undefined || value === '') return undefined;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new ExitError(ExitCode.Settings, `${VARIABLE} must be true or false, not ${JSON.stringify(value)}.`);
}
