/**
 * The files and folders that hold credentials: a sandbox hides them from commands, and tools do not read them unasked.
 * Pure: paths relative to the home folder, and those of the system.
 */

import { join } from 'node:path';

const HOME_PATHS = `.ssh .gnupg .aws .azure .config/gcloud .config/gh .config/hub .config/op .config/sops .config/rclone
  .config/doctl .config/glab-cli .kube .docker .netrc .git-credentials .config/git/credentials .npmrc .yarnrc.yml .pypirc
  .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .m2/settings-security.xml
  .gradle/gradle.properties .terraform.d .vault-token .config/google-chrome .config/chromium .config/BraveSoftware .mozilla
  .config/mozilla .local/share/keyrings .password-store .1password .config/1Password .gemini .bash_history .zsh_history
  .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history .lesshst
  .local/share/fish/fish_history .config/containers/auth.json .databricks.cfg .snowflake .pgpass .my.cnf .boto .s3cfg
  .config/rclone.conf .claude .codex .config/opencode .local/share/opencode
  .hex/hex.config .pub-cache/credentials.json .config/dart .composer/auth.json .config/composer/auth.json .terraformrc .fly .oci
  .config/heroku .config/stripe .config/.wrangler .ollama/id_ed25519`
  .trim()
  .split(/\s+/);

const SYSTEM_PATHS = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/ssh/ssh_host_ecdsa_key',
  '/etc/ssh/ssh_host_ed25519_key',
  '/root',
];

/** Folders whose sockets and files belong to the whole computer: a sandbox has its own, empty ones. */
export const PRIVATE_FOLDERS: readonly string[] = ['/run', '/var/tmp'];

/** A sandbox has its own, or would be none. */
const NEVER_OPENED = ['/proc', '/dev', '/sys'];

/** Whether a grant can open the path: the whole computer and the kernel's own folders stay closed. */
export function isOpenable(path: string): boolean {
  return path !== '/' && !NEVER_OPENED.some((folder) => isWithin(path, folder));
}

export function hiddenPaths(home: string): string[] {
  // Root's home is hidden from everybody else; as root it is the home folder itself.
  const system = SYSTEM_PATHS.filter((path) => path !== '/root' || !isWithin(home, '/root'));
  return [...HOME_PATHS.map((path) => join(home, path)), ...system];
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
