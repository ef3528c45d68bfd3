/**
 * Writes a program `git` that runs the real one without the programs a repository configures, whichever repository a
 * command reaches: by `cd`, `-C`, a script or another program. It reads the names of the repository's own settings and
 * disables those that run programs; the user's settings stay.
 */

import { isAbsolute, join } from 'node:path';
import { isInside } from '../../util/is-inside.ts';
import { replaceFile } from '../../util/replace-file.ts';
import { STRICT_GIT_CONFIG } from './child-environment.ts';
import type { Environment } from './redact-environment.ts';
import { REPOSITORY_SETTINGS } from './repository-settings.ts';
import { findProgram } from './shell-program.ts';

export interface GitWrapperOptions {
  /** Holds the program afterwards; it is created when missing. */
  directory: string;
  /** The environment of the commands. */
  environment: Environment;
  /** The folder that is not trusted: a `git` inside it is never the real one. */
  folder: string;
  platform?: NodeJS.Platform;
}

/** The PATH that finds the wrapper first; undefined where it cannot be written or git is not installed. */
export function writeGitWrapper(options: GitWrapperOptions): string | undefined {
  const { directory, environment, folder, platform = process.platform } = options;
  if (platform === 'win32') return undefined;
  const path = environment['PATH'] ?? '';
  const isOwn = (entry: string) => entry === directory || !isAbsolute(entry) || isInside(entry, folder);
  const others = path.split(':').filter((entry) => !isOwn(entry));
  const git = findProgram(['git'], { PATH: others.join(':') });
  if (git === undefined) return undefined;
  try {
    replaceFile(join(directory, 'git'), createScript(git, environment), {
      prepare: (handle) => process.getBuiltinModule('node:fs').fchmodSync(handle, 0o700),
      isSynced: false,
    });
  } catch {
    // On a read-only disk the variables of `guardRepository` remain.
    return undefined;
  }
  return `${directory}:${path}`;
}

/** Variables of git that the script sets again, since a command can unset them. */
const RESTORED = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_SSH_COMMAND', 'GIT_ASKPASS'];

function createScript(git: string, environment: Environment): string {
  const restored = RESTORED.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [`export ${name}=${quote(value)}`];
  });
  const fixed = STRICT_GIT_CONFIG.map(([key, value]) => `override ${quote(key)} ${quote(value)}`);
  const cases = REPOSITORY_SETTINGS.map(
    ([patterns, disabled]) => `    ${patterns.join(' | ')}) override "$key" ${quote(disabled)} ;;`,
  );
  return `#!/bin/sh
# Written by Castor for a folder that is not trusted: git without the programs a repository configures.
git=${quote(git)}
${restored.join('\n')}
count=\${GIT_CONFIG_COUNT:-0}
case $count in '' | *[!0-9]*) count=0 ;; esac
override() {
  export "GIT_CONFIG_KEY_$count=$1" "GIT_CONFIG_VALUE_$count=$2"
  count=$((count + 1))
  export "GIT_CONFIG_COUNT=$count"
}
${fixed.join('\n')}

# How many words stand before the subcommand: they choose the repository.
before=0
value=0
for word; do
  if [ $value = 1 ]; then
    value=0
  else
    case $word in
      -C | -c | --git-dir | --work-tree | --namespace | --super-prefix | --config-env | --attr-source) value=1 ;;
      -*) ;;
      *) break ;;
    esac
  fi
  before=$((before + 1))
done

# Runs git with those words; $extra holds the rest, without spaces inside a word.
there() {
  rest=$(($# - before))
  turned=0
  while [ $turned -lt $before ]; do
    set -- "$@" "$1"
    shift
    turned=$((turned + 1))
  done
  shift $rest
  "$git" "$@" $extra 2>/dev/null </dev/null
}

list() {
  extra='config --list --name-only --show-scope'
  there "$@"
  for blob in :.gitmodules HEAD:.gitmodules; do
    extra="config --list --name-only --blob $blob"
    there "$@" | sed 's/^/local	/'
  done
  extra='rev-parse --show-toplevel'
  top=$(there "$@")
  if [ -n "$top" ] && [ -f "$top/.gitmodules" ]; then
    "$git" config --list --name-only --file "$top/.gitmodules" 2>/dev/null | sed 's/^/local	/'
  fi
  case "$*" in
    *submodule*)
      (cd "\${top:-.}" && "$git" submodule --quiet foreach --recursive \\
        'git config --list --name-only --show-scope || :' 2>/dev/null </dev/null)
      ;;
  esac
}

disable() {
  case $key in
${cases.join('\n')}
  esac
}

while IFS='	' read -r scope key; do
  case $scope in local | worktree) disable ;; esac
done <<KEYS
$(list "$@")
KEYS
unset extra scope key top word rest turned value before
exec "$git" "$@"
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
