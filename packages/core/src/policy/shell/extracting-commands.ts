/** Knows the commands that unpack an archive: the word that makes each of them write, and the folder it writes into. */

import type { ShellWord } from './shell-word.ts';

/** The word that makes the command write files; undefined for forms that only list or print. */
export function extractingWord(name: string, rest: readonly ShellWord[]): string | undefined {
  const extracts = Object.hasOwn(EXTRACTORS, name) ? EXTRACTORS[name] : undefined;
  return extracts?.(rest.map(({ value }) => value));
}

type Extracts = (values: readonly string[]) => string | undefined;

const letterOf = (letters: RegExp, prints: RegExp): Extracts => {
  return (values) => {
    if (values.some((value) => prints.test(value))) return undefined;
    return values.find((value, index) => letters.test(value) && (value.startsWith('-') || index === 0));
  };
};

const EXTRACT = /^-?[A-Za-z]*x[A-Za-z]*$|^--(?:extract|get)$/;
const tarExtracts = letterOf(EXTRACT, /^-?[A-Za-z]*O[A-Za-z]*$|^--to-stdout$/);
const sevenZipExtracts = letterOf(/^[xe]$/, /^-so$/);

const EXTRACTORS: Readonly<Record<string, Extracts>> = {
  tar: tarExtracts,
  bsdtar: tarExtracts,
  unzip: (values) => (values.some((value) => /^-[A-Za-z]*[lptvZ]/.test(value)) ? undefined : 'unzip'),
  '7z': sevenZipExtracts,
  '7za': sevenZipExtracts,
  '7zr': sevenZipExtracts,
  '7zz': sevenZipExtracts,
  unrar: letterOf(/^[xe]$/, /^p$/),
  unar: () => 'unar',
  cpio: letterOf(/^-[A-Za-z]*[ip]|^--(?:extract|pass-through)$/, /^-[A-Za-z]*t|^--list$/),
  bsdcpio: letterOf(/^-[A-Za-z]*[ip]/, /^-[A-Za-z]*t/),
  pax: letterOf(/^-[A-Za-z]*r/, /^$/),
  jar: letterOf(EXTRACT, /^$/),
  ar: letterOf(/^-?[A-Za-z]*x/, /^$/),
};

const FOLDER_OPTIONS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:-[A-Za-z]*C|--directory)(?:=(.+))?$/s,
  bsdtar: /^(?:-[A-Za-z]*C|--directory)(?:=(.+))?$/s,
  unzip: /^-[A-Za-z]*d()$/,
};

/** Absent means the folder in which the command runs. */
export function extractionFolder(name: string, rest: readonly ShellWord[]): ShellWord | undefined {
  const pattern = FOLDER_OPTIONS[name];
  if (pattern === undefined) return undefined;
  const index = rest.findLastIndex(({ value }) => pattern.test(value));
  const option = rest[index];
  if (option === undefined) return undefined;
  const attached = pattern.exec(option.value)?.[1];
  return attached ? { ...option, value: attached } : rest[index + 1];
}
