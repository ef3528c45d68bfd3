/** Names the variable that the Gemini API cannot be opened with. Loaded after a failure only. */

import { createGeminiGenerator } from '@castor/core';
import { parseCustomHeaders } from '@castor/core/program';
import type { GeminiAccess } from '../start/credentials.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';

export function explainRefused(error: TypeError, { baseUrl, apiKey, customHeaders }: GeminiAccess): ExitError {
  const variable = findRefused({
    GOOGLE_GEMINI_BASE_URL: { baseUrl },
    GEMINI_API_KEY: { apiKey },
    GEMINI_CLI_CUSTOM_HEADERS: { headers: parseCustomHeaders(customHeaders) },
  });
  return new ExitError(ExitCode.Settings, `${variable ?? 'the environment'} is invalid: ${error.message}`, {
    cause: error,
  });
}

/** Names the invalid variable: the one whose value is rejected on its own. */
function findRefused(candidates: Record<string, Parameters<typeof createGeminiGenerator>[0]>): string | undefined {
  return Object.entries(candidates).find(([, options]) => {
    try {
      createGeminiGenerator(options).close();
      return false;
    } catch {
      // The reason was reported already; here only the name matters.
      return true;
    }
  })?.[0];
}
