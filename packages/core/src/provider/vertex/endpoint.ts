/**
 * The endpoint of a publisher's models on Vertex AI: the address of a region, and a Bearer token or an express key. A
 * rejected token is renewed once.
 */

import type { ApiError } from '../../protocol/errors.ts';
import { createEndpoint, encodeSegment } from '../wire/endpoint.ts';
import type { WireEndpoint } from '../wire/wire-protocol.ts';
import type { TokenSource } from './token-source.ts';

export interface VertexEndpointOptions {
  publisher: 'google' | 'anthropic';
  /** Required, except with a key. */
  project?: string | undefined;
  /** Default `global`. */
  location?: string | undefined;
  /** Replaces the address of the region. */
  baseUrl?: string | undefined;
  /** Express mode: a key instead of a project. */
  key?: { value: string; source?: string | undefined } | undefined;
  tokens?: TokenSource | undefined;
  /** The project that is charged, for credentials of a user. */
  quotaProject?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  userAgent?: string | ((model: string) => string) | undefined;
}

const API_VERSION: Readonly<Record<VertexEndpointOptions['publisher'], string>> = {
  google: 'v1beta1',
  anthropic: 'v1',
};
const MULTI_REGIONS: ReadonlySet<string> = new Set(['us', 'eu']);

/** Throws a TypeError that names what is missing. */
export function createVertexEndpoint(options: VertexEndpointOptions): WireEndpoint {
  const { publisher, project, location = 'global', key, tokens, quotaProject, userAgent } = options;
  if (!key && (project === undefined || project === '')) {
    throw new TypeError('Vertex AI needs a project: set GOOGLE_CLOUD_PROJECT.');
  }
  if (!key && !tokens) throw new TypeError('Vertex AI needs credentials or a key.');
  const headers = { ...(quotaProject !== undefined && { 'x-goog-user-project': quotaProject }), ...options.headers };
  const endpoint = createEndpoint({
    baseUrl: options.baseUrl ?? addressOf(location),
    key: key && { ...key, header: 'x-goog-api-key' },
    headers,
    userAgent,
  });
  const scope = key ? '' : `projects/${encodeSegment(project!)}/locations/${encodeSegment(location)}/`;
  const prefix = `${API_VERSION[publisher]}/${scope}publishers/${publisher}/`;
  const addressed = {
    ...endpoint,
    isLocal: false,
    url: (path: string) => endpoint.url(`${prefix}${path}`),
    remedy: (error: ApiError) => remedyFor(error, location, project),
  };
  if (!tokens || key) return addressed;
  return {
    ...addressed,
    keySource: 'the Google credentials',
    async headers(model) {
      const authorization = `Bearer ${await tokens.token()}`;
      return { authorization, ...(await endpoint.headers(model)) };
    },
    async renew() {
      tokens.forget();
      return true;
    },
  };
}

/** What a rejection does not say: where else the model is offered, and what a project needs. */
function remedyFor({ reason }: ApiError, location: string, project: string | undefined): string | undefined {
  if (reason === 'not_found' && location !== 'global') {
    return `Not every model is offered in ${location}; try GOOGLE_CLOUD_LOCATION=global.`;
  }
  if (reason !== 'forbidden' || project === undefined) return undefined;
  return `Enable the Vertex AI API in the project ${project} (gcloud services enable aiplatform.googleapis.com), and give the account the role Vertex AI User.`;
}

function addressOf(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  if (MULTI_REGIONS.has(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  if (!/^[a-z0-9-]+$/.test(location)) {
    throw new TypeError(`GOOGLE_CLOUD_LOCATION is not a region: ${JSON.stringify(location)}; for example us-central1.`);
  }
  return `https://${location}-aiplatform.googleapis.com`;
}
