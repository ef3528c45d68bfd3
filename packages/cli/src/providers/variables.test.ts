/** Every variable of a provider is one that a project's .env file may not set. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration, PROVIDERS } from '@castor/core/program';
import { describe, expect, it } from 'vitest';

/** Gemini CLI reads these from a project too. */
const SHARED = ['GEMINI_API_KEY', 'GOOGLE_API_KEY'];

describe("a project's .env file", () => {
  it('sets no variable of a provider, not even in a trusted folder', () => {
    const names = [
      ...PROVIDERS.flatMap(({ keyVariables = [], baseUrlVariables = [] }) => [
        ...keyVariables.map(({ name }) => name),
        ...baseUrlVariables,
      ]),
      ...['AZURE_RESOURCE_NAME', 'AZURE_OPENAI_API_VERSION', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID'],
      ...['ANTHROPIC_CUSTOM_HEADERS', 'CASTOR_MODEL'],
    ];
    const cwd = mkdtempSync(join(tmpdir(), 'castor-variables-'));
    try {
      writeFileSync(join(cwd, '.env'), names.map((name) => `${name}=value\n`).join(''));
      const { envFile } = loadConfiguration({
        home: join(cwd, 'home'),
        cwd,
        environment: {},
        platform: 'linux',
        isTrusted: true,
      });
      expect(Object.keys(envFile.variables).toSorted()).toEqual(SHARED.toSorted());
      expect(envFile.warnings.join('\n')).not.toMatch(/_API_KEY/);
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });
});
