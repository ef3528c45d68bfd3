/**
 * Finds the shell text that a program of the project would run: the script of a package,
 * the recipes of a Makefile or a justfile, a shell script. It reads files of bounded size
 * and runs nothing; other languages are not read.
 */

import { dirname, join, resolve } from 'node:path';
import { fileAbove, smallTextOf } from '../folder-contents.ts';
import { isRecord } from '../../util/is-record.ts';
import { fileFacts } from '../policy-disk.ts';
import { recipesFor } from './makefile-recipes.ts';
import { isShell } from './shell-invocation.ts';
import { baseName } from './shell-line.ts';
import type { SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

export interface ProjectScript {
  /** As the user calls it: `npm run setup`. */
  name: string;
  /** What a rule must spell to cover it. */
  word: string;
  text: string;
  /** Where it runs. */
  directory: string;
}

const MAX_TEXT = 256 * 1024;
const PACKAGE_MANAGER = /^(?:npm|pnpm|yarn|bun)$/;
const RECIPES: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
};

/** Quick to answer for most commands. */
export function runsProjectScript({ words }: SimpleCommand): boolean {
  const [head] = words;
  if (head === undefined || head.kind === 'dynamic') return false;
  const name = baseName(head);
  if (PACKAGE_MANAGER.test(name) || Object.hasOwn(RECIPES, name)) return true;
  if (name === 'node') return words.some(({ value }) => value.startsWith('--run'));
  return head.value.includes('/') || isShell(name) || /^(?:source|\.)$/.test(name);
}

/** Two checks of one line ask for the same scripts. */
const found = new WeakMap<SimpleCommand, readonly ProjectScript[]>();

/** The scripts of one command, for each folder the line may be in. */
export function projectScripts(command: SimpleCommand, directories: readonly string[]): readonly ProjectScript[] {
  const scripts = found.get(command) ?? findScripts(command, directories);
  found.set(command, scripts);
  return scripts;
}

function findScripts({ words }: SimpleCommand, directories: readonly string[]): ProjectScript[] {
  const [head, ...rest] = words;
  if (head === undefined) return [];
  const name = baseName(head);
  return directories.flatMap((directory) => {
    if (PACKAGE_MANAGER.test(name) || name === 'node') return packageScripts(name, rest, directory);
    if (Object.hasOwn(RECIPES, name)) return recipeScripts(name, rest, directory);
    const file = head.value.includes('/') && !isShell(name) ? head : rest.find(({ value }) => !value.startsWith('-'));
    return file === undefined ? [] : fileScripts(file, directory, file !== head);
  });
}

function fileScripts({ value, kind }: ShellWord, directory: string, isShellCode: boolean): ProjectScript[] {
  const path = resolve(directory, value);
  if (kind === 'dynamic' || fileFacts(path)?.kind !== 'file') return [];
  const text = textOf(path);
  const isRead =
    isShellCode || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(text) || (value.endsWith('.sh') && !text.startsWith('#!'));
  return isRead && text !== '' ? [{ name: value, word: value, text, directory }] : [];
}

function textOf(path: string): string {
  const text = smallTextOf(path) ?? '';
  return text.length > MAX_TEXT || text.startsWith('\x7fELF') ? '' : text;
}

/** The first operand that is not the value of an option, and the folder that an option names. */
function readOperands(rest: readonly ShellWord[], folderOption: RegExp, takesValue: RegExp) {
  const operands: string[] = [];
  let folder: string | undefined;
  for (let index = 0; index < rest.length; index += 1) {
    const value = rest[index]?.value ?? '';
    if (value === '--') break;
    const attached = /^(--?[\w-]+)=(.*)$/s.exec(value);
    if (folderOption.test(attached?.[1] ?? value)) folder = attached?.[2] ?? rest[(index += 1)]?.value;
    else if (takesValue.test(value)) index += 1;
    else if (!value.startsWith('-')) operands.push(value);
  }
  return { operands, folder };
}

