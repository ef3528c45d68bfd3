/**
 * The work of a compression: shortens old tool output and replaces the older part of a history by a snapshot that a
 * model writes. It changes no chat. Loaded by the first compression.
 */

import { findIndexAfterFraction, findStepAfterFraction } from '../chat/history-places.ts';
import { hasFunctionCall, hasFunctionResponse } from '../chat/parts.ts';
import type { ModelCatalogue } from '../provider/catalogue/model-catalogue.ts';
import { estimateTokenCount } from '../provider/token-estimate.ts';
import type { Content, Part } from '../protocol/content.ts';
import { factsOf } from '../routing/models.ts';
import { collectCarriedOver, findLastWords, formatCarriedOver, isSessionContext } from './carried-over.ts';
import {
  CRITIQUE_PROMPT,
  SNAPSHOT_ACKNOWLEDGEMENT,
  SNAPSHOT_PROMPT,
  SNAPSHOT_SYSTEM_PROMPT,
} from './snapshot-prompt.ts';
import type { SavedOutputs } from './tool-output-masking.ts';
import type { UtilityModel } from './utility-model.ts';

/** Newer tool output, up to this many tokens, is sent to the summariser whole. */
const TOOL_OUTPUT_BUDGET = 50_000;
/** The characters of the user's words that a snapshot carries, for each token of the window: a fifth of it. */
const CARRIED_CHARACTERS_PER_TOKEN = 0.8;
/** Steps, a call with its results, that a small window keeps whole. */
const KEPT_STEPS = 2;

export interface Summarising {
  model: Pick<UtilityModel, 'generateText'>;
  tokenLimit(model: string): number;
  catalogue?: ModelCatalogue | undefined;
  /** Asked in this order until one answers. */
  models: readonly string[];
  /** The size of the last request, in tokens. */
  tokens: number;
  /** The share of the history, from its end, that is kept unchanged. */
  preserve: number;
  /** The tokens of the window the history must fit into. */
  window: number;
  /** Whether the last steps of a prompt are kept whole. */
  keepsSteps: boolean;
  prompt_id: string;
  signal: AbortSignal;
}

/** The shorter history; `nothing_old` and `no_answer` say why there is none. */
export async function summariseHistory(
  history: readonly Content[],
  options: Summarising,
): Promise<Content[] | 'nothing_old' | 'no_answer'> {
  const split = findSplit(history, options.preserve);
  const splitAt = options.keepsSteps ? Math.min(split, findLastSteps(history)) : split;
  // Instructions are not history: a summary would weaken them.
  const context = history.slice(0, isSessionContext(history[0]) ? 1 : 0);
  const old = history.slice(context.length, splitAt);
  if (old.length === 0) return 'nothing_old';
  const snapshot = await takeSnapshot(old, options);
  if (!snapshot) return 'no_answer';
  const kept = history.slice(splitAt);
  // A cut in the middle of a prompt: the prompt stays directly before the calls it led to.
  const prompt = hasFunctionCall(kept[0]) ? findLastWords(old) : undefined;
  const carried = formatCarriedOver(
    collectCarriedOver(
      old.filter((content) => content !== prompt),
      options.window * CARRIED_CHARACTERS_PER_TOKEN,
    ),
  );
  const summary = userTurn([snapshot, carried].filter(Boolean).join('\n\n'));
  // A turn with calls must directly follow a user turn.
  const answered = hasFunctionCall(kept[0]) && !prompt ? [] : [modelTurn(SNAPSHOT_ACKNOWLEDGEMENT)];
  return [...context, summary, ...answered, ...(prompt ? [prompt] : []), ...kept];
}

/** Newest first within the budget; older output is saved to a file and replaced by its path. */
export async function shortenToolOutput(
  history: readonly Content[],
  savedOutputs: Pick<SavedOutputs, 'shorten'> | undefined,
): Promise<Content[]> {
  let left = TOOL_OUTPUT_BUDGET;
  const shortened = [...history];
  for (let index = history.length - 1; index >= 0; index--) {
    const content = history[index];
    if (!content?.parts?.some((part) => part.functionResponse)) continue;
    const parts: Part[] = [];
    for (const part of content.parts) {
      left -= part.functionResponse ? estimateTokenCount([part]) : 0;
      parts.push(left < 0 && part.functionResponse && savedOutputs ? await savedOutputs.shorten(part) : part);
    }
    shortened[index] = { ...content, parts };
  }
  return shortened;
}

/** The snapshot of the first model that answers. */
async function takeSnapshot(old: readonly Content[], options: Summarising): Promise<string | undefined> {
  for (const model of new Set(options.models.flatMap((each) => summarisersOf(each, options)))) {
    const snapshot = await takeSnapshotWith(model, old, options);
    if (snapshot !== undefined) return snapshot;
  }
  return undefined;
}

/**
 * The preset, or the small model of the same provider and then the model itself: a gateway may not have the small one,
 * and it may not hold the history.
 */
function summarisersOf(model: string, { catalogue, tokenLimit, tokens }: Summarising): string[] {
  const { compressionPreset, utilityModel } = factsOf(model, catalogue);
  if (utilityModel === undefined) return [compressionPreset ?? model];
  return tokenLimit(utilityModel) > tokens ? [utilityModel, model] : [model];
}

/** Two calls: a snapshot, then the same model's critique of it. The first is used if the second fails. */
async function takeSnapshotWith(
  model: string,
  old: readonly Content[],
  { model: utility, prompt_id, signal }: Summarising,
): Promise<string | undefined> {
  const question = {
    model,
    systemInstruction: SNAPSHOT_SYSTEM_PROMPT,
    signal,
    role: 'utility_compressor' as const,
  };
  const asked: Content[] = [...old, userTurn(SNAPSHOT_PROMPT)];
  const first = await utility.generateText({ ...question, prompt_id, contents: asked });
  if (!first) return undefined;
  const contents = [...asked, modelTurn(first), userTurn(CRITIQUE_PROMPT)];
  const second = await utility.generateText({ ...question, prompt_id: `${prompt_id}-verify`, contents });
  return second ?? first;
}

/**
 * Where the kept part starts: at a prompt of the user, or, if that leaves too little to summarise, at a step of the
 * last prompt.
 */
function findSplit(history: readonly Content[], preserve: number): number {
  const fraction = 1 - preserve;
  const atWords = findIndexAfterFraction(history, fraction);
  const size = (contents: readonly Content[]) => JSON.stringify(contents).length;
  if (size(history.slice(0, atWords)) >= (fraction / 2) * size(history)) return atWords;
  return Math.max(atWords, findStepAfterFraction(history, fraction));
}

/** Where the last steps of the current prompt start, so that the model can go on with them; the length once it has answered. */
function findLastSteps(history: readonly Content[]): number {
  const last = history.at(-1);
  if (!hasFunctionCall(last) && !hasFunctionResponse(last)) return history.length;
  const prompt = history.findLastIndex((content) => content.role === 'user' && !hasFunctionResponse(content));
  const steps = [...history.keys()].filter((index) => index > prompt && hasFunctionCall(history[index]));
  return steps.at(-KEPT_STEPS) ?? steps[0] ?? history.length;
}

function userTurn(text: string): Content {
  return { role: 'user', parts: [{ text }] };
}

function modelTurn(text: string): Content {
  return { role: 'model', parts: [{ text }] };
}
