/**
 * What a person typed, as what the model is sent: `/command`, `!command` and `@path`, for
 * every surface. A text without any of them costs nothing here; the rest is loaded when it
 * is met. It prints nothing and knows no surface.
 */

import type { Part } from '@castor/core';
import type { CommandContext } from '../slash/command.ts';

/** What the words in a prompt act on. */
export interface PromptDependencies extends CommandContext {
  /** Data that came with the prompt (standard input); it is sent before it and never looked into. */
  piped?: string;
}

export type PreparedPrompt =
  /** For `session.prompt(parts, signal, { text: displayText })`. `notes` are for the person: what was left out and why. */
  | { kind: 'prompt'; parts: Part[]; displayText: string; notes: string[] }
  /** Nothing is asked of the model. */
  | { kind: 'answered'; text: string; exitCode: 0 | 1 }
  /** The input cannot be meant; a program that runs once ends with 42. */
  | { kind: 'error'; message: string };

/** Never throws because of what was typed, nor because of an abort. */
export async function preparePrompt(given: string, dependencies: PromptDependencies): Promise<PreparedPrompt> {
  try {
    return await prepare(given, dependencies);
  } catch (error) {
    if (!dependencies.signal.aborted) throw error;
    return { kind: 'error', message: 'the prompt was cancelled before it was sent.' };
  }
}

async function prepare(given: string, dependencies: PromptDependencies): Promise<PreparedPrompt> {
  const text = toHarmlessText(given);
  const piped = toHarmlessText(dependencies.piped ?? '');
  if (isSlashCommand(text)) {
    const { runSlashPrompt } = await import('./run-slash-prompt.ts');
    const prepared = await runSlashPrompt(text, dependencies);
    if (prepared) return withPiped(prepared, piped);
  } else if (isShellCommand(text)) {
    const { runShellPrompt } = await import('./shell-prompt.ts');
    return runShellPrompt(text.trim().slice(1).trim(), dependencies);
  }
  if (text.includes('@')) {
    const { expandReferences } = await import('./at-references.ts');
    return withPiped(await expandReferences(text, dependencies.agent.references, dependencies.signal), piped);
  }
  return withPiped({ kind: 'prompt', parts: [{ text }], displayText: text, notes: [] }, piped);
}

/** Half characters and NUL are no text, and no service takes them. */
function toHarmlessText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A comment in code is not a command. */
function isSlashCommand(text: string): boolean {
  return /^\s*\/(?![/*\s])/.test(text);
}

function isShellCommand(text: string): boolean {
  return /^\s*!\s*[^\s!]/.test(text) && !text.trim().includes('\n');
}

function withPiped(prepared: PreparedPrompt, piped: string): PreparedPrompt {
  if (piped === '' || prepared.kind !== 'prompt') return prepared;
  const [first, ...rest] = prepared.parts;
  const isText = first?.text !== undefined;
  const parts = isText
    ? [{ ...first, text: `${piped}\n\n${first.text}` }, ...rest]
    : [{ text: piped }, ...prepared.parts];
  return { ...prepared, parts, displayText: `${piped}\n\n${prepared.displayText}` };
}
