/**
 * Builds the environment of a command from a given one; pure. It removes our own keys,
 * turns off pagers, editors and prompts, and passes variables that make programs load code
 * only from the user's own environment, never from the project's.
 * GOOGLE_APPLICATION_CREDENTIALS stays: it is a path that other tools of the user need.
 */

import { createRedaction, isAlwaysRedacted } from './redact-environment.ts';
import type { Environment, RedactionOptions } from './redact-environment.ts';

export type GitLevel = 'standard' | 'guarded' | 'strict';

export interface ChildEnvironmentOptions {
  /** The user's own environment, without variables from project files. */
  base: Environment;
  /** From files of the project (`.env`); loader variables among them are dropped. */
  project?: Environment;
  /** Names of further variables that hold our credentials. */
  secretNames?: readonly string[];
  /** Credentials in use: any variable that holds one is dropped. */
  secretValues?: readonly string[] | undefined;
  pager?: string;
  /** Which other variables count as secrets and are removed. Default none. */
  redaction?: RedactionOptions;
  /**
   * `standard`: the user's own git, with pager, editor, prompts and fsmonitor off.
   * `guarded`, for folders without a trust decision: no hook, helper or transport that the
   * repository configures runs; the user's own configuration still applies. `strict`, for
   * untrusted folders: ignores the user's configuration too.
   */
  git?: GitLevel;
}

/** Marks every process of a call, so that processes that left its group can still be found. */
export const CALL_MARK = 'CASTOR_CALL';

const OWN_SECRETS = [
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GENAI_API_KEY',
  'GOOGLE_CLOUD_ACCESS_TOKEN',
  'GEMINI_CLI_CUSTOM_HEADERS',
];
/** A shorter value would match unrelated variables. */
const SHORTEST_SECRET = 8;

/** Variables with which a project could make programs load its code, or change what they trust. */
const LOADER_NAMES = new Set(
  `PATH PATHEXT COMSPEC SHELL HOME USERPROFILE IFS ENV BASH_ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR CDPATH
  GLOBIGNORE EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE LESSKEY TERMINFO TERMINFO_DIRS
  PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONEXECUTABLE PYTHONUSERBASE PYTHONBREAKPOINT PYTHONWARNINGS
  NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_V8_COVERAGE NODE_REPL_EXTERNAL_MODULE
  PERL5LIB PERLLIB PERL5OPT PERL5DB RUBYOPT RUBYLIB GEM_HOME GEM_PATH BUNDLE_GEMFILE LUA_PATH LUA_CPATH LUA_INIT
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS GRADLE_OPTS CLASSPATH PHPRC PHP_INI_SCAN_DIR
  RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTC CARGO_HOME RUSTUP_HOME GOFLAGS GOROOT GOENV CC CXX LD MAKEFLAGS MAKEFILES
  SSH_ASKPASS SSH_AUTH_SOCK SUDO_ASKPASS GNUPGHOME OPENSSL_CONF OPENSSL_ENGINES SSLKEYLOGFILE KUBECONFIG DOCKER_HOST
  DOCKER_CONFIG GCONV_PATH LOCPATH NLSPATH HOSTALIASES RES_OPTIONS MALLOC_TRACE TMPDIR XDG_CONFIG_HOME XDG_DATA_HOME
  XDG_CONFIG_DIRS XDG_DATA_DIRS ELECTRON_RUN_AS_NODE VSCODE_GIT_ASKPASS_MAIN VSCODE_GIT_ASKPASS_NODE`.split(/\s+/),
);
const LOADER_PREFIXES =
  /^(LD_|DYLD_|NPM_CONFIG_|YARN_|GIT_|BASH_FUNC_|CASTOR_|GEMINI_CLI|ELECTRON_|DOTNET_|COR_|CORECLR_|CARGO_TARGET_)/;

/** Whether a variable decides which code a program loads; such variables are never accepted from a project's files. */
export function isLoaderVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return LOADER_NAMES.has(upper) || LOADER_PREFIXES.test(upper);
}

