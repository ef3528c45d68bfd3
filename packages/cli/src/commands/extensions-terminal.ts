/** The questions of `castor extensions` on a terminal; without one, a sentence that names the flag to use. */

import { ExtensionError } from '@castor/core/program';
import type { DeskPort } from './extension-desk.ts';
import type { SettingPrompt } from './extensions-config.ts';
import type { SubcommandContext } from './subcommand-context.ts';

export function createTerminalPort({ output }: SubcommandContext, flags: ReadonlySet<string>): DeskPort {
  return {
    async confirm(page, question) {
      clearProgress();
      if (flags.has('--consent')) {
        output.note(`You have consented to the following:\n${page}`);
        return true;
      }
      output.note(page);
      if (!process.stdin.isTTY) {
        throw new ExtensionError(
          `${question} This needs your consent, and stdin is not a terminal to ask on. If you agree to the page above, pass --consent.`,
        );
      }
      const { askLine } = await import('./ask-terminal.ts');
      return /^y(es)?$/i.test((await askLine({ text: `${question} [y/N]: ` }))?.trim() ?? '');
    },
    onProgress: showProgress,
    async configure(extension, desk) {
      clearProgress();
      const { askMissingValues } = await import('./extensions-config.ts');
      const prompt = flags.has('--skip-settings') || !process.stdin.isTTY ? undefined : createSettingPrompt({ output });
      const left = await askMissingValues(extension, desk, prompt);
      if (left.length === 0) return;
      const { name } = extension;
      output.note(
        `castor: warning: Extension "${name}" has missing settings: ${left.join(', ')}. Set them: castor extensions config ${name} [setting-name]`,
      );
    },
  };
}

export function createSettingPrompt({ output }: Pick<SubcommandContext, 'output'>): SettingPrompt {
  return {
    async ask(text, isSecret) {
      if (process.stdin.isTTY) {
        const { askLine } = await import('./ask-terminal.ts');
        return askLine({ text, isSecret });
      }
      return readPipedLine();
    },
    tell: (line) => output.note(line),
  };
}

let piped: AsyncIterator<string> | undefined;

/** A script pipes one value per line; undefined at the end. */
async function readPipedLine(): Promise<string | undefined> {
  const { createInterface } = await import('node:readline');
  piped ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const { done, value } = await piped.next();
  return done ? undefined : value;
}

let isShowing = false;

function showProgress(line: string): void {
  if (!process.stderr.isTTY) return;
  isShowing = true;
  process.stderr.write(`\r${line.slice(0, 76)}\u001b[K`);
}

function clearProgress(): void {
  if (isShowing) process.stderr.write('\r\u001b[K');
  isShowing = false;
}
