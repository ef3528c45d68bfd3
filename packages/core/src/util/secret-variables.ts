/**
 * Decides by name and value whether a variable holds a secret, for commands with and without a sandbox. Names are matched
 * by whole words between underscores: `SSL_CERT_FILE` and `GIT_AUTHOR_NAME` hold none. Pure.
 */

const SECRET_WORDS = new Set(
  `TOKEN TOKENS AUTHTOKEN SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASS PRIVATE CREDENTIAL CREDENTIALS CREDS PAT
  APIKEY PGPASSWORD`.split(/\s+/),
);
const SECRET_PAIRS = /(?:^|_)(?:API|ACCESS|AUTH|SIGNING|ENCRYPTION|MASTER|SERVICE|SESSION)_?KEYS?(?:_|$)/;
const SECRET_NAMES = new Set(['DATABASE_URL', 'DB_URI', 'MONGODB_URI', 'REDIS_URL', 'CONNECTION_STRING', 'NETRC']);
/** Paths and switches whose names contain such a word. */
const HARMLESS_NAMES = new Set(['GOOGLE_APPLICATION_CREDENTIALS', 'GIT_ASKPASS', 'SSH_ASKPASS', 'SUDO_ASKPASS']);
const ADDRESS_WITH_PASSWORD = /:\/\/[^\s/@:]*:[^\s/@]+@/;
const KEY_BLOCK = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** The variables in which a command finds the values of marks; the user's approval of the command covers them. */
const MARK_VARIABLE = 'CASTOR_MARK_';

/** Every start asks it of every variable, so an expression is compiled only for a name or value that may match it. */
export function isSecretVariable(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  if (upper.startsWith(MARK_VARIABLE) || HARMLESS_NAMES.has(upper)) return false;
  if (SECRET_NAMES.has(upper) || upper.startsWith('AZURE_')) return true;
  if (upper.includes('KEY') && SECRET_PAIRS.test(upper)) return true;
  const words = upper.replaceAll('-', '_').replaceAll('.', '_').split('_');
  if (words.some((word) => SECRET_WORDS.has(word))) return true;
  return (
    (value.includes('://') && ADDRESS_WITH_PASSWORD.test(value)) ||
    (value.includes('-----BEGIN ') && KEY_BLOCK.test(value))
  );
}
