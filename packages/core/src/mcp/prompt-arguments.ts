/**
 * Reads the arguments that a user typed after the name of a prompt: `--name=value`, `--name value` and values in
 * order, each with or without quotes. Pure.
 */

import type { PromptArgument } from './listed-items.ts';

export interface ReadArguments {
  values: Record<string, string>;
  /** A sentence about what is missing or unknown. */
  problem?: string | undefined;
}

interface Word {
  text: string;
  /** Whether it was written with quotes: then it is never a name. */
  isQuoted: boolean;
}

export function readPromptArguments(text: string, declared: readonly PromptArgument[]): ReadArguments {
  const named = new Map<string, string>();
  const positional: string[] = [];
  const unknown: string[] = [];
  const words = splitWords(text);
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const given = word.isQuoted ? null : /^--([^=\s]+)(?:=(.*))?$/s.exec(word.text);
    if (!given) {
      positional.push(word.text);
      continue;
    }
    const [, name = '', value] = given;
    if (!declared.some((argument) => argument.name === name)) unknown.push(`--${name}`);
    else if (value !== undefined) named.set(name, value);
    else named.set(name, words[++index]?.text ?? '');
  }
  const rest = fill(declared, named, positional);
  const values = Object.fromEntries(named);
  const missing = declared.filter(({ name, isRequired }) => isRequired && !named.has(name));
  if (unknown.length > 0)
    return { values, problem: `Unknown argument(s): ${unknown.join(', ')}. ${usageOf(declared)}` };
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `--${name}`).join(', ');
    return { values, problem: `Missing required argument(s): ${names}` };
  }
  return rest.length === 0
    ? { values }
    : { values, problem: `Too many arguments: ${rest.join(' ')}. ${usageOf(declared)}` };
}

/** Values in order: first for required arguments, then for the others. The last open one takes all that is left. */
function fill(declared: readonly PromptArgument[], named: Map<string, string>, positional: string[]): string[] {
  const open = (isRequired: boolean) =>
    declared.filter((argument) => argument.isRequired === isRequired && !named.has(argument.name));
  const required = open(true);
  const targets = required.length === 1 ? required : [...required, ...open(false)];
  for (const [index, { name }] of targets.entries()) {
    if (positional.length === 0) break;
    const isLast = index === targets.length - 1;
    named.set(name, isLast ? positional.splice(0).join(' ') : positional.shift()!);
  }
  return positional;
}

function usageOf(declared: readonly PromptArgument[]): string {
  if (declared.length === 0) return 'The prompt takes no arguments.';
  const names = declared.map(({ name, isRequired }) => (isRequired ? `--${name}` : `[--${name}]`));
  return `The prompt takes ${names.join(' ')}.`;
}

/** Blanks separate words outside double quotes; a backslash makes the next sign literal inside them. */
function splitWords(text: string): Word[] {
  const words: Word[] = [];
  let current: Word | undefined;
  let isInside = false;
  for (let index = 0; index < text.length; index++) {
    const sign = text[index]!;
    if (isInside && sign === '\\' && index + 1 < text.length) current!.text += text[++index];
    else if (sign === '"') {
      isInside = !isInside;
      current ??= { text: '', isQuoted: true };
    } else if (!isInside && /\s/.test(sign)) {
      if (current) words.push(current);
      current = undefined;
    } else {
      current ??= { text: '', isQuoted: false };
      current.text += sign;
    }
  }
  if (current) words.push(current);
  return words;
}
