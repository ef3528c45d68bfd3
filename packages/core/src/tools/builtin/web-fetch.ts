/**
 * web_fetch: reads the pages a prompt names. It first asks a model that can open URLs;
 * when that fails it fetches the pages itself and a model reads them. It fetches nothing
 * from this machine or its networks, and marks page content as untrusted.
 */

import type { ContentGenerator } from '../../provider/content-generator.ts';
import type { ModelConfigResolver } from '../../routing/model-config.ts';
import type { DefinedTool, ToolCallConfirmationDetails } from '../../protocol/tools.ts';
import type { Clock } from '../../util/clock.ts';
import { defineTool } from '../define-tool.ts';
import type { DownloadOptions } from '../web-fetch/download.ts';
import { createRateLimit } from '../web-fetch/rate-limit.ts';
import { findUrls, MAX_URLS } from '../web-fetch/urls.ts';

const DESCRIPTION =
  'Fetches web pages and processes them as instructed. Put the URLs (http or https, up to 20) and the instructions into the prompt.';
const DIRECT_DESCRIPTION = 'Fetches one web page (http or https) and returns its content as text.';

interface Params {
  /** Absent with `direct`, which takes `url` instead. */
  prompt?: string;
  url?: string;
}

export interface WebFetchDependencies extends Pick<DownloadOptions, 'isAllowedAddress' | 'resolve'> {
  generator: ContentGenerator;
  /** Called with the aliases `web-fetch` and `web-fetch-fallback`. */
  resolveModel: ModelConfigResolver;
  clock: Clock;
  /** `experimental.directWebFetch`: one `url`, fetched by this process, without a model. */
  direct?: boolean;
  /** Whether the model of `web-fetch` opens URLs on its server. Default true; otherwise this process fetches the pages. */
  opensUrls?: () => boolean;
}

export function createWebFetchTool(dependencies: WebFetchDependencies): DefinedTool {
  const { clock, direct = false } = dependencies;
  const rateLimit = createRateLimit(clock);
  const textOf = ({ prompt, url }: Params) => prompt ?? url ?? '';
  const name = direct ? 'url' : 'prompt';
  return defineTool({
    name: 'web_fetch',
    displayName: 'WebFetch',
    kind: 'fetch',
    description: direct ? DIRECT_DESCRIPTION : DESCRIPTION,
    schema: {
      type: 'object',
      properties: { [name]: { type: 'string', description: direct ? 'The URL.' : 'URLs and instructions.' } },
      required: [name],
      additionalProperties: false,
    },
    validate(params) {
      const { urls, problems } = findUrls(textOf(params));
      if (problems.length > 0) return problems.join(' ');
      if (urls.length === 0) return `The ${name} must contain a URL starting with http:// or https://.`;
      const limit = direct ? 1 : MAX_URLS;
      return urls.length > limit ? `At most ${limit} URL(s) can be fetched in one call.` : undefined;
    },
    describe(params) {
      const text = textOf(params);
      return `Processing URLs and instructions from prompt: "${text.length > 100 ? `${text.slice(0, 97)}...` : text}"`;
    },
    async confirm(params): Promise<ToolCallConfirmationDetails> {
      const urls = findUrls(textOf(params)).urls.map(({ href }) => href);
      return { type: 'info', title: 'Confirm Web Fetch', prompt: textOf(params), urls };
    },
    async execute(params, context) {
      const { fetchPages } = await import('../web-fetch/fetch-pages.ts');
      return fetchPages(textOf(params), rateLimit, dependencies, context);
    },
  });
}