/** Scripts that an installation without named packages runs. */
const INSTALLS = /^(?:install|i|ci|clean-install|install-clean|isntall)$/;
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepublish', 'prepare'];
const OWN_SCRIPT = /^(?:test|t|tst|start|stop|restart)$/;

function packageScripts(manager: string, rest: readonly ShellWord[], directory: string): ProjectScript[] {
  const options = /^(?:--prefix|-C|--dir|--cwd)$/;
  const { operands, folder } = readOperands(
    rest,
    options,
    /^(?:-w|--workspace|--filter|-F|--loglevel|--script-shell)$/,
  );
  const start = folder === undefined ? directory : resolve(directory, folder);
  const names = manager === 'node' ? runOption(rest) : scriptNames(manager, operands);
  if (names.length === 0) return [];
  const path = fileAbove(start, 'package.json');
  const scripts = path === undefined ? {} : scriptsOf(path);
  return names.flatMap((script) =>
    [`pre${script}`, script, `post${script}`].flatMap((name): ProjectScript[] => {
      const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
      if (typeof text !== 'string' || text.length > MAX_TEXT) return [];
      const call = manager === 'node' ? `node --run ${script}` : `${manager} ${operands.slice(0, 2).join(' ')}`;
      return [
        {
          name: call,
          word: operands.find((word) => word === script) ?? operands[0] ?? script,
          text,
          directory: dirname(path ?? start),
        },
      ];
    }),
  );
}

function scriptNames(manager: string, operands: readonly string[]): readonly string[] {
  const [verb, script] = operands;
  if (verb === undefined) return manager === 'yarn' ? INSTALL_SCRIPTS : [];
  if (/^(?:run|run-script|rum|urn)$/.test(verb)) return script === undefined ? [] : [script];
  if (INSTALLS.test(verb)) return script === undefined ? INSTALL_SCRIPTS : [];
  if (OWN_SCRIPT.test(verb)) return [verb.startsWith('t') ? 'test' : verb];
  return manager === 'npm' ? [] : [verb];
}

/** `node --run test`, `node --run=test`. */
function runOption(rest: readonly ShellWord[]): string[] {
  const at = rest.findIndex(({ value }) => /^--run(?:=|$)/.test(value));
  const name = rest[at]?.value.slice('--run='.length) || rest[at + 1]?.value;
  return at < 0 || name === undefined ? [] : [name];
}

function scriptsOf(path: string): Record<string, unknown> {
  try {
    const manifest: unknown = JSON.parse(textOf(path));
    return isRecord(manifest) && isRecord(manifest['scripts']) ? manifest['scripts'] : {};
  } catch {
    // npm rejects such a file too.
    return {};
  }
}

function recipeScripts(program: string, rest: readonly ShellWord[], directory: string): ProjectScript[] {
  const { operands, folder } = readOperands(
    rest,
    /^(?:-C|--directory|--working-directory|-d)$/,
    /^(?:-[fIjloWE]|--file|--makefile|--justfile|--jobs|--eval)$/,
  );
  const start = folder === undefined ? directory : resolve(directory, folder);
  const named = rest.findIndex(({ value }) => /^(?:-f|--file|--makefile|--justfile)$/.test(value));
  const attached = rest
    .map(({ value }) => /^(?:-f|--file=|--makefile=|--justfile=)(.+)$/s.exec(value)?.[1])
    .find(Boolean);
  const given = attached ?? (named < 0 ? undefined : rest[named + 1]?.value);
  const candidates = given === undefined ? (RECIPES[program] ?? []) : [given];
  const path = candidates
    .map((name) => join(start, name))
    .find((file) => fileFacts(resolve(start, file))?.kind === 'file');
  if (path === undefined) return [];
  const goals = operands.filter((operand) => !operand.includes('='));
  const text = recipesFor(
    textOf(given === undefined ? path : resolve(start, given)),
    program === 'just' ? goals.slice(0, 1) : goals,
  );
  return text === ''
    ? []
    : [{ name: [program, ...goals].join(' '), word: goals[0] ?? program, text, directory: start }];
}
