/** What reading a prompt needs of a surface, and what it results in. */

import type { PreparedPrompt } from '../prompt/prepared-prompt.ts';
import type { ShellPromptOptions } from '../prompt/shell-prompt.ts';
import type { CommandContext, CommandResult } from '../slash/command.ts';

/** The services a prompt acts on. */
export interface ReadContext extends CommandContext {
  /** Data that came with the prompt (standard input); sent before it and never parsed. */
  piped?: string;
  /** The text was entered in shell mode: all of it is a command. */
  isShell?: boolean;
  /** What helps with a slash command that this surface cannot carry out, as a sentence. */
  needsTerminal?: (path: string) => string;
  /** Called before a slash command runs, so that a screen shows the command above its result. */
  onCommand?: (text: string) => void;
  /** Called before a shell command runs; returns what follows its output. */
  onShell?: (command: string) => ShellPromptOptions;
}

/** A result that only a surface with a screen can carry out. */
export type ScreenResult = Exclude<CommandResult, { type: 'message' | 'submit_prompt' }>;

export type ReadPrompt = PreparedPrompt | { kind: 'command'; result: ScreenResult };
