/**
 * Decides which variables of an environment are secrets and are kept from commands: always those that hold one by their
 * name or value, and with `security.environmentVariableRedaction.enabled` also those that only look like one. Pure.
 * `allowed` grants a variable, `blocked` overrides everything.
 */

import { isSecretVariable } from '../../util/secret-variables.ts';
import { matchStars } from '../../util/match-stars.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface RedactionOptions {
  /** Whether names and values that only look like a secret are removed too. */
  enabled: boolean;
  /** Names that are always kept; `*` stands for any characters. */
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
  XDG_RUNTIME_DIR SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE PIP_CERT NIX_SSL_CERT_FILE DENO_CERT
  BUNDLE_SSL_CA_CERT HEX_CACERTS_PATH GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE`.split(/\s+/),
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
  const granted = allowed.map((name) => name.toUpperCase());
  const isGranted = (upper: string) =>
    granted.some(
      (form) => form === upper || (form.includes('*') && matchStars(upper, form, (token, at) => token === at)),
    );
  const never = new Set(blocked.map((name) => name.toUpperCase()));
  return (name: string, value: string): boolean => {
    const upper = name.toUpperCase();
    if (never.has(upper)) return true;
    if (isGranted(upper)) return false;
    if (isSecretVariable(name, value)) return true;
    if (!enabled || SAFE_NAMES.has(upper) || SAFE_PREFIXES.test(upper)) return false;
    return SECRET_NAMES.has(upper) || SECRET_NAME.test(upper) || SECRET_VALUES.some((pattern) => pattern.test(value));
  };
}

/** GitHub's runners hold secrets of third parties: redaction is always on there. */
export function isAlwaysRedacted(environment: Environment): boolean {
  return environment['GITHUB_ACTIONS'] === 'true';
}
