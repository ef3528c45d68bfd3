/** The output limit of a command, and the message for a command that exceeds it. Pure. */

/** 64 MB, when the caller sets no limit. */
export const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const MEGABYTE = 1024 * 1024;

/** States how much was printed and which limit stopped the command. */
export function describeTooMuchOutput(printedBytes: number, maxBytes: number): string {
  return `it printed ${formatSize(printedBytes)}, more than the limit of ${formatSize(maxBytes)} (setting tools.shell.maxOutputBytes)`;
}

function formatSize(bytes: number): string {
  if (bytes < MEGABYTE) return `${bytes} bytes`;
  return `${(bytes / MEGABYTE).toFixed(1).replace(/\.0$/, '')} MB`;
}
