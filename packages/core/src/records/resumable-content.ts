/** What of a session a person would want back: their own words and the answers, not the commands around them. Pure. */

import { INTERRUPTED_ANSWER } from '../chat/conversation.ts';
import type { Part } from '../protocol/content.ts';
import type { SessionMessage } from './session-file.ts';
import { textOf, toStoredParts } from './session-parts.ts';

/** Context of ours, and the summary of a compression with what it carries over. */
const OURS = /^\s*<(?:session_context|hook_context|state_snapshot)>|^<carried_over>$/m;
/** How the model is told of a command that the user ran. */
const OWN_COMMAND = /^I ran the following shell command:\n```sh\n([^]*?)\n```/;

/** Whether these are the words of an answer that the user or a limit cut off. */
export function isCutAnswer(parts: readonly Part[] | undefined): boolean {
  return parts?.at(-1)?.text === INTERRUPTED_ANSWER;
}

/** Whether a person would want the session back for this message. */
export function isWorthResuming(message: SessionMessage): boolean {
  const { type, content, toolCalls, thoughts } = message;
  if (type !== 'gemini') return (ownWords(message) ?? asideWords(message)) !== undefined;
  return toStoredParts(content).length > 0 || Boolean(toolCalls?.length || thoughts?.length);
}

/** What a person said. Commands of the surface and context it adds are not their words; nor are results. */
export function ownWords({
  type,
  content,
  displayContent,
  prompt_id,
  isAside,
  failure,
}: SessionMessage): string | undefined {
  if (type !== 'user' || isAside || toStoredParts(content).some((part) => part.functionResponse)) return undefined;
  const parts = toStoredParts(displayContent ?? content);
  const text = textOf(parts.filter((part) => !OWN_COMMAND.test(part.text ?? '')));
  const words = prompt_id === undefined ? text : text.replace(/^<hook_context>[^]*?<\/hook_context>\s*/, '');
  if (words.trim() === '' || OURS.test(words)) return undefined;
  // What was to be sent is a prompt, also where the user typed a custom command for it.
  const isPrompt = prompt_id !== undefined || failure !== undefined;
  return !isPrompt && /^\s*[/?]/.test(words) ? undefined : words;
}

/** What a person did beside the conversation and the model was told of, such as a command they ran themselves. */
export function asideWords({ type, content, isAside }: SessionMessage): string | undefined {
  if (type !== 'user') return undefined;
  const text = textOf(content).trim();
  const command = OWN_COMMAND.exec(text)?.[1];
  if (command !== undefined) return `!${command}`;
  if (!isAside) return undefined;
  return text === '' || /^<(session|hook)_context>/.test(text) ? undefined : text;
}
