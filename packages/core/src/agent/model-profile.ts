/** The profile of a model: which tools it gets, in which form, and which prompt. A table by family, no code per model. */

import { COMPACT_PROMPT, FAMILY_PARAGRAPHS, PARALLEL_FAMILIES } from '../context/family-prompts.ts';
import type { FunctionDeclaration } from '../protocol/content.ts';
import type { ModelFamily } from '../provider/catalogue/model-catalogue.ts';
import { COMPACT_TOOLS, toCompactDeclaration } from '../tools/compact-tools.ts';
import type { ModelProfile } from './workspace-fit.ts';

export interface ProfiledModel {
  family: ModelFamily | undefined;
  isCompact: boolean;
  isForeign: boolean;
}

/** Families that edit with patches; two ways to edit make both worse, so `replace` is not offered beside it. */
const EDITS_BY_PATCH: ReadonlySet<ModelFamily | undefined> = new Set<ModelFamily>(['gpt']);
/** Tools that run on a server of the Gemini API. */
const GEMINI_ONLY: ReadonlySet<string> = new Set(['google_web_search']);

export function createProfile({ family, isCompact, isForeign }: ProfiledModel): ModelProfile {
  const hasPatches = EDITS_BY_PATCH.has(family) && !isCompact;
  const paragraph = family && FAMILY_PARAGRAPHS[family];
  return {
    offers(name) {
      if (name === 'apply_patch') return hasPatches;
      if (name === 'replace' && hasPatches) return false;
      if (isForeign && GEMINI_ONLY.has(name)) return false;
      return !isCompact || Object.hasOwn(COMPACT_TOOLS, name);
    },
    declare: (declaration: FunctionDeclaration) => (isCompact ? toCompactDeclaration(declaration) : declaration),
    ...(isCompact && { core: COMPACT_PROMPT }),
    ...(paragraph !== undefined && !isCompact && { paragraph }),
    callsInParallel: !isForeign || PARALLEL_FAMILIES.has(family),
  };
}
