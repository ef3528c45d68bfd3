/** The variables of a program in a sandbox: what points out of it or holds a secret is removed. Pure. */

/** They name sockets and agents with which a command could act for the user outside. */
const POINTERS = new Set(
  `SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY
  WAYLAND_SOCKET XAUTHORITY XDG_RUNTIME_DIR DOCKER_HOST DOCKER_CONTEXT CONTAINER_HOST KUBECONFIG PULSE_SERVER
  VSCODE_IPC_HOOK_CLI VSCODE_GIT_IPC_HANDLE VSCODE_GIT_ASKPASS_NODE TMUX STY GNOME_KEYRING_CONTROL LD_PRELOAD
  LD_LIBRARY_PATH LD_AUDIT`.split(/\s+/),
);

/** Whole words between underscores: `SSL_CERT_FILE` and `GIT_AUTHOR_NAME` hold no secret. */
const SECRET_WORDS = new Set(
  'TOKEN TOKENS SECRET SECRETS PASSWORD PASSWD PASS PRIVATE CREDENTIAL CREDENTIALS CREDS PAT'.split(' '),
);
const SECRET_PAIRS = /(?:^|_)(?:API|ACCESS|AUTH|SIGNING|ENCRYPTION|MASTER|SERVICE)_?KEY(?:_|$)/;
const SECRET_NAMES = new Set(['DATABASE_URL', 'DB_URI', 'MONGODB_URI', 'REDIS_URL', 'CONNECTION_STRING', 'NETRC']);
/** A name and a password in an address, but for our own proxy. */
const ADDRESS_WITH_PASSWORD = /:\/\/[^\s/@:]*:[^\s/@]+@/;

function isSecretVariable(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  if (SECRET_NAMES.has(upper) || upper.startsWith('AZURE_') || SECRET_PAIRS.test(upper)) return true;
  return upper.split('_').some((word) => SECRET_WORDS.has(word)) || ADDRESS_WITH_PASSWORD.test(value);
}

/** `allowed`: names that the user granted, such as those of `security.environmentVariableRedaction.allowed`. */
export function confineVariables(
  environment: Readonly<Record<string, string>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  const granted = new Set(allowed.map((name) => name.toUpperCase()));
  const kept = Object.entries(environment).filter(
    ([name, value]) => !POINTERS.has(name) && (granted.has(name.toUpperCase()) || !isSecretVariable(name, value)),
  );
  return { ...Object.fromEntries(kept), TMPDIR: '/tmp', SANDBOX: 'bwrap' };
}
