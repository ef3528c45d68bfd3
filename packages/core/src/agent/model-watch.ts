/** ModelWatch: posts what is to be said about the model of a session, each thing once. */

import type { ModelFacts } from '../provider/catalogue/model-catalogue.ts';
import type { EventInbox } from './event-inbox.ts';
import type { ChosenModel } from './model-notices.ts';

/** In a window of this size instructions and tools leave room for work. */
const ROOMY_WINDOW = 100_000;

/** The instructions and tools of every request. */
export interface RequestBase {
  /** Changes where their size may have changed. */
  mark: string;
  /** Their tokens; costs the whole text. */
  measure(): number;
  /** The tokens of the last request; may cost an estimate of the history. */
  sentTokens(): number;
}

export class ModelWatch {
  private readonly inbox: EventInbox;
  private readonly told = new Set<string>();
  private lastState = '';

  constructor(inbox: EventInbox) {
    this.inbox = inbox;
  }

  /** What a provider says beside its answers. */
  readonly relay = (message: string): void => {
    if (this.isNew(message)) this.inbox.post({ type: 'notice', level: 'warning', message });
  };

  /** Before a turn: says nothing, and costs nothing, while nothing has changed since the last one. */
  async chosen(chosen: Omit<ChosenModel, 'needed' | 'tokens'>, base: RequestBase): Promise<void> {
    const { model, window, isWindowAssumed, former } = chosen;
    if (window >= ROOMY_WINDOW && !isWindowAssumed && former === undefined) return;
    const state = `${model} ${window} ${isWindowAssumed} ${base.mark}`;
    if (state === this.lastState && former === undefined) return;
    this.lastState = state;
    const { describeModel } = await import('./model-notices.ts');
    const notices = describeModel({ ...chosen, tokens: base.sentTokens(), needed: base.measure() });
    for (const [key, notice] of Object.entries(notices)) if (this.isNew(key)) this.inbox.post(notice);
  }

  /** A rejected request named the window. */
  async learned(model: string, window: number): Promise<void> {
    const { describeLearnedWindow } = await import('./model-notices.ts');
    if (this.isNew(`learned ${model} ${window}`)) this.inbox.post(describeLearnedWindow(model, window));
  }

  private isNew(key: string): boolean {
    const isNew = !this.told.has(key);
    this.told.add(key);
    return isNew;
  }
}

/** The Gemini API counts an answer apart from the window; other services reject a request that leaves it no room. */
export function reserveOf({ utilityModel, maxOutput = Infinity, contextWindow }: ModelFacts): number {
  return utilityModel === undefined ? 0 : Math.min(maxOutput, Math.floor(contextWindow / 4));
}