export function createChildEnvironment(options: ChildEnvironmentOptions): Record<string, string> {
  const { base, project = {}, secretValues = [], pager = 'cat' } = options;
  const secretNames = new Set([...OWN_SECRETS, ...(options.secretNames ?? [])].map((name) => name.toUpperCase()));
  const secrets = secretValues.filter((value) => value.length >= SHORTEST_SECRET);
  const { redaction } = options;
  const isRedacted =
    redaction && createRedaction({ ...redaction, enabled: redaction.enabled || isAlwaysRedacted(base) });
  const isSecret = (name: string, value: string) =>
    secretNames.has(name.toUpperCase()) ||
    secrets.some((secret) => value.includes(secret)) ||
    isRedacted?.(name, value) === true;

  const result: Record<string, string> = {};
  for (const [name, value] of [...harmlessOf(project), ...Object.entries(base)]) {
    if (value !== undefined && !isSecret(name, value) && name !== CALL_MARK) result[name] = value;
  }
  return { ...result, ...quietPrograms(pager), ...gitSettings(result, options.git ?? 'standard', pager) };
}

/** Removes in place the variables that hold a credential which came into use after the environment was built. */
export function withholdSecrets(environment: Record<string, string>, secretValues: readonly string[]): void {
  const secrets = secretValues.filter((value) => value.length >= SHORTEST_SECRET);
  for (const [name, value] of Object.entries(environment)) {
    if (secrets.some((secret) => value.includes(secret))) delete environment[name];
  }
}

function harmlessOf(project: Environment): [string, string | undefined][] {
  return Object.entries(project).filter(([name]) => !isLoaderVariable(name));
}

/** A command must not open a pager or an editor, because no user can operate it. */
function quietPrograms(pager: string): Record<string, string> {
  return {
    GEMINI_CLI: '1',
    TERM: 'xterm-256color',
    PAGER: pager,
    MANPAGER: pager,
    SYSTEMD_PAGER: pager,
    GH_PAGER: pager,
    AWS_PAGER: '',
    EDITOR: 'true',
    VISUAL: 'true',
    DEBIAN_FRONTEND: 'noninteractive',
    GH_PROMPT_DISABLED: '1',
    PIP_NO_INPUT: '1',
  };
}

function gitSettings(base: Environment, level: GitLevel, pager: string): Record<string, string> {
  const quiet = {
    GIT_PAGER: pager,
    GIT_TERMINAL_PROMPT: '0',
    // git treats this name as an editor that does nothing.
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
  };
  const inherited = Number(base['GIT_CONFIG_COUNT'] ?? 0);
  const first = level !== 'strict' && Number.isSafeInteger(inherited) && inherited > 0 ? inherited : 0;
  if (level === 'standard') return { ...quiet, ...toGitConfig([['core.fsmonitor', 'false']], first) };
  const transport = { GIT_ASKPASS: 'true', SSH_ASKPASS: 'true', GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' };
  if (level === 'guarded') return { ...quiet, ...transport, ...toGitConfig(STRICT_GIT_CONFIG, first) };
  return {
    ...quiet,
    ...transport,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    ...toGitConfig(STRICT_GIT_CONFIG, first),
  };
}

/** Neutralises the settings with fixed names that make a repository run programs. */
export const STRICT_GIT_CONFIG: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', ':'],
  ['sequence.editor', ':'],
  ['core.sshCommand', 'ssh -o BatchMode=yes'],
  ['core.askPass', 'true'],
  ['core.gitProxy', ''],
  ['core.alternateRefsCommand', 'true'],
  ['credential.helper', ''],
  ['gpg.program', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.ext.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  ['submodule.recurse', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** Encodes settings as the environment variables git reads, after the `first` existing ones. */
export function toGitConfig(entries: Iterable<readonly [string, string]>, first = 0): Record<string, string> {
  const result: Record<string, string> = {};
  let count = first;
  for (const [key, value] of entries) {
    result[`GIT_CONFIG_KEY_${count}`] = key;
    result[`GIT_CONFIG_VALUE_${count}`] = value;
    count++;
  }
  return { ...result, GIT_CONFIG_COUNT: String(count) };
}
