/** Tells whether a terminal shows ASCII only, from its environment: the console of Linux, or a locale without UTF-8. Pure. */

export function hasAsciiOnly({ TERM, LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string | undefined>>): boolean {
  // The first that is set decides, as for every program; without any, nothing is known.
  const locale = LC_ALL || LC_CTYPE || LANG;
  return TERM === 'linux' || (locale !== undefined && locale !== '' && !/utf-?8/i.test(locale));
}
