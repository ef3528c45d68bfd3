/** How the user of the command line allows a command line that was denied: the flag or setting that covers exactly that. */

import type { UserHints } from '@castor/core';

type Remedy = Parameters<NonNullable<UserHints['allowCommand']>>[0];

export function allowCommandHint({ entries, isAllowedByYolo }: Remedy): string {
  if (entries.length === 0) {
    return isAllowedByYolo
      ? 'No entry of --allowed-tools covers it; the user can allow it with -y (all tools).'
      : 'No flag covers exactly this: write it in another way, or let the user run it.';
  }
  // A comma separates the entries of the flag.
  const means = entries.some((entry) => entry.includes(','))
    ? `"tools": { "allowed": ${JSON.stringify(entries)} } in settings.json`
    : `--allowed-tools '${entries.join(',').replaceAll("'", `'\\''`)}'`;
  return `The user can allow it by adding ${means}${isAllowedByYolo ? ' or -y (all tools)' : ''}.`;
}
