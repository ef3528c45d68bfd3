/**
 * OptimizedTurn: a Turn that keeps the last hundred responses for debugging instead of all of them. Its text is
 * stored as text, so it is complete however long the turn is.
 */

import { getResponseText } from '../chat/response.ts';
import type { GenerateContentResponse } from '../protocol/content.ts';
import { Turn } from './turn.ts';

const MAX_DEBUG_RESPONSES = 100;

export class OptimizedTurn extends Turn {
  private ring: GenerateContentResponse[] = [];
  private oldest = 0;
  private pieces: string[] = [];

  /** Oldest first. */
  override getDebugResponses(): GenerateContentResponse[] {
    return [...this.ring.slice(this.oldest), ...this.ring.slice(0, this.oldest)];
  }

  override getResponseText(): string {
    if (this.pieces.length > 1) this.pieces = [this.pieces.join('')];
    return this.pieces[0] ?? '';
  }

  /** Releases everything the turn stored. */
  cleanup(): void {
    this.dropDebugResponses();
    this.pendingToolCalls.length = 0;
  }

  protected override addDebugResponse(response: GenerateContentResponse): void {
    const text = getResponseText(response);
    if (text) this.pieces.push(text);
    if (this.ring.length < MAX_DEBUG_RESPONSES) {
      this.ring.push(response);
      return;
    }
    this.ring[this.oldest] = response;
    this.oldest = (this.oldest + 1) % MAX_DEBUG_RESPONSES;
  }

  protected override dropDebugResponses(): void {
    this.ring = [];
    this.oldest = 0;
    this.pieces = [];
  }
}
