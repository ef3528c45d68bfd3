/**
 * Finds variables that change what programs load or run, set by an assignment or by a
 * builtin. It knows names, not values.
 */

import type { Risk } from './risk.ts';
import type { ShellWord } from './shell-word.ts';

/** Variables that change which code programs load, where they connect, or how the shell reads words. */
const LOADER_VARIABLE =
  /^(?:PATH|IFS|ENV|BASH.*|SHELL.*|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|FPATH|ZDOTDIR|HOME|TMPDIR|USER|LD_.*|DYLD_.*|GIT_.*|NODE_.*|npm_.*|NPM_.*|YARN_.*|PYTHON.*|PIP_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|JDK_.*|_JAVA_.*|MAVEN_.*|GRADLE_.*|GO(?:FLAGS|PATH|ROOT|PROXY|BIN)|CARGO.*|RSYNC_.*|ZIP(?:OPT)?|WGETRC|CURL_.*|SSL_.*|OPENSSL_.*|PHP.*|GNUMAKEFLAGS|CGO_.*|RUST(?:C|FLAGS|_.*|UP_.*)?|CC|CXX|LD|AR|AS|CFLAGS|LDFLAGS|MAKE.*|EDITOR|VISUAL|.*PAGER|BROWSER|LESS.*|MAN.*|TERMINFO.*|XDG_.*|SSH_.*|SUDO_.*|.*_PROXY|.*_proxy|.*ASKPASS|.*_COMMAND|.*_WRAPPER|.*_OPTIONS|.*_OPTS|.*_CONFIG|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|MALLOC_.*|GREP_.*|TAR_OPTIONS|RIPGREP_.*|BAT_.*|FZF_.*|.*_CONFIG_(?:PATH|FILE|DIR|HOME)|GEMINI_.*|GOOGLE_.*|CASTOR_.*|DOCKER_.*|KUBECONFIG|AWS_.*)$/;

const HARMLESS_VARIABLE =
  /^(?:NODE_ENV|NODE_NO_WARNINGS|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|RUST_LOG|RUST_BACKTRACE|GIT_PAGER_IN_USE|LESSCHARSET)$/;

export function assignmentRisk(name: string): Risk[] {
  if (HARMLESS_VARIABLE.test(name) || !LOADER_VARIABLE.test(name)) return [];
  return [{ reason: `the variable ${name} changes what programs load or run`, word: `${name}=`, unreadable: true }];
}

/** Builtins that set variables named in their arguments. */
const SETTERS = new Set([
  'export',
  'declare',
  'typeset',
  'local',
  'readonly',
  'read',
  'printf',
  'mapfile',
  'readarray',
]);

/** The risks of a builtin that sets variables. */
export function setterRisks(name: string, words: readonly ShellWord[]): Risk[] {
  if (!SETTERS.has(name)) return [];
  const named = name === 'printf' ? words.filter((_, index) => words[index - 1]?.value === '-v') : words.slice(1);
  return named.flatMap(({ value }) => assignmentRisk(/^[A-Za-z_]\w*/.exec(value)?.[0] ?? ''));
}
