/**
 * OptimizedTurn: a Turn that keeps the last hundred responses for debugging instead of all of them. Its text is
 * complete however long the turn is.
 */

import type { GenerateContentResponse } from '../protocol/content.ts';
import { Turn } from './turn.ts';

const MAX_DEBUG_RESPONSES = 100;

export class OptimizedTurn extends Turn {
  private ring: GenerateContentResponse[] = [];
  private oldest = 0;

  /** Oldest first. */
  override getDebugResponses(): GenerateContentResponse[] {
    return [...this.ring.slice(this.oldest), ...this.ring.slice(0, this.oldest)];
  }

  /** Releases everything the turn stored. */
  cleanup(): void {
    this.forget();
  }

  protected override addDebugResponse(response: GenerateContentResponse): void {
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
  }
}
