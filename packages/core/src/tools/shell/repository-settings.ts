/**
 * The git settings whose names a repository chooses itself and whose values run programs, each with the value that
 * disables it. Settings with fixed names are in `STRICT_GIT_CONFIG`.
 */

/**
 * git has no value for "no external diff", and ends where the program is empty: this one compares the two files as git
 * would. git passes the path, the old file, two facts about it, and the new file.
 */
const PLAIN_DIFF =
  'f() { printf "diff --git a/%s b/%s\\n" "$1" "$1"; diff -u --label "a/$1" --label "b/$1" -- "$2" "$5"; true; }; f';

/** `*` stands for any text. git prints sections and variables in lower case, so the patterns are in lower case too. */
export const REPOSITORY_SETTINGS: readonly (readonly [patterns: readonly string[], disabled: string])[] = [
  [['filter.*.clean', 'filter.*.smudge', 'filter.*.process'], ''],
  [['filter.*.required'], 'false'],
  [['diff.*.command', 'diff.external'], PLAIN_DIFF],
  [['diff.*.textconv'], 'cat'],
  [['merge.*.driver'], 'false'],
  [['mergetool.*.cmd', 'mergetool.*.path', 'difftool.*.cmd', 'difftool.*.path'], 'false'],
  [['browser.*.cmd', 'browser.*.path', 'man.*.cmd', 'man.*.path', 'instaweb.httpd'], 'false'],
  [['credential.*.helper'], ''],
  [['gpg.*.program', 'gpg.*.defaultkeycommand'], 'false'],
  [['trailer.*.cmd', 'trailer.*.command', 'hook.*.command'], 'true'],
  [['tar.*.command'], 'cat'],
  [['remote.*.uploadpack', 'remote.*.receivepack', 'remote.*.vcs', 'remote.*.proxy'], ''],
  [['submodule.*.update'], 'none'],
  // The value `none` makes git run a status in each submodule, with the settings of that repository.
  [['submodule.*.ignore'], 'all'],
  [['pager.*'], 'false'],
  [['alias.*'], ''],
  [['interactive.difffilter'], 'cat'],
  [['uploadpack.packobjectshook'], ''],
  [['sendemail.*cmd'], ''],
  [['extensions.partialclone'], ''],
  [['remote.*.promisor'], 'false'],
];

const MATCHERS = REPOSITORY_SETTINGS.flatMap(([patterns, disabled]) =>
  patterns.map((pattern) => [toRegExp(pattern), disabled] as const),
);

/** The settings among `keys` that run programs, with the values that disable them. */
export function disableSettings(keys: readonly string[]): (readonly [string, string])[] {
  return [...new Set(keys)].flatMap((key) => {
    // Section and variable are case-insensitive; the name between them is not.
    const found = MATCHERS.find(([pattern]) => pattern.test(key.toLowerCase()));
    return found ? [[key, found[1]] as const] : [];
  });
}

function toRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', String.raw`\.`).replaceAll('*', '.+')}$`, 's');
}
