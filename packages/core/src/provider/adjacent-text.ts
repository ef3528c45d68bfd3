/**
 * Merges adjacent frames of plain text that arrived in one read from the network. Every frame passes five async
 * generators on its way to a surface, and a long answer has tens of thousands of them (docs/decisions/0015).
 */

import type { GenerateContentResponse, Part } from '../protocol/content.ts';

const FRAME_KEYS: ReadonlySet<string> = new Set([
  'candidates',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'createTime',
]);
const CANDIDATE_KEYS: ReadonlySet<string> = new Set(['content', 'index']);
const CONTENT_KEYS: ReadonlySet<string> = new Set(['parts', 'role']);
const PART_KEYS: ReadonlySet<string> = new Set(['text']);

/** Plain text of adjacent frames: the first of them, and the texts of all. */
interface Run {
  response: GenerateContentResponse;
  part: Part;
  texts: string[];
}

/**
 * The same responses with runs of plain text as one response each, the first of a run. A frame that holds anything else
 * (a thought, a call, a citation, how the answer ended) keeps its place and stays whole.
 */
export function mergeAdjacentText(responses: GenerateContentResponse[]): GenerateContentResponse[] {
  if (responses.length < 2) return responses;
  const merged: GenerateContentResponse[] = [];
  let run: Run | undefined;
  for (const response of responses) {
    const part = plainPartOf(response);
    if (part && run && run.response.responseId === response.responseId) {
      run.texts.push(part.text!);
      // Usage counts are cumulative: the newest replaces the earlier ones.
      if (response.usageMetadata) run.response.usageMetadata = response.usageMetadata;
    } else {
      if (run) endRun(run);
      merged.push(response);
      run = part && { response, part, texts: [part.text!] };
    }
  }
  if (run) endRun(run);
  return merged;
}

/** Joins the texts into one that refers to none of them: a text that is cut from a read keeps the whole read in memory. */
function endRun({ part, texts }: Run): void {
  if (texts.length > 1) part.text = texts.join('');
}

/** The part of a frame that holds exactly one part, which is only text. */
function plainPartOf(response: GenerateContentResponse): Part | undefined {
  const { candidates } = response;
  const candidate = candidates?.length === 1 ? candidates[0] : undefined;
  const parts = candidate?.content?.parts;
  const part = parts?.length === 1 ? parts[0] : undefined;
  if (!part?.text) return undefined;
  const isPlain =
    hasOnly(response, FRAME_KEYS) &&
    hasOnly(candidate!, CANDIDATE_KEYS) &&
    hasOnly(candidate!.content!, CONTENT_KEYS) &&
    hasOnly(part, PART_KEYS);
  return isPlain ? part : undefined;
}

function hasOnly(value: object, keys: ReadonlySet<string>): boolean {
  for (const key in value) if (!keys.has(key)) return false;
  return true;
}
