/** The window that Castor asks of Ollama for a model, from what the server says of it. */

import { type ShownModel, readModelList } from './model-list.ts';

/** The window asked of Ollama where the user names none: enough to work in, and affordable for most machines. */
const WORKING_WINDOW = 32_768;
/** A tag that Ollama adds to a bare name. */
const DEFAULT_TAG = ':latest';

/** `running` is the answer of `/api/ps`: what is allotted to a model while it is loaded. */
export function ollamaWindow(
  { trainedWindow, allottedWindow }: ShownModel,
  running: unknown,
  model: string,
): { contextWindow: number } {
  const loaded = readModelList(running).find(({ id }) => isSameModel(id, model))?.known.contextWindow;
  const chosen = allottedWindow ?? Math.min(trainedWindow ?? WORKING_WINDOW, WORKING_WINDOW);
  // A smaller window than the loaded one would reload the model for nothing.
  return { contextWindow: Math.max(chosen, loaded ?? 0) };
}

function isSameModel(one: string, other: string): boolean {
  return one === other || one === `${other}${DEFAULT_TAG}` || other === `${one}${DEFAULT_TAG}`;
}
