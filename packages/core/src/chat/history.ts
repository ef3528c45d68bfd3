/**
 * History: the turns of a session with one writer, and the views of it. Appending is O(1) in the length of the
 * session: every view is extended, never rebuilt.
 *
 * - comprehensive: all turns, in order.
 * - curated: without runs of model turns that hold an invalid part.
 * - contents: the contents to send; always a legal conversation (`ConversationBuilder`).
 *
 * Contents are immutable once appended: views share them by reference.
 */

import type { Content } from '../protocol/content.ts';
import { ConversationBuilder } from './conversation.ts';
import { isValidPart } from './stream-check.ts';

/** A position in the history to roll back to. */
export type HistoryMark = number;

export class History {
  private turns: Content[] = [];
  private curatedTurns: Content[] = [];
  /** Where the run of model turns at the end of the curated view starts, and whether all of it is valid. */
  private runStart = 0;
  private runValid = true;
  private conversation = new ConversationBuilder();

  constructor(initial: readonly Content[] = []) {
    for (const content of initial) this.append(content);
  }

  append(content: Content): void {
    if (content.role !== 'user' && content.role !== 'model') {
      throw new Error(`Role must be user or model, but got ${content.role}.`);
    }
    this.turns.push(content);
    this.curate(content);
    if (this.runValid || content.role === 'user') this.conversation.append(content);
    else this.conversation = ConversationBuilder.of(this.curatedTurns);
  }

  get comprehensive(): readonly Content[] {
    return this.turns;
  }

  get curated(): readonly Content[] {
    return this.curatedTurns;
  }

  /** The contents to send. The last turn is a user turn as soon as one was appended. */
  get contents(): readonly Content[] {
    return this.conversation.contents;
  }

  /** Validates the turns added since the last check, in production, before every send. */
  assertLegal(): void {
    this.conversation.assertLegal();
  }

  get last(): Content | undefined {
    return this.turns.at(-1);
  }

  mark(): HistoryMark {
    return this.turns.length;
  }

  /** Removes the turns appended since the mark. Costs the length of the history: for failures, not for turns. */
  rollback(mark: HistoryMark): void {
    if (mark < this.turns.length) this.replace(this.turns.slice(0, mark));
  }

  replace(turns: readonly Content[]): void {
    this.turns = [];
    this.curatedTurns = [];
    this.runStart = 0;
    this.runValid = true;
    this.conversation = new ConversationBuilder();
    for (const content of turns) this.append(content);
  }

  private curate(content: Content): void {
    if (content.role === 'user') {
      this.curatedTurns.push(content);
      this.runStart = this.curatedTurns.length;
      this.runValid = true;
    } else if (this.runValid && isValidContent(content)) {
      this.curatedTurns.push(content);
    } else {
      this.runValid = false;
      this.curatedTurns.length = this.runStart;
    }
  }
}

/** A model turn may be empty (the model had nothing to add); any part present must have content. */
function isValidContent(content: Content): boolean {
  return (content.parts ?? []).every(isValidPart);
}
