/** Words the end of a background command, and reports it to the model. */

import type { BackgroundEndedEvent } from '../protocol/agent-events.ts';
import type { BackgroundProcess } from '../tools/shell/background.ts';
import type { Agent } from './create-agent.ts';

const SHOWN_COMMAND = 200;

export function describeEnd({ pid, command, exitCode, signal, stopped }: BackgroundProcess): string {
  if (stopped !== undefined) return `${nameOf(command, pid)} was stopped: ${stopped}.`;
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
  return `${nameOf(command, pid)} ${how}.`;
}

function nameOf(command: string, pid: number): string {
  return `The background command ${JSON.stringify(command.slice(0, SHOWN_COMMAND))} (PID ${pid})`;
}

/** How it ended, as fields of the event. */
export function factsOf({ pid, command, exitCode, signal }: BackgroundProcess): Omit<BackgroundEndedEvent, 'type'> {
  return {
    pid,
    command: command.slice(0, SHOWN_COMMAND),
    ...(typeof exitCode === 'number' && { exitCode }),
    ...(signal && { signal }),
  };
}

/** Adds the sentence to the running prompt, else to the next one: it sends no request of its own. */
export function tellModel({ session, chat }: Pick<Agent, 'session' | 'chat'>, sentence: string): void {
  const note = { text: `<system_note>${sentence}</system_note>` };
  if (session.isBusy) session.steer([note]);
  else chat.addHistory({ role: 'user', parts: [note] });
}
