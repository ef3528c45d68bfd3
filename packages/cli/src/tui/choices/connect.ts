/**
 * Connects to a provider: asks for its key, proves it with one request, keeps it where the user agrees, and chooses a
 * model. Also finds the models of servers on this machine. Problems are sentences.
 */

import { getErrorMessage } from '@castor/core';
import { configureProvider } from '../../providers/configure-provider.ts';
import type { ConfiguredProvider } from '../../providers/configure-provider.ts';
import { describeModel } from '../../providers/describe-model.ts';
import { enterKey } from '../../providers/entered-keys.ts';
import { precedingVariable } from '../../providers/find-key.ts';
import { AUTH_SETTING, KEY_LOGIN, replacedLogin, storeGeminiKey } from '../../providers/gemini-key.ts';
import { hasKeyring, keyFile, storeKey } from '../../providers/key-store.ts';
import { findLocalServers } from '../../providers/local-servers.ts';
import type { ProviderPlaces } from '../../providers/provider-places.ts';
import { toReachable } from '../../providers/reachable-models.ts';
import type { ReachableModel } from '../../providers/reachable-models.ts';
import { askForModels, verifyKey } from '../../providers/verify-key.ts';
import type { App } from '../app/app.ts';
import { saveChoice } from '../app/save-choice.ts';
import type { Asking, HeldKeyboard } from '../dialogs/dialog-host.ts';
import { askAboutPlainText, askForKey, looksLikeKey } from '../dialogs/key-question.ts';

export interface Connection {
  /** As `provider/model`; undefined for the Gemini API, which chooses by itself. */
  model: string | undefined;
  /** A Gemini key as a variable, for this process. */
  variables: Readonly<Record<string, string>>;
  /** Whether the next start finds the provider again. */
  isKept: boolean;
}

/** Holds the keyboard for the questions of a login: a key typed or pasted right behind a choice reaches its field. */
export async function atLogin<T>(app: App, ask: (keyboard: HeldKeyboard) => Promise<T>): Promise<T> {
  using keyboard = app.dialogs.hold(looksLikeKey);
  const answer = await ask(keyboard);
  if (keyboard.hasKept) app.warn('Castor did not use the word that you pasted at the question; it is not kept.');
  return answer;
}

/** Undefined when the user goes back. Throws an Error with a sentence. */
export async function connectProvider(
  app: App,
  keyboard: Asking,
  id: string,
  places: ProviderPlaces,
  signal: AbortSignal,
  wanted?: string,
): Promise<Connection | undefined> {
  const provider = configureProvider(id, places);
  if (provider.usesGoogleCredentials) {
    throw new Error(
      `${provider.name} uses Google credentials instead of a key. Run: gcloud auth application-default login`,
    );
  }
  const isGemini = id === 'gemini';
  const isInKeyring = !isGemini && (await hasKeyring(places.environment));
  const storedIn = isGemini
    ? 'Castor stores it in ~/.gemini/.env, which only you can read.'
    : isInKeyring
      ? 'Castor stores it in the keyring of your system.'
      : 'It is stored only if you agree.';
  const key = await askForKey(keyboard, signal, { name: isGemini ? 'Gemini API' : provider.name, storedIn });
  if (key === undefined) return undefined;
  if (isGemini) {
    return { model: undefined, variables: { GEMINI_API_KEY: key }, isKept: await keepGemini(app, key, places) };
  }
  app.info(await verifyKey({ provider, key, places, signal }));
  enterKey(provider, key);
  const isKept = await keep(app, keyboard, { provider, key, isInKeyring }, signal);
  const variable = isKept ? precedingVariable(provider, places.environment) : undefined;
  if (variable !== undefined) {
    app.warn(`${variable} is set in your environment and precedes the stored key when Castor starts again.`);
  }
  const model = wanted ?? (await modelOf(keyboard, provider, key, places, signal));
  return model === undefined ? undefined : { model, variables: {}, isKept };
}

async function keepGemini(app: App, key: string, { settings }: ProviderPlaces): Promise<boolean> {
  const problem = await storeGeminiKey(app.options.home, key);
  if (problem !== undefined) app.warn(problem);
  const login = problem === undefined ? replacedLogin(settings) : undefined;
  // The key is the user's answer to the login that the settings name: no later start speaks of it.
  if (login !== undefined)
    saveChoice(app, AUTH_SETTING, KEY_LOGIN, `${login} is not available, using GEMINI_API_KEY from now on.`);
  return problem === undefined;
}

async function keep(
  app: App,
  keyboard: Asking,
  { provider, key, isInKeyring }: { provider: ConfiguredProvider; key: string; isInKeyring: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const { home } = app.options;
  const { id, baseUrl } = provider;
  const answer = isInKeyring ? 'store' : await askAboutPlainText(keyboard, signal, keyFile(home));
  if (answer !== 'store') return false;
  try {
    await storeKey(home, { id, baseUrl, key, place: isInKeyring ? 'keyring' : 'file' });
    return true;
  } catch (error) {
    app.warn(`Castor uses the key, but could not store it: ${getErrorMessage(error)}`);
    return false;
  }
}

/** The provider's default; else the user chooses from its list. */
async function modelOf(
  keyboard: Asking,
  provider: ConfiguredProvider,
  key: string,
  places: ProviderPlaces,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (provider.defaultModel !== undefined) return `${provider.id}/${provider.defaultModel}`;
  const models = await askForModels({ provider, key, places, signal });
  return chooseModel(
    keyboard,
    models.map((model) => toReachable(provider, model)),
    signal,
  );
}

/** The name of a model of a server on this machine. Undefined when the user goes back. Throws where none answers. */
export async function connectLocally(
  keyboard: Asking,
  places: ProviderPlaces,
  signal: AbortSignal,
): Promise<string | undefined> {
  const servers = await findLocalServers(places, signal);
  const models = servers.flatMap(({ provider, models: listed }) => listed.map((model) => toReachable(provider, model)));
  if (models.length > 0) return chooseModel(keyboard, models, signal);
  if (servers.length > 0) {
    const names = servers.map(({ provider }) => provider.name).join(', ');
    throw new Error(`${names} answers on this machine but serves no model. Load one first.`);
  }
  throw new Error(
    'No server answers on this machine: Ollama (port 11434), LM Studio (1234), llama.cpp (8080), vLLM (8000). Start one, or set its variable, such as OLLAMA_HOST.',
  );
}

function chooseModel(
  keyboard: Asking,
  models: readonly ReachableModel[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = models.map((model) => ({ label: model.id, value: model.id, hint: describeModel(model) }));
  return keyboard.choose({ title: 'Which model?', options, search: options.length > 9 }, signal);
}
