/**
 * `castor login <provider>` and `castor logout <provider>`: store, list and delete keys. A key is read from the terminal
 * without an echo, or from stdin; it is proved with one request before it is stored, and never shown.
 */

import { join } from 'node:path';
import { saveSetting } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { configureProvider } from '../providers/configure-provider.ts';
import type { ConfiguredProvider } from '../providers/configure-provider.ts';
import { precedingVariable } from '../providers/find-key.ts';
import { AUTH_SETTING, forgetGeminiKey, KEY_LOGIN, replacedLogin, storeGeminiKey } from '../providers/gemini-key.ts';
import { forgetStoredKey, hasKeyring, keyFile, listStoredKeys, storeKey } from '../providers/key-store.ts';
import { loadPlaces } from '../providers/load-places.ts';
import { verifyKey } from '../providers/verify-key.ts';
import { parseWords } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';

const LONGEST_INPUT = 64 * 1024;

const USAGE = `Usage: castor login <provider> [--plain-file]
       castor login --list
       castor logout <provider>

Stores the key of a provider: in the keyring of the system or, where there is
none and you agree, as plain text in ~/.gemini/castor-keys.json (mode 0600).
The key is read from the terminal without an echo, or from stdin:

  castor login anthropic
  pass show openai | castor login openai --plain-file

A variable such as ANTHROPIC_API_KEY precedes a stored key.

  --list         lists the stored keys: provider, place and date, never the key
  --plain-file   agrees to the file, also where there is a keyring
`;

export async function runLoginCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const words = parseWords(argv, { command: 'login', flags: ['--list', '--plain-file', '--help', '-h'] });
  const isHelp = typeof words !== 'string' && (words.flags.has('--help') || words.flags.has('-h'));
  if (isHelp) return answer(context, USAGE);
  if (typeof words === 'string') return misuse(context, words);
  if (words.flags.has('--list')) return answer(context, describeStored(context));
  const [id, ...more] = words.operands;
  if (id === undefined || more.length > 0) return misuse(context, 'castor login needs one provider.');
  const { places } = loadPlaces(context);
  const provider = configureProvider(id.toLowerCase(), places);
  if (provider.usesGoogleCredentials) {
    const way = 'gcloud auth application-default login';
    throw new ExitError(ExitCode.Failure, `${provider.name} uses Google credentials instead of a key. Run: ${way}`);
  }
  const key = await readKey(provider);
  const found = await verifyKey({ provider, key, places });
  const place = await keep(provider, key, words.flags.has('--plain-file'), context);
  const login = provider.id === 'gemini' ? replacedLogin(places.settings) : undefined;
  if (login !== undefined) saveSetting(join(context.home, '.gemini', 'settings.json'), AUTH_SETTING, KEY_LOGIN);
  const model =
    provider.id === 'gemini' ? '' : ` Use it: castor --model ${provider.id}/${provider.defaultModel ?? '<model>'}`;
  const variable = precedingVariable(provider, places.environment);
  const preceded = variable === undefined ? '' : ` ${variable} is set in your environment and precedes it.`;
  return answer(context, `${found} It is stored in ${place}.${preceded}${model}\n`);
}

export async function runLogoutCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const words = parseWords(argv, { command: 'logout', flags: ['--help', '-h'] });
  if (typeof words === 'string') return misuse(context, words);
  if (words.flags.size > 0) return answer(context, USAGE);
  const [id, ...more] = words.operands;
  if (id === undefined || more.length > 0) return misuse(context, 'castor logout needs one provider.');
  const { places } = loadPlaces(context);
  const { name, keyVariables = [] } = configureProvider(id.toLowerCase(), places);
  const isGone =
    id === 'gemini' ? await logOutOfGemini(context.home) : await forgetStoredKey(context.home, id.toLowerCase());
  const variable = keyVariables.find((each) => context.environment[each.name])?.name;
  const still = variable === undefined ? '' : ` ${variable} is still set in your environment.`;
  return answer(
    context,
    `${isGone ? `The stored key of ${name} is deleted.` : `No key of ${name} is stored.`}${still}\n`,
  );
}

async function readKey({ name }: ConfiguredProvider): Promise<string> {
  let text: string | undefined;
  if (process.stdin.isTTY) {
    const { askLine } = await import('./ask-terminal.ts');
    text = await askLine({ text: `Your key of ${name} (not shown): `, isSecret: true });
    if (text === undefined) throw new ExitError(ExitCode.Interrupted, 'cancelled; nothing is stored.');
  } else {
    text = await readPiped();
  }
  const key = text.trim();
  if (key === '') throw new ExitError(ExitCode.Input, 'the key is empty; nothing is stored.');
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ExitError(ExitCode.Input, 'invalid key: expected one word of ASCII letters, digits and signs.');
  }
  return key;
}

/** To its end: a password manager may first ask the user. */
async function readPiped(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > LONGEST_INPUT) throw new ExitError(ExitCode.Input, 'the input on stdin is too long for a key.');
  }
  return text;
}

/** Resolves to the name of the place. */
async function keep(
  { id, name, baseUrl }: ConfiguredProvider,
  key: string,
  isPlain: boolean,
  { home, environment }: SubcommandContext,
): Promise<string> {
  // Gemini CLI reads its key from the .env file too.
  const isGemini = id === 'gemini';
  const file = isGemini ? '~/.gemini/.env' : keyFile(home);
  if (!isPlain && !isGemini && (await hasKeyring(environment))) {
    await storeKey(home, { id, baseUrl, key, place: 'keyring' });
    return 'the keyring';
  }
  if (!isPlain) await agreeToFile(name, file);
  if (!isGemini) await storeKey(home, { id, baseUrl, key, place: 'file' });
  else {
    const problem = await storeGeminiKey(home, key);
    if (problem !== undefined) throw new ExitError(ExitCode.Failure, problem);
  }
  return `${file}, as plain text that only you can read`;
}

async function agreeToFile(name: string, file: string): Promise<void> {
  if (!process.stdin.isTTY) {
    const message = `there is no keyring, and the key of ${name} is not stored without your consent. To store it as plain text in ${file} (mode 0600): --plain-file`;
    throw new ExitError(ExitCode.Failure, message);
  }
  const { askLine } = await import('./ask-terminal.ts');
  const question = `Store the key as plain text in ${file}, which only you can read? [y/N] `;
  const agreed = await askLine({ text: question });
  if (!/^y(es)?$/i.test(agreed?.trim() ?? '')) throw new ExitError(ExitCode.Failure, 'nothing is stored.');
}

async function logOutOfGemini(home: string): Promise<boolean> {
  const problem = await forgetGeminiKey(home);
  if (problem !== undefined) throw new ExitError(ExitCode.Failure, problem);
  return true;
}

function describeStored({ home }: SubcommandContext): string {
  const stored = listStoredKeys(home);
  if (stored.length === 0) return 'No key is stored.\n';
  const rows = stored.map(({ id, place, date = '', origin }) => {
    const where = place === 'file' ? 'plain text file' : 'keyring';
    return `${id.padEnd(18)}${where.padEnd(17)}${date.padEnd(12)}${origin}\n`;
  });
  return rows.join('');
}

async function answer({ output }: SubcommandContext, text: string): Promise<ExitCode> {
  await output.answer(text);
  return ExitCode.Success;
}

function misuse({ output }: SubcommandContext, sentence: string): ExitCode {
  output.note(`${sentence}\n\n${USAGE}`);
  return ExitCode.Failure;
}
