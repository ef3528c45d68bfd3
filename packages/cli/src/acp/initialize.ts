/** The answer to `initialize`: what Castor can do and how a user signs in. Reads nothing, so that it comes at once. */

import type { AuthMethod, InitializeRequest, InitializeResponse } from '@agentclientprotocol/sdk';

export const AUTH_METHODS: readonly AuthMethod[] = [
  {
    id: 'gemini-api-key',
    name: 'Gemini API key',
    description: 'A key in GEMINI_API_KEY, in ~/.gemini/.env, or sent by the editor.',
    _meta: { 'api-key': { provider: 'google' } },
  },
  {
    id: 'vertex-ai',
    name: 'Vertex AI',
    description: 'The Google Cloud project in GOOGLE_CLOUD_PROJECT, or a key in GOOGLE_API_KEY.',
  },
  {
    id: 'gateway',
    name: 'AI API Gateway',
    description: 'The address in GOOGLE_GEMINI_BASE_URL, or one sent by the editor.',
    _meta: { gateway: { protocol: 'google', restartRequired: 'false' } },
  },
];

/** For editors with a terminal: the user types the key of any provider there. */
const TERMINAL_LOGIN: AuthMethod = {
  type: 'terminal',
  id: 'castor-login',
  name: 'Sign in to a provider',
  description: 'Asks for the key of Gemini, Anthropic, OpenAI or another provider, and stores it.',
  args: ['login'],
};

export function describeAgent({ clientCapabilities }: InitializeRequest, version: string): InitializeResponse {
  const hasTerminal = clientCapabilities?.auth?.terminal === true;
  return {
    // The one version there is; a client that wants another decides what to do.
    protocolVersion: 1,
    agentInfo: { name: 'castor', title: 'Castor', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      auth: { logout: {} },
    },
    authMethods: [...AUTH_METHODS, ...(hasTerminal ? [TERMINAL_LOGIN] : [])],
  };
}
