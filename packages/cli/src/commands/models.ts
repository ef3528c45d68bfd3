/**
 * `castor models`: lists the models that can be reached now, with what is known of each. Without --local, --refresh and
 * --update it asks no server. What is not known is said.
 */

import { getErrorMessage } from '@castor/core';
import { ExitCode } from '../exit-codes.ts';
import { listProviders } from '../providers/configure-provider.ts';
import { writeCachedList } from '../providers/model-cache.ts';
import { findKey } from '../providers/find-key.ts';
import { listStoredKeys } from '../providers/key-store.ts';
import type { ProviderPlaces } from '../providers/provider-places.ts';
import { loadPlaces } from '../providers/load-places.ts';
import { findLocalServers, LOCAL_IDS } from '../providers/local-servers.ts';
import { listKnownModels, missingKeyOf, toReachable } from '../providers/reachable-models.ts';
import type { ReachableModel, StoredKeys } from '../providers/reachable-models.ts';
import { updateModels } from '../providers/updated-models.ts';
import { askForModels } from '../providers/verify-key.ts';
import { describeModel } from '../providers/describe-model.ts';
import { toJson } from '../to-json.ts';
import { parseWords } from './parse-words.ts';
import type { SubcommandContext } from './subcommand-context.ts';

const USAGE = `Usage: castor models [<words...>] [--all] [--local] [--refresh] [--update] [--json]

Lists the models that can be reached now: those of providers whose key is set
or stored. A model that is not listed can still be named: --model provider/model

  <words>     only models whose name has all words, such as: castor models claude
  --all       also models whose key is missing
  --local     looks for servers on this machine (Ollama, LM Studio, llama.cpp, vLLM)
  --refresh   asks each provider whose key is set for its list, and keeps it
  --update    downloads the table of models and prices from models.dev, which counts
              before the bundled one; CASTOR_MODELS_URL names another address
  --json      prints an array of id, provider, contextWindow, maxOutput, tools,
              images, price and reachable; null is unknown;
              trainedWindow where a server allots less
`;

export async function runModelsCommand(argv: readonly string[], context: SubcommandContext): Promise<ExitCode> {
  const { output } = context;
  const flags = ['--all', '--json', '--local', '--refresh', '--update', '--help', '-h'];
  const words = parseWords(argv, { command: 'models', flags });
  if (typeof words === 'string') {
    output.note(`${words}\n\n${USAGE}`);
    return ExitCode.Failure;
  }
  if (words.flags.has('--help') || words.flags.has('-h')) {
    await output.answer(USAGE);
    return ExitCode.Success;
  }
  const { places, geminiMissing } = loadPlaces(context);
  const storedKeys = readStoredKeys(places, (message) => output.note(`castor: warning: ${message}`));
  if (words.flags.has('--update')) output.note(`castor: ${await updateModels(places)}`);
  if (words.flags.has('--refresh')) await refresh(places, storedKeys, (message) => output.note(`castor: ${message}`));
  const local = words.flags.has('--local') ? await findLocalServers(places) : [];
  const all = [
    ...local.flatMap(({ provider, models }) => models.map((model) => toReachable(provider, model))),
    ...listKnownModels(places, { missing: geminiMissing }, storedKeys),
  ];
  const listed = uniqueOf(all).filter(({ reachable }) => reachable || words.flags.has('--all'));
  const models = listed.filter(({ id }) =>
    words.operands.every((word) => id.toLowerCase().includes(word.toLowerCase())),
  );
  const none =
    listed.length === 0
      ? describeNone(words.flags)
      : `No listed model has ${words.operands.join(' and ')} in its name.\n`;
  await output.answer(
    words.flags.has('--json') ? `${toJson(models.map(toRow))}\n` : describe(models, words.flags, none),
  );
  return ExitCode.Success;
}

/** A file of keys that cannot be used hides only its own keys: the list goes on without them. */
function readStoredKeys({ home }: ProviderPlaces, warn: (message: string) => void): StoredKeys {
  try {
    const keys = listStoredKeys(home);
    return () => keys;
  } catch (error) {
    warn(getErrorMessage(error));
    return () => [];
  }
}

/** A server's own answer precedes the catalogue. */
function uniqueOf(models: readonly ReachableModel[]): ReachableModel[] {
  return [...new Map(models.toReversed().map((model) => [model.id, model])).values()].toReversed();
}

async function refresh(places: ProviderPlaces, storedKeys: StoredKeys, tell: (message: string) => void): Promise<void> {
  const asked = listProviders(places).filter(
    (provider) =>
      !LOCAL_IDS.includes(provider.id) &&
      !provider.usesGoogleCredentials &&
      missingKeyOf(provider, places, storedKeys) === undefined,
  );
  await Promise.all(
    asked.map(async (provider) => {
      try {
        const key = await findKey(provider, places);
        writeCachedList(
          places.home,
          provider.id,
          provider.baseUrl,
          await askForModels({ provider, key: key?.value, places }),
        );
      } catch (error) {
        tell(`${provider.name} sent no list: ${getErrorMessage(error)}`);
      }
    }),
  );
}

function toRow({ id, provider, known, reachable, trainedWindow }: ReachableModel) {
  const { contextWindow = null, maxOutput = null, tools = null, images = null, price = null } = known;
  const trained = trainedWindow === undefined ? {} : { trainedWindow };
  return { id, provider, contextWindow, ...trained, maxOutput, tools, images, price, reachable };
}

function describeNone(flags: ReadonlySet<string>): string {
  const noServer = flags.has('--local') ? ', and no server was found on this machine' : '';
  return `No model can be reached: no key is set or stored (castor login <provider>)${noServer}.\n`;
}

function describe(models: readonly ReachableModel[], flags: ReadonlySet<string>, none: string): string {
  const width = Math.min(Math.max(0, ...models.map(({ id }) => id.length)), 60);
  const rows = models.map((model) => `${model.id.padEnd(width)}  ${describeModel(model)}\n`);
  const hints = [
    ...(flags.has('--local') ? [] : ['--local looks for servers on this machine']),
    ...(flags.has('--all') ? [] : ['--all includes models whose key is missing']),
  ];
  return `${models.length === 0 ? none : ''}${rows.join('')}${hints.length === 0 ? '' : `\n${hints.join('; ')}\n`}`;
}
