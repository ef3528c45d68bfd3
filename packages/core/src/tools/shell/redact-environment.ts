/**
 * Decides which variables of an environment look like secrets, by name or by value, and
 * are kept from commands (`security.environmentVariableRedaction`). Pure. When in doubt it
 * removes; `allowed` restores a variable, `blocked` overrides everything.
 */

import type { Environment } from './child-environment.ts';

export interface RedactionOptions {
  /** When off, only the variables in `blocked` are removed. */
  enabled: boolean;
  /** Names that are always kept. */
  allowed?: readonly string[];
  /** Names that are always removed. */
  blocked?: readonly string[];
}

const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT/;
const SECRET_NAMES = new Set(
  `CLIENT_ID DB_URI DATABASE_URL MONGODB_URI REDIS_URL CONNECTION_STRING AWS_DEFAULT_REGION GOOGLE_CLOUD_PROJECT
  GOOGLE_CLOUD_ACCOUNT FIREBASE_PROJECT_ID`.split(/\s+/),
);
/** Most programs need these. */
const SAFE_NAMES = new Set(
  `PATH HOME SHELL TERM COLORTERM LANG LANGUAGE TZ TMPDIR TEMP TMP USER LOGNAME PWD HOSTNAME EDITOR VISUAL PAGER DISPLAY
  SYSTEMROOT COMSPEC PATHEXT WINDIR USERPROFILE SYSTEMDRIVE USERNAME APPDATA LOCALAPPDATA PROGRAMFILES PROGRAMDATA
  XDG_RUNTIME_DIR`.split(/\s+/),
);
const SAFE_PREFIXES = /^(?:LC_|GEMINI_CLI_)/;
const SECRET_VALUES = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/,
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AIza[\w-]{30,}|AKIA[A-Z0-9]{12,}|sk-[\w-]{20,})/,
  /^[a-z][\w+.-]*:\/\/[^\s/@:]*:[^\s/@]+@/i,
];

/** Returns a function that decides whether a variable is kept from commands. */
export function createRedaction({ enabled, allowed = [], blocked = [] }: RedactionOptions) {
  const always = new Set(allowed.map((name) => name.toUpperCase()));
  const never = new Set(blocked.map((name) => name.toUpperCase()));
  return (name: string, value: string): boolean => {
    const upper = name.toUpperCase();
    if (never.has(upper)) return true;
    if (!enabled || always.has(upper) || SAFE_NAMES.has(upper) || SAFE_PREFIXES.test(upper)) return false;
    return (
      SECRET_NAMES.has(upper) ||
      upper.startsWith('AZURE_') ||
      SECRET_NAME.test(upper) ||
      SECRET_VALUES.some((pattern) => pattern.test(value))
    );
  };
}

/** GitHub's runners hold secrets of third parties: redaction is always on there. */
export function isAlwaysRedacted(environment: Environment): boolean {
  return environment['GITHUB_ACTIONS'] === 'true';
}
