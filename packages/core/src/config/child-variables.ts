/** Selects the variables of this process that an agent's commands receive when its caller sets no environment. */

/** For finding programs, the user's language and temporary files; none of them is a credential. */
const PASSED: ReadonlySet<string> = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM COLORTERM TMPDIR TEMP TMP
  SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES`.split(
    /\s+/,
  ),
);

export function defaultChildVariables(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const passed = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (PASSED.has(entry[0].toUpperCase()) || entry[0].startsWith('LC_')),
  );
  return Object.fromEntries(passed);
}
