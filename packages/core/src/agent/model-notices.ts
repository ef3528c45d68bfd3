/** The sentences a session posts about its model: an assumed, a tight or a learned window, cold caches. Loaded when there is one. */

import type { SessionEvent } from '../protocol/agent-events.ts';

/** A shorter conversation is read anew without a noticeable price. */
const LONG_HISTORY = 20_000;
/** What a model needs beside its instructions and tools to do any work, as a share of them. */
const WORKING_SHARE = 0.25;

type Notice = Extract<SessionEvent, { type: 'notice' }>;

export interface ChosenModel {
  model: string;
  window: number;
  /** The window is a guess: too small a one compresses early, too large a one overflows. */
  isWindowAssumed: boolean;
  /** The model before the user changed it. */
  former: string | undefined;
  /** The tokens of the last request. */
  tokens: number;
  /** The tokens of the instructions and the tools. */
  needed: number;
}

/** By a key; each key is told once per session. */
export function describeModel({ model, window, isWindowAssumed, former, tokens, needed }: ChosenModel) {
  const notices: Record<string, Notice> = {};
  if (isWindowAssumed) {
    notices[`assumed ${model}`] = notice(
      'info',
      `The context window of ${model} is unknown; Castor assumes ${withCommas(window)} tokens. See docs/models.md.`,
    );
  }
  if (former !== undefined && former !== model && tokens >= LONG_HISTORY) {
    notices['cold'] = notice(
      'info',
      `${model} reads the conversation of about ${withCommas(tokens)} tokens anew: the prompt cache of ${former} does not apply to it.`,
    );
  }
  const least = Math.ceil(needed * (1 + WORKING_SHARE));
  if (least > window) {
    notices[`tight ${model} ${window}`] = notice(
      'warning',
      `The context window of ${model} is too small to work in: it has ${withCommas(window)} tokens, and the instructions and tools with room for an answer need ${withCommas(least)}. Give the model a larger window (num_ctx of Ollama, the context size of llama.cpp, contextWindow in the settings), or choose another model.`,
    );
  }
  return notices;
}

export function describeLearnedWindow(model: string, window: number): Notice {
  return notice('info', `${model} reports a context window of ${withCommas(window)} tokens; this session keeps to it.`);
}

function notice(level: Notice['level'], message: string): Notice {
  return { type: 'notice', level, message };
}

/** Not toLocaleString: loading the locale data costs a start 15 ms. */
function withCommas(tokens: number): string {
  return String(tokens).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
