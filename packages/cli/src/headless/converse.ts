/** Runs the conversation that a calling program leads over stdin. Loaded for --input-format stream-json only. */

import type { Start } from '../start/start.ts';
import type { PreparedTurn } from '../surface/conversation-ports.ts';
import { readLines } from './input-lines.ts';
import type { PromptRunner } from './prompt-runner.ts';
import { StdinConversation } from './stdin-conversation.ts';

export async function converse(
  runner: PromptRunner,
  { settings, signal }: Pick<Start, 'settings'> & { signal: AbortSignal },
  first: string | PreparedTurn,
): Promise<void> {
  const { summary } = runner;
  const conversation = new StdinConversation({ runner, settings, lines: readLines(process.stdin), signal });
  // A run without a prompt succeeds.
  summary.succeed();
  await conversation.run(first);
  // A prompt that the calling program stopped itself is not a failure.
  if (conversation.wasStopped && summary.outcome === 'cancelled') summary.succeed();
}
