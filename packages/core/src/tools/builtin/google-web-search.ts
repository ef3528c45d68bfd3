/** google_web_search: asks a model with web search and cites its sources. */

import type { ContentGenerator } from '../../provider/content-generator.ts';
import type { ModelConfigResolver } from '../../routing/model-config.ts';
import { getErrorMessage, isAbortError, ToolError } from '../../protocol/errors.ts';
import type { DefinedTool } from '../../protocol/tools.ts';
import { throwIfAborted } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';
import { answerText, withSources } from '../grounding.ts';

const DESCRIPTION = 'Searches the web with Google and returns a summary of the results with its sources.';

export interface GoogleWebSearchDependencies {
  generator: ContentGenerator;
  /** Called with the alias `web-search`. */
  resolveModel: ModelConfigResolver;
}

export function createGoogleWebSearchTool({ generator, resolveModel }: GoogleWebSearchDependencies): DefinedTool {
  return defineTool({
    name: 'google_web_search',
    displayName: 'GoogleSearch',
    kind: 'search',
    description: DESCRIPTION,
    schema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to search for.' } },
      required: ['query'],
      additionalProperties: false,
    },
    validate: ({ query }) => (query.trim() === '' ? 'The query must not be empty.' : undefined),
    describe: ({ query }) => `Searching the web for: "${query}"`,
    async execute({ query }, { signal, callId }) {
      throwIfAborted(signal);
      const { model, config } = resolveModel({ model: 'web-search' });
      try {
        const response = await generator.generateContent(
          {
            model,
            contents: [{ role: 'user', parts: [{ text: query }] }],
            config: { ...config, tools: config.tools ?? [{ googleSearch: {} }], abortSignal: signal },
          },
          callId,
          'utility_tool',
        );
        const text = answerText(response);
        if (text.trim() === '') {
          return {
            llmContent: `No search results or information found for query: "${query}"`,
            returnDisplay: 'No information found.',
          };
        }
        const cited = withSources(text, response.candidates?.[0]?.groundingMetadata);
        return {
          llmContent: `Web search results for "${query}":\n\n${cited}`,
          returnDisplay: `Search results for "${query}" returned.`,
        };
      } catch (error) {
        throwIfAborted(signal);
        if (isAbortError(error)) throw error;
        const message = `Error during web search for query "${query}": ${getErrorMessage(error)}`;
        throw new ToolError(message, 'web_search_failed', { cause: error, display: 'The web search failed.' });
      }
    },
  });
}
