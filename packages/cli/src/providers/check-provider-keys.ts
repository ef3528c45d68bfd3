/**
 * Checks the names of the keys and the protocol under `providers.<id>`: a misspelt one would be ignored, and a key of a
 * service does not belong there.
 */

import type { Settings } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { nearest } from '../nearest.ts';

type ProviderSettings = Settings['providers'][string];

const PROVIDER = ['name', 'protocol', 'baseUrl', 'apiKeyEnv', 'apiKeyCommand', 'headers', 'models', 'quirks'];
const PROTOCOLS = ['chat', 'responses', 'anthropic', 'ollama'];
const MODEL = ['contextWindow', 'maxOutput', 'input', 'tools', 'reasoning', 'price'];
const REASONING = ['field', 'echo', 'knob'];
const PRICE = ['input', 'output', 'cached', 'cacheWrite'];
const QUIRKS = [
  ...['systemRole', 'maxTokensField', 'streamOptions', 'toolChoice', 'cacheKey', 'cacheControl', 'callIdLength'],
  ...[
    'bridgeAfterTool',
    'openSchemas',
    'formBesideTools',
    'reasoningApart',
    'textCalls',
    'extraContent',
    'reasoning',
    'headersTimeoutMs',
  ],
];

/** Throws an ExitError that names the setting. */
export function checkProviderKeys(id: string, own: ProviderSettings | undefined): void {
  const place = `providers.${id}`;
  checkNames(place, own, PROVIDER, `castor login ${id}`);
  if (own?.protocol !== undefined && !PROTOCOLS.includes(own.protocol)) {
    const known = `Known: ${PROTOCOLS.join(', ')}. An API that is compatible with OpenAI's speaks chat, Claude's is anthropic.`;
    throw new ExitError(
      ExitCode.Settings,
      `the setting ${place}.protocol is unknown: ${JSON.stringify(own.protocol)}. ${known}`,
    );
  }
  checkNames(`${place}.quirks`, own?.quirks, QUIRKS);
  checkNames(`${place}.quirks.reasoning`, own?.quirks?.reasoning, REASONING);
  for (const [name, model] of Object.entries(own?.models ?? {})) {
    const at = `${place}.models.${name}`;
    checkNames(at, model, MODEL);
    checkNames(`${at}.reasoning`, model?.reasoning, REASONING);
    checkNames(`${at}.price`, model?.price, PRICE);
    const { input, output } = model?.price ?? {};
    if (model?.price && (input === undefined || output === undefined)) {
      throw new ExitError(
        ExitCode.Settings,
        `the setting ${at}.price needs both input and output, in dollars per million tokens.`,
      );
    }
  }
}

function checkNames(place: string, given: object | undefined, known: readonly string[], login?: string): void {
  for (const key of Object.keys(given ?? {})) {
    if (known.includes(key)) continue;
    const near = nearest(key, known);
    const advice =
      login !== undefined && /key|token|secret/i.test(key)
        ? `A key is never read from a settings file. Put it into a variable and name it with apiKeyEnv, or run: ${login}`
        : `Known: ${known.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`;
    throw new ExitError(ExitCode.Settings, `the setting ${place}.${key} is unknown. ${advice}`);
  }
}
