/**
 * Which variables of an environment look like secrets, by name or by value: what
 * `security.environmentVariableRedaction` keeps from commands. Pure. It errs on the side
 * of removing; `allowed` brings a variable back, `blocked` has the last word.
 */

import type { Environment } from './child-environment.ts';

export interface RedactionOptions {
  /** Off: only what `blocked` names is removed. */
  enabled: boolean;
  /** Names that stay, whatever they look like. */
  allowed?: readonly string[];
  /** Names that never stay. */
  blocked?: readonly string[];
}

const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|KEY|AUTH|CREDENTIAL|CREDS|PRIVATE|CERT/;
const SECRET_NAMES = new Set(
  `CLIENT_ID DB_URI DATABASE_URL MONGODB_URI REDIS_URL CONNECTION_STRING AWS_DEFAULT_REGION GOOGLE_CLOUD_PROJECT
  GOOGLE_CLOUD_ACCOUNT FIREBASE_PROJECT_ID`.split(/\s+/),
);
/** Programs do not run well without these. */
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

/** Whether a variable is kept from commands. */
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

/** GitHub's runners hold secrets of others: there it is always on. */
export function isAlwaysRedacted(environment: Environment): boolean {
  return environment['GITHUB_ACTIONS'] === 'true';
}
