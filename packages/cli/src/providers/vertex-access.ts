/**
 * The endpoint of Vertex AI with the user's Google credentials: a file, the login of gcloud, a command, the metadata
 * server of a machine in Google's cloud, or an express key. The same order as Google's own clients.
 */

import { readFile } from 'node:fs/promises';
import {
  createTokenSource,
  createVertexEndpoint,
  findCredentialsPlace,
  parseGoogleCredentials,
} from '@castor/core/program';
import type { EndpointKey, GoogleCredentials, WireEndpoint } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { ConfiguredProvider } from './configure-provider.ts';
import { runKeyCommand } from './key-command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface VertexQuestion {
  provider: ConfiguredProvider;
  key: EndpointKey | undefined;
  home: string;
  environment: Environment;
  userAgent: (model: string) => string;
  proxyFor: ((url: URL) => string | undefined) | undefined;
}

/** Throws an ExitError that names what is missing. */
export async function createVertexAccess(question: VertexQuestion): Promise<WireEndpoint> {
  const { provider, key, environment, userAgent, proxyFor } = question;
  const { headers, addressSource, baseUrl } = provider;
  const publisher = provider.protocol === 'anthropic' ? 'anthropic' : 'google';
  const address = addressSource === undefined ? {} : { baseUrl };
  const variable = (name: string) => environment[name]?.trim() || undefined;
  const location = variable('GOOGLE_CLOUD_LOCATION');
  const project = variable('GOOGLE_CLOUD_PROJECT') ?? variable('GOOGLE_CLOUD_PROJECT_ID');
  const credentials = await findCredentials(question);
  const common = { ...address, publisher, location, headers, userAgent } as const;
  if (!credentials) {
    if (key) return createVertexEndpoint({ ...common, key });
    throw new ExitError(ExitCode.Unauthorized, describeMissing(provider.name, publisher));
  }
  const ofFile = credentials.type === 'service_account' ? credentials.projectId : undefined;
  return createVertexEndpoint({
    ...common,
    project: project ?? ofFile,
    tokens: createTokenSource(credentials, { proxyFor }),
    ...(credentials.type === 'authorized_user' && { quotaProject: credentials.quotaProject }),
  });
}

async function findCredentials({
  provider,
  key,
  home,
  environment,
}: VertexQuestion): Promise<GoogleCredentials | undefined> {
  const { apiKeyCommand = [] } = provider;
  const setting = `providers.${provider.id}.apiKeyCommand`;
  if (apiKeyCommand.length > 0 && key?.source === setting) {
    let isFresh = false;
    // The first token was printed a moment ago; a later one replaces it.
    const read = () => {
      const token = runKeyCommand(apiKeyCommand, setting, environment, { isFresh });
      isFresh = true;
      return token;
    };
    return { type: 'token', read };
  }
  const { path, isNamed, isOnGoogleMachine } = findCredentialsPlace(home, environment);
  const found = await readCredentials(path, !isNamed);
  if (found) return found;
  return isOnGoogleMachine ? { type: 'metadata' } : undefined;
}

async function readCredentials(path: string, mayBeMissing: boolean): Promise<GoogleCredentials | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    if (mayBeMissing && code === 'ENOENT') return undefined;
    throw new ExitError(ExitCode.Unauthorized, `the Google credentials in ${path} are not readable (${code}).`);
  }
  try {
    return parseGoogleCredentials(text, path);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ExitError(ExitCode.Unauthorized, error.message, { cause: error });
  }
}

function describeMissing(name: string, publisher: 'google' | 'anthropic'): string {
  const express = publisher === 'google' ? ', set GOOGLE_API_KEY (express mode)' : '';
  return `${name} needs Google credentials. Run \`gcloud auth application-default login\`, set GOOGLE_APPLICATION_CREDENTIALS to a file${express}, and set GOOGLE_CLOUD_PROJECT.`;
}
