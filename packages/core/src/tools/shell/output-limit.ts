/** How much one command may print, and the sentence about a command that printed more. Pure. */

/** 64 MB, where the caller sets no limit. */
export const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const MEGABYTE = 1024 * 1024;

/** What was printed, and which limit stopped it. */
export function describeTooMuchOutput(printedBytes: number, maxBytes: number): string {
  return `it printed ${formatSize(printedBytes)}, more than the limit of ${formatSize(maxBytes)} (setting tools.shell.maxOutputBytes)`;
}

function formatSize(bytes: number): string {
  if (bytes < MEGABYTE) return `${bytes} bytes`;
  return `${(bytes / MEGABYTE).toFixed(1).replace(/\.0$/, '')} MB`;
}
