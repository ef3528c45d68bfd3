/** The variables of a program in a sandbox: what points out of it or holds a secret is removed. Pure. */

import { isSecretVariable } from '../util/secret-variables.ts';

/** They name sockets and agents with which a command could act for the user outside. */
const POINTERS = new Set(
  `SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY
  WAYLAND_SOCKET XAUTHORITY XDG_RUNTIME_DIR DOCKER_HOST DOCKER_CONTEXT CONTAINER_HOST KUBECONFIG PULSE_SERVER
  VSCODE_IPC_HOOK_CLI VSCODE_GIT_IPC_HANDLE VSCODE_GIT_ASKPASS_NODE TMUX STY GNOME_KEYRING_CONTROL LD_PRELOAD
  LD_LIBRARY_PATH LD_AUDIT`.split(/\s+/),
);

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
