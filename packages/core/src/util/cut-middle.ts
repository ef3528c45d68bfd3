/** Shortens a long text by leaving out its middle, and tells how much is missing and where the whole is. Pure. */

export function cutMiddle(text: string, most: number, place: string | undefined): string {
  if (text.length <= most) return text;
  const kept = most / 2;
  const where = place === undefined ? '' : ` The whole text is in ${place}.`;
  const omitted = text.length - most;
  return `${text.slice(0, kept).toWellFormed()}\n\n... [${omitted} characters omitted.${where}] ...\n\n${text.slice(-kept).toWellFormed()}`;
}

/** A parent pays for every character of a child's result in all its later requests. */
export const MOST_OF_RESULT = 30_000;
