/** Tells the user, once for each model, that the model calls no tools and gets none: it can only talk. */

import type { GenerateContentParameters } from '../../protocol/content.ts';
import type { ModelFacts } from '../catalogue/model-catalogue.ts';
import { toldFirst } from './told-first.ts';
import type { WireGenerator } from './wire-generator.ts';

/** The generator, with the sentence in front of a model's first answer. */
export function withToolsNotice(generator: WireGenerator, factsOf: (model: string) => ModelFacts): WireGenerator {
  const told = new Set<string>();

  function isDue({ model, config }: GenerateContentParameters): boolean {
    if (told.has(model) || factsOf(model).tools !== false) return false;
    return config?.tools?.some(({ functionDeclarations = [] }) => functionDeclarations.length > 0) ?? false;
  }

  return {
    ...generator,
    async generateContentStream(request, ...rest) {
      const stream = await generator.generateContentStream(request, ...rest);
      if (!isDue(request)) return stream;
      told.add(request.model);
      return toldFirst([sentenceAbout(request.model)], stream);
    },
  };
}

function sentenceAbout(model: string): string {
  return (
    `${model} calls no tools, as its server says: it is sent none, so it can answer but not read, write or run anything. ` +
    'Choose a model with tools, or set "tools": true for it in the settings if it does call them.'
  );
}
