/**
 * readPrompt: parses a text for every surface: `/command`, `!command`, `@path` or plain words. A text without any sign
 * costs nothing here; the rest is loaded on demand. It prints nothing: the surface supplies services and shows the
 * result.
 */

import { isShellText, isSlashText, toHarmlessText } from '../prompt/prompt-signs.ts';
import type { ReadContext, ReadPrompt } from './prompt-reading.ts';

/** Never throws because of the user's input, nor because of an abort. */
export async function readPrompt(given: string, context: ReadContext): Promise<ReadPrompt> {
  try {
    return await read(given, context);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    return { kind: 'error', message: 'the prompt was cancelled before it was sent.' };
  }
}

async function read(given: string, context: ReadContext): Promise<ReadPrompt> {
  const text = toHarmlessText(given);
  const piped = toHarmlessText(context.piped ?? '');
  if (context.isShell || isShellText(text)) {
    const command = text.trim().slice(1).trim();
    const { runShellPrompt } = await import('../prompt/shell-prompt.ts');
    return runShellPrompt(command, context, context.onShell?.(command));
  }
  if (isSlashText(text)) {
    const { readCommand } = await import('./read-command.ts');
    const result = await readCommand(text, context);
    if (result) return withPiped(result, piped);
  }
  if (text.includes('@')) {
    const { expandReferences } = await import('../prompt/at-references.ts');
    return withPiped(await expandReferences(text, context.agent, context.signal), piped);
  }
  return withPiped({ kind: 'prompt', parts: [{ text }], displayText: text, notes: [] }, piped);
}

function withPiped(prepared: ReadPrompt, piped: string): ReadPrompt {
  if (piped === '' || prepared.kind !== 'prompt') return prepared;
  const [first, ...rest] = prepared.parts;
  const isText = first?.text !== undefined;
  const parts = isText
    ? [{ ...first, text: `${piped}\n\n${first.text}` }, ...rest]
    : [{ text: piped }, ...prepared.parts];
  return { ...prepared, parts, displayText: `${piped}\n\n${prepared.displayText}` };
}
