/** Opens the Gemini API over HTTP, as the environment configures it. */

import { createGeminiGenerator } from '@castor/core';
import { parseCustomHeaders } from '@castor/core/program';
import type { ContentGenerator } from '@castor/core';
import type { GeminiAccess } from '../start/credentials.ts';
import { chooseProxy } from '../start/proxy.ts';

declare const CASTOR_VERSION: string;

type Environment = Readonly<Record<string, string | undefined>>;

/** The scheme decides which proxy variable applies. */
const DEFAULT_ADDRESS = 'https://generativelanguage.googleapis.com';

/** Throws an ExitError for an invalid variable. */
export async function openGemini(access: GeminiAccess, environment: Environment): Promise<ContentGenerator> {
  const { baseUrl, apiKey } = access;
  const headers = parseCustomHeaders(access.customHeaders);
  try {
    return createGeminiGenerator({
      baseUrl,
      apiKey,
      authMechanism: access.bearer ? 'bearer' : 'x-goog-api-key',
      headers,
      userAgent,
      idleTimeoutMs: access.streamIdleTimeoutMs,
      addressSource: baseUrl === undefined ? undefined : 'GOOGLE_GEMINI_BASE_URL',
      proxyFor: chooseProxy(environment, baseUrl ?? DEFAULT_ADDRESS),
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw (await import('./refused-variable.ts')).explainRefused(error, access);
  }
}

function userAgent(model: string): string {
  return `Castor-cli-command/${CASTOR_VERSION}/${model} (${process.platform}; ${process.arch}; terminal)`;
}
