import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';
import { chooseModel } from './credentials.ts';
import type { ModelChoice } from './credentials.ts';
import { ExitError } from '../exit-codes.ts';

type Environment = Record<string, string>;
const KEY = { GEMINI_API_KEY: ' key ' };
const withKey = { kind: 'gemini', apiKey: 'key', bearer: false, streamIdleTimeoutMs: 300_000 } as const;

const load = (environment: Environment) =>
  loadConfiguration({ home: '/none', cwd: '/none', platform: 'linux', isTrusted: false, environment });

/** With the settings as they are where no file says anything. */
function choose(args: CliArguments, environment: Environment, auth: object = {}): ModelChoice {
  const { settings } = load(environment);
  const security = { ...settings.security, auth: { ...settings.security.auth, ...auth } };
  return chooseModel({ args, settings: { ...settings, security }, environment });
}

describe('chooseModel', () => {
  it.each<[string, CliArguments, Environment, Omit<ModelChoice, 'warnings'>]>([
    ['a key', {}, KEY, { model: 'auto', access: withKey }],
    [
      'the flag before the variable',
      { model: 'pro' },
      { ...KEY, GEMINI_MODEL: 'flash' },
      { model: 'pro', access: withKey },
    ],
    [
      'no model where its name is empty',
      { model: ' ' },
      { ...KEY, GEMINI_MODEL: '' },
      { model: 'auto', access: withKey },
    ],
    ['the variable before the default', {}, { ...KEY, GEMINI_MODEL: 'flash' }, { model: 'flash', access: withKey }],
    [
      'a gateway without a key',
      {},
      { GOOGLE_GEMINI_BASE_URL: 'http://gateway' },
      {
        model: 'auto',
        access: { kind: 'gemini', baseUrl: 'http://gateway', bearer: false, streamIdleTimeoutMs: 300_000 },
      },
    ],
    [
      'everything that shapes a request',
      {},
      {
        ...KEY,
        GEMINI_API_KEY_AUTH_MECHANISM: 'bearer',
        GEMINI_CLI_CUSTOM_HEADERS: 'A: b',
        CASTOR_STREAM_IDLE_TIMEOUT_MS: '5000',
      },
      {
        model: 'auto',
        access: { kind: 'gemini', apiKey: 'key', bearer: true, customHeaders: 'A: b', streamIdleTimeoutMs: 5000 },
      },
    ],
    ['the offline model by name', { model: 'offline' }, KEY, { model: 'offline', access: { kind: 'offline' } }],
    [
      'offline by variable, whatever model is named',
      { model: 'pro' },
      { ...KEY, CASTOR_OFFLINE: '1' },
      { model: 'pro', access: { kind: 'offline' } },
    ],
    ...['TRUE', 'yes', 'On', ' 1 '].map((value): [string, CliArguments, Environment, Omit<ModelChoice, 'warnings'>] => [
      `offline by ${value}`,
      {},
      { ...KEY, CASTOR_OFFLINE: value },
      { model: 'auto', access: { kind: 'offline' } },
    ]),
    ...['0', 'FALSE', 'no', 'off', ''].map(
      (value): [string, CliArguments, Environment, Omit<ModelChoice, 'warnings'>] => [
        `a key although offline is ${JSON.stringify(value)}`,
        {},
        { ...KEY, CASTOR_OFFLINE: value },
        { model: 'auto', access: withKey },
      ],
    ),
    [
      'a recording before everything',
      { fakeResponses: 'a' },
      { ...KEY, CASTOR_OFFLINE: '1' },
      { model: 'auto', access: { kind: 'replay', path: 'a', strict: true } },
    ],
    [
      'the lenient recording before the strict one',
      { fakeResponses: 'a', fakeResponsesNonStrict: 'b', recordResponses: 'c' },
      {},
      { model: 'auto', access: { kind: 'replay', path: 'b', strict: false }, recordTo: 'c' },
    ],
  ])('chooses %s', (_, args, env, choice) => {
    const { authType, ...chosen } = choose(args, env);
    expect(chosen).toEqual({ warnings: [], ...choice });
    expect(authType !== undefined).toBe(choice.access.kind === 'gemini');
  });

  it.each(['gemini', 'Gemini'])('refuses the settings providers.%s where a Gemini model is asked', (id) => {
    const providers = { [id]: { baseUrl: 'http://127.0.0.1:9' } };
    const { settings } = load(KEY);
    const ask = (model: string) =>
      chooseModel({ args: { model }, settings: { ...settings, providers }, environment: KEY });
    for (const model of ['pro', 'gemini/pro']) {
      expect(() => ask(model)).toThrow(expect.objectContaining({ exitCode: 52 }) as ExitError);
      expect(() => ask(model)).toThrow('set GEMINI_API_KEY and GOOGLE_GEMINI_BASE_URL instead');
    }
    expect(ask('anthropic/x').access).toEqual({ kind: 'provider', named: 'anthropic/x', gemini: undefined });
  });

  it.each<[string, Environment]>([
    ['nothing is configured', {}],
    ['the key is empty', { GEMINI_API_KEY: ' ' }],
    ['it runs in CI without a key', { CI: 'true' }],
  ])('never falls back to the offline model when %s', (_, env) => {
    expect(() => choose({}, env)).toThrow(expect.objectContaining({ exitCode: 41 }) as ExitError);
  });

  it.each(['0', '-1', '5s', '1e3', '9999999999'])('refuses %j as a timeout, naming the variable', (value) => {
    expect(() => choose({}, { ...KEY, CASTOR_STREAM_IDLE_TIMEOUT_MS: value })).toThrow(
      new ExitError(
        52,
        `CASTOR_STREAM_IDLE_TIMEOUT_MS must be a whole number of milliseconds from 1 to 999999999 (eleven days), not "${value}".`,
      ),
    );
  });

  it.each<[string, object, Environment, string]>([
    [
      'a sign-in with Google',
      { selectedType: 'oauth-personal' },
      {},
      'asks for "oauth-personal", which Castor does not support',
    ],
    ['Vertex by variable', {}, { GOOGLE_GENAI_USE_VERTEXAI: 'true' }, 'the environment asks for "vertex-ai"'],
    [
      'a sign-in with Google that is enforced, although there is a key',
      { selectedType: 'oauth-personal', enforcedType: 'oauth-personal' },
      KEY,
      'enforcedType demands "oauth-personal", which Castor does not support. Ask your administrator',
    ],
    ['credentials of a machine', {}, { CLOUD_SHELL: 'true' }, '"compute-default-credentials"'],
    ['a key that is not set', { selectedType: 'gemini-api-key' }, {}, 'GEMINI_API_KEY is not set'],
    [
      'another type than the one enforced',
      { enforcedType: 'vertex-ai' },
      KEY,
      "The enforced authentication type is 'vertex-ai', but the current type is 'gemini-api-key'. Please re-authenticate with the correct type.",
    ],
  ])('refuses %s and says what to do', (_, auth, env, words) => {
    expect(() => choose({}, env, auth)).toThrow(
      expect.objectContaining({ exitCode: 41, message: expect.stringContaining(words) as string }) as ExitError,
    );
  });

  it.each<[string, object, Environment]>([
    ['the enforced type', { enforcedType: 'gemini-api-key' }, KEY],
    [
      'a key for a gateway, as Gemini CLI has it set up',
      { selectedType: 'gemini-api-key' },
      { ...KEY, GOOGLE_GEMINI_BASE_URL: 'http://g' },
    ],
  ])('takes %s', (_, auth, env) => {
    expect(choose({}, env, auth).access).toMatchObject({ kind: 'gemini', apiKey: 'key' });
  });

  it.each<[string, object, Environment]>([
    ['oauth-personal', { selectedType: 'oauth-personal' }, KEY],
    ['vertex-ai', {}, { ...KEY, GOOGLE_GENAI_USE_VERTEXAI: 'true' }],
    ['cloud-shell', { selectedType: 'cloud-shell', enforcedType: 'gemini-api-key' }, KEY],
  ])('uses a key in place of %s, and says so', (type, auth, env) => {
    expect(choose({}, env, auth)).toMatchObject({
      access: withKey,
      warnings: [`${type} is not available, using GEMINI_API_KEY`],
    });
  });
});
