/** Decides which messages make a session worth resuming: the user's prompts and answers, not surface commands. Pure. */

import { INTERRUPTED_ANSWER } from '../chat/conversation.ts';
import type { Part } from '../protocol/content.ts';
import type { SessionMessage } from './session-file.ts';
import { textOf, toStoredParts } from './session-parts.ts';

/** Context this program added, and the summary of a compression with the content it carries over. */
const OURS = /^\s*<(?:session_context|hook_context|state_snapshot)>|^<carried_over>$/m;
/** What the client asks the model in the middle of a prompt: after an invalid stream, a silent end, a loop. */
const OUR_REQUEST = /^System: (?:Please continue|Your last turn was empty|Potential loop detected)\./;
/** The text that reports a command the user ran to the model. */
const OWN_COMMAND =
  /^I ran the following shell command:\n```sh\n([^]*?)\n```(?:\n\nThis produced the following result:\n```\n([^]*)\n```)?/;
/** The end of the output, or its beginning in a session of Gemini CLI. */
const FAILED_COMMAND = /\[The command ended with exit code (\d+)\]$|^Command exited with code (\d+)\./;

/** Whether these parts are an answer that the user or a limit cut off. */
export function isCutAnswer(parts: readonly Part[] | undefined): boolean {
  return parts?.at(-1)?.text === INTERRUPTED_ANSWER;
}

/** Whether this message makes the session worth resuming. */
export function isWorthResuming(message: SessionMessage): boolean {
  const { type, content, toolCalls, thoughts } = message;
  if (type !== 'gemini') return (ownWords(message) ?? asideWords(message)) !== undefined;
  return toStoredParts(content).length > 0 || Boolean(toolCalls?.length || thoughts?.length);
}

/** The user's own text. Excludes surface commands, context the surface adds, and tool results. */
export function ownWords({
  type,
  content,
  displayContent,
  prompt_id,
  isAside,
  isInterrupted,
  failure,
}: SessionMessage): string | undefined {
  if (type !== 'user' || isAside || toStoredParts(content).some((part) => part.functionResponse)) return undefined;
  const parts = toStoredParts(displayContent ?? content);
  const text = textOf(parts.filter((part) => !OWN_COMMAND.test(part.text ?? '')));
  const words = prompt_id === undefined ? text : text.replace(/^<hook_context>[^]*?<\/hook_context>\s*/, '');
  if (words.trim() === '' || OURS.test(words) || OUR_REQUEST.test(words)) return undefined;
  // A message that was not sent is a prompt, even if the user typed a custom command for it.
  const isPrompt = prompt_id !== undefined || isInterrupted === true || failure !== undefined;
  return !isPrompt && /^\s*[/?]/.test(words) ? undefined : words;
}

export interface OwnCommand {
  readonly command: string;
  readonly output: string;
  /** Absent for a command that succeeded, or did not exit. */
  readonly exitCode?: number;
}

/** The shell command of the user that this message reports. */
export function ownCommand({ type, content }: SessionMessage): OwnCommand | undefined {
  const found = type === 'user' ? OWN_COMMAND.exec(textOf(content).trim()) : null;
  if (found === null) return undefined;
  const [command = '', output = ''] = found.slice(1).map((text) => text?.replace(/\\([\\`])/g, '$1'));
  const [, ours, theirs] = FAILED_COMMAND.exec(output) ?? [];
  const exitCode = ours ?? theirs;
  return { command, output, ...(exitCode !== undefined && { exitCode: Number(exitCode) }) };
}

/** A user action beside the conversation that was reported to the model, such as a shell command the user ran. */
export function asideWords(message: SessionMessage): string | undefined {
  const { type, content, isAside } = message;
  if (type !== 'user') return undefined;
  const text = textOf(content).trim();
  const own = ownCommand(message);
  if (own !== undefined) return `!${own.command}`;
  if (!isAside) return undefined;
  return text === '' || /^<(session|hook)_context>/.test(text) ? undefined : text;
}
