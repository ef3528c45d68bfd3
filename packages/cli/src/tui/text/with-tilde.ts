/** Paths of the home folder as the user writes them. Pure. */

export function withTilde(text: string, home: string): string {
  return home.length > 1 ? text.replaceAll(`${home}/`, '~/') : text;
}
