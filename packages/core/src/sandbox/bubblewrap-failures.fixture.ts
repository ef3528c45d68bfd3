/** What bubblewrap prints where it may not work, and the sentence that Castor says instead: by every command that needs it. */

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const APPARMOR =
  'AppArmor keeps bubblewrap from creating user namespaces (Ubuntu 23.10 and later): sudo apt install apparmor-profiles, then sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ and sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict.';

const UID_MAP = 'bwrap: setting up uid map: Permission denied';
const LOOPBACK = 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted';
const NAMESPACE = 'bwrap: No permissions to create new namespace';
const TOO_MANY =
  'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)';
const PROC = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted";
const NO_CAPABILITY = 'bwrap: setting up uid map: Operation not permitted';

export const BUBBLEWRAP_FAILURES: readonly (readonly [what: string, stderr: string, sentence: string])[] = [
  ['AppArmor', UID_MAP, `${APPARMOR} (${UID_MAP})`],
  ['AppArmor, in the network', LOOPBACK, `${APPARMOR} (${LOOPBACK})`],
  [
    'no namespaces',
    NAMESPACE,
    `This system does not let users create namespaces: sudo sysctl kernel.unprivileged_userns_clone=1; in a container, start it with --security-opt seccomp=unconfined. (${NAMESPACE})`,
  ],
  [
    'too many namespaces',
    TOO_MANY,
    `No more user namespaces are allowed: sudo sysctl user.max_user_namespaces=15000, or Castor already runs inside another sandbox. (${TOO_MANY})`,
  ],
  [
    'a masked /proc',
    PROC,
    `The container masks /proc, and bubblewrap does not start without it either: start the container with --security-opt systempaths=unconfined. (${PROC})`,
  ],
  [
    'a root without capabilities',
    NO_CAPABILITY,
    `This root has no CAP_SETFCAP and cannot create user namespaces: run Castor as an ordinary user. (${NO_CAPABILITY})`,
  ],
  ['anything else', 'bwrap: something new', 'bubblewrap does not start: bwrap: something new.'],
];

/** Puts a program called bwrap into a folder, and returns the folder. */
export function plantBubblewrap(folder: string, script: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'bwrap'), 0o755);
  return folder;
}

export const failingWith = (stderr: string): string => `echo "${stderr}" >&2\nexit 1`;
