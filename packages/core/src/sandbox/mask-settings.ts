/**
 * What a command may see of a package manager's settings: the file without the lines that hold credentials, so that its
 * registry and its other choices still count. Pure.
 */

import { basename } from 'node:path';
import { isSecretVariable } from '../util/secret-variables.ts';

/** `//npm.corp/:_authToken=…`, `_auth=…`, `keyfile=…`; in yarn's file `npmAuthToken: …`. */
const CREDENTIAL =
  /^(?:.*[:/])?(?:_authToken|_auth|_password|username|email|certfile|keyfile|cert|key|otp|npmAuth(?:Token|Ident))$/i;

const MASKED: ReadonlySet<string> = new Set(['.npmrc', '.yarnrc.yml']);

/** Whether the file is shown without its credentials, instead of being hidden. */
export function isMaskable(path: string): boolean {
  return MASKED.has(basename(path));
}

export function maskSettings(text: string): string {
  return text
    .split('\n')
    .filter((line) => !isCredential(line))
    .join('\n');
}

function isCredential(line: string): boolean {
  const [, key = '', value = ''] = /^\s*"?(.*?)"?\s*(?:=|:\s)\s*(.*)$/.exec(line) ?? [];
  return CREDENTIAL.test(key) || isSecretVariable(key, value);
}
