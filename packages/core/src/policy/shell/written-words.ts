/**
 * Finds the words of a command that name what it writes: all operands of commands that
 * write, the last operand of those that copy, and for any other program the value of an
 * output option.
 */

import { readGit, writesGitConfiguration } from './git-command.ts';
import { writesNamedFile } from './git-outputs.ts';
import { baseName } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

/** Commands that write, create, move or remove what their operands name. */
export const WRITERS = new Set([
  ...['rm', 'rmdir', 'unlink', 'touch', 'mkdir', 'tee', 'truncate', 'shred', 'chmod', 'chown', 'chgrp', 'chattr'],
  ...['setfacl', 'mkfifo', 'mknod', 'sponge', 'patch', 'ed', 'ex', 'vi', 'vim', 'nvim', 'nano', 'emacs', 'install'],
  ...['ln', 'link', 'mv', 'cp', 'rsync', 'scp', 'sftp', 'dd', 'tar', 'bsdtar', 'gtar', 'unzip', 'cpio', 'pax', '7z'],
  ...['7za', '7zr', '7zz', 'unrar', 'curl', 'wget', 'aria2c', 'split', 'csplit', 'uniq', 'rename'],
  ...['prename', 'mmv', 'gcp', 'gmv', 'grm', 'gln', 'ditto', 'xxd', 'openssl', 'gpg', 'zip', 'ar', 'mount'],
  ...['pushd', 'trash', 'fallocate', 'logger', 'script', 'sd', 'dos2unix', 'unix2dos', 'mac2unix'],
  ...['gzip', 'gunzip', 'bzip2', 'bunzip2', 'xz', 'unxz', 'zstd', 'unzstd', 'lz4', 'ffmpeg', 'convert', 'magick'],
]);

/** Only the last operand of these is written. */
const COPIERS = new Set(['cp', 'gcp', 'install', 'rsync', 'scp']);
const GIT_WRITERS = new Set([
  ...['checkout', 'restore', 'mv', 'rm', 'apply', 'clean', 'init', 'clone', 'worktree', 'stash', 'reset', 'bundle'],
  ...['interpret-trailers', 'fast-import', 'merge-file', 'submodule'],
]);

/** These only read their arguments, whatever their options are called. */
const READERS =
  /^(?:cat|cut|diff|du|echo|file|find|grep|e?grep|rg|git|head|ls|nl|ssh|stat|tail|test|\[|tr|wc|which|bat|shellcheck)$/;
const OUTPUT_OPTION =
  /^(?:-[oOC]|--ou?|--?(?:out|dest|target|save|export|log|report|prefix|basetemp|redirect|write|pack-dest|dir|directory)[\w-]*|--[\w-]*-(?:dir|out|output|outfile|dest|destination))$/i;
/** Letters that mean an output for one program and something else for others. */
const OWN_OUTPUT: Readonly<Record<string, string>> = { javac: '-d', pip: '-t', pip3: '-t' };
const IN_PLACE = /^(?:-[A-Za-z]*i(?:\.\w+)?|-w|--in-?place.*|--write|--fix)$/;
const EDITS_IN_PLACE = /^(?:g?sed|perl|ruby)$/;

export function isWriter({ words: [head] }: SimpleCommand): boolean {
  return head !== undefined && WRITERS.has(baseName(head));
}

export function writtenWords({ words, redirections }: SimpleCommand): ShellWord[] {
  const targets = redirections.filter(({ writes }) => writes).map(({ target }) => target);
  const [head, ...rest] = words;
  if (head === undefined) return targets;
  const name = baseName(head);
  if (COPIERS.has(name)) return [...targets, ...copiedTo(rest)];
  const deletes = name === 'find' && rest.some(({ value }) => /^-(?:delete|fprint|fls|exec|ok)/.test(value));
  if (WRITERS.has(name) || deletes || (name === 'git' && isWritingGit(words))) return [...targets, ...rest];
  if (READERS.test(name)) return targets;
  const inPlace = rest.some(
    ({ value }) => IN_PLACE.test(value) || (EDITS_IN_PLACE.test(name) && /^-[A-Za-z]*i/.test(value)),
  );
  return [...targets, ...(inPlace ? rest : outputsOf(name, rest))];
}

/** Words that name a folder by their look. */
const FOLDER = /^(?:~|"?\$\{?HOME\}?"?|\.|\.\.|.*\/\.{0,2})$/s;

/** Into a folder a file is copied under its own name. */
function copiedInto(operands: readonly ShellWord[]): ShellWord[] {
  const folder = operands.at(-1);
  if (folder === undefined || !FOLDER.test(folder.text) || folder.value.includes(':')) return [];
  return operands.slice(0, -1).map((source) => {
    const name = /[^/:]*\/*$/.exec(source.value)?.[0] ?? '';
    return { ...folder, value: `${folder.value}/${name}` };
  });
}

function copiedTo(rest: readonly ShellWord[]): ShellWord[] {
  const operands = rest.filter(({ value }) => !value.startsWith('-'));
  const last = operands.at(-1);
  const options = rest.filter(
    ({ value }, index) =>
      value.startsWith('-') || /^-[A-Za-z]*t$|^--target-directory$/.test(rest[index - 1]?.value ?? ''),
  );
  return [...options, ...(last === undefined ? [] : [last]), ...copiedInto(operands)];
}

/** `-o file`, `--output file`, `--output=file`. */
function outputsOf(name: string, rest: readonly ShellWord[]): ShellWord[] {
  return rest.filter(({ value }, index) => {
    const [option = ''] = value.split('=', 1);
    if (/^-o[^-]/.test(value) || (value.includes('=') && OUTPUT_OPTION.test(option))) return true;
    const before = rest[index - 1]?.value ?? '';
    return OUTPUT_OPTION.test(before) || (Object.hasOwn(OWN_OUTPUT, name) && OWN_OUTPUT[name] === before);
  });
}

function isWritingGit(words: readonly ShellWord[]): boolean {
  const { subcommand, rest } = readGit(words);
  return GIT_WRITERS.has(subcommand) || writesGitConfiguration(subcommand, rest) || writesNamedFile(subcommand, rest);
}
