/**
 * WorkspaceFit: fits the tools and the instructions of a workspace to the model of the next turn. Models of the Gemini
 * API take them as they are; what the others need is loaded with the first of them.
 */

import type { FunctionDeclaration } from '../protocol/content.ts';
import type { ModelFacts } from '../provider/catalogue/model-catalogue.ts';
import type { PromptProfile } from '../context/system-prompt.ts';

/** Below this window instructions and tools are cut to the least that works. */
const COMPACT_BELOW = 32_768;

/** How a model is addressed. */
export interface ModelProfile extends PromptProfile {
  /** Whether the tool is declared to the model. */
  offers(name: string): boolean;
  /** A shorter form of the declaration, where the window needs one. */
  declare(declaration: FunctionDeclaration): FunctionDeclaration;
}

/** Tools that only a profile offers. */
const OFFERED_BY_PROFILE: ReadonlySet<string> = new Set(['apply_patch']);

export class WorkspaceFit {
  private profile: ModelProfile | undefined;
  private key = '';
  /** The facts about the model of the next turn. */
  private facts: ModelFacts;

  constructor(facts: ModelFacts) {
    this.facts = facts;
  }

  /** Whether the window is too small for a directory tree and other comforts. */
  get isCompact(): boolean {
    return isCompact(this.facts);
  }

  /** Whether the model belongs to another provider than the Gemini API. */
  get isForeign(): boolean {
    return isForeign(this.facts);
  }

  /** Loads the profile of a model; undefined when it is the one in use. */
  async change(facts: ModelFacts): Promise<{ profile: ModelProfile | undefined } | undefined> {
    const key = isForeign(facts) || isCompact(facts) ? `${facts.family} ${isCompact(facts)} ${isForeign(facts)}` : '';
    this.facts = facts;
    if (key === this.key) return undefined;
    const { createProfile } = key === '' ? { createProfile: undefined } : await import('./model-profile.ts');
    this.key = key;
    this.profile = createProfile?.({
      family: facts.family,
      isCompact: isCompact(facts),
      isForeign: isForeign(facts),
    });
    return { profile: this.profile };
  }

  get promptProfile(): PromptProfile | undefined {
    return this.profile;
  }

  offers(name: string): boolean {
    return this.profile?.offers(name) ?? !OFFERED_BY_PROFILE.has(name);
  }

  declare(declaration: FunctionDeclaration): FunctionDeclaration {
    return this.profile?.declare(declaration) ?? declaration;
  }
}

function isForeign({ utilityModel }: ModelFacts): boolean {
  return utilityModel !== undefined;
}

function isCompact({ contextWindow }: ModelFacts): boolean {
  return contextWindow < COMPACT_BELOW;
}
