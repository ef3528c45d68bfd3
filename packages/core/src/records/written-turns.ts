/**
 * WrittenTurns: knows which turns and parts of a session are in its file, and under which id.
 * Builds the message for a turn; the recorder writes it. Results are written on arrival and
 * sent later, so a turn may be partly in the file.
 */

import type { Content, Part } from '../protocol/content.ts';
import { originOf } from '../protocol/origin.ts';
import type { Clock } from '../util/clock.ts';
import type { SessionMessage } from './session-file.ts';
import { createSessionId } from './session-id.ts';

export class WrittenTurns {
  private readonly clock: Clock;
  private readonly ids = new WeakMap<Content, string>();
  private readonly parts = new WeakSet<Part>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Registers turns that are already in the file. */
  adopt(turns: ReadonlyMap<Content, string>): void {
    for (const [content, id] of turns) {
      this.ids.set(content, id);
      this.noteParts(content);
    }
  }

  /** Marks parts as written, so that the turn that sends them does not repeat them. */
  noteParts({ parts = [] }: Content): void {
    for (const part of parts) this.parts.add(part);
  }

  idOf(content: Content): string | undefined {
    return this.ids.get(content);
  }

  toMessage(content: Content, fields: Partial<SessionMessage>): SessionMessage {
    const id = this.ids.get(content) ?? createSessionId(this.clock);
    this.ids.set(content, id);
    const timestamp = new Date(this.clock.now()).toISOString();
    const type = content.role === 'user' ? 'user' : 'gemini';
    const { displayContent } = fields;
    // Before the content, which may be long: a listing reads only the beginning of the file.
    const shown = displayContent !== undefined && { displayContent };
    const origin = originOf(content);
    const answered = origin && { model: `${origin.provider}/${origin.model}`, origin };
    return { id, timestamp, type, ...shown, content: content.parts ?? [], ...fields, ...answered };
  }

  /** The part of the turn that is not in the file yet; undefined when all of it is. */
  toRest(content: Content, fields: Partial<SessionMessage>): SessionMessage | undefined {
    const { parts = [] } = content;
    const rest = parts.filter((part) => !this.parts.has(part));
    if (rest.length === 0 && parts.length > 0) return undefined;
    const isJoined = rest.length < parts.length;
    return this.toMessage(content, { ...fields, content: rest, ...(isJoined && { isJoined }) });
  }
}
