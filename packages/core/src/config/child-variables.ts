/** The part of this process's environment that the commands of an agent see when its caller names none. */

/** What programs need to be found, to speak the user's language and to keep temporary files; no credential among them. */
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
