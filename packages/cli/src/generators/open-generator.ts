/**
 * Opens the generator for the chosen model. The Gemini API is bundled, since loading a separate file costs more than it
 * saves; the others are loaded on demand. A conversation may change to a model of another provider at any time.
 */

import { assertNever } from '@castor/core';
import { createProviderSwitch } from '@castor/core/program';
import type { ContentGenerator } from '@castor/core';
import type { Configuration, Settings } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { modelBehind } from '../start/credentials.ts';
import type { GeminiAccess, ModelAccess, ModelChoice } from '../start/credentials.ts';
import { openGemini } from './gemini.ts';

export interface GeneratorQuestion {
  choice: ModelChoice;
  cwd: string;
  home: string;
  settings: Pick<Settings, 'advanced' | 'castor' | 'model' | 'modelConfigs' | 'providers' | 'security'>;
  configuration: Pick<Configuration, 'envFile'> & Partial<Pick<Configuration, 'layers'>>;
  args?: { readonly model?: string };
  /** Including variables of the user's .env file. */
  environment: Readonly<Record<string, string | undefined>>;
}

export interface OpenedGenerator {
  generator: ContentGenerator;
  /** As the user asked for it; the default of a provider that was named alone. */
  model: string;
  /** The keys in use, to be kept from commands; grows when a provider is opened. */
  secrets: readonly string[];
  /** Makes a model usable in this session. Resolves to its full name; rejects with a sentence for the user. */
  prepareModel(name: string): Promise<string>;
}

/** For surfaces that cannot reopen a session: the offline model has an agent of its own. */
const STAYS = 'This session uses the offline model, which sends nothing. Start another with the model you want.';
const JOINS = 'The offline model is chosen when a session starts, not in its course.';

export async function openGenerator(
  question: GeneratorQuestion,
  warn?: (message: string) => void,
): Promise<OpenedGenerator> {
  const { access, recordTo } = question.choice;
  const { dnsResolutionOrder } = question.settings.advanced;
  // Loaded only when a setting needs it: names resolve without it.
  if (dnsResolutionOrder !== undefined) (await import('node:dns')).setDefaultResultOrder(dnsResolutionOrder);
  if (warn && question.settings.castor.smallModel) {
    (await import('../providers/check-small-model.ts')).warnOfSmallModel(question, warn);
  }
  const opened = await openAccess(access, question);
  if (recordTo === undefined) return opened;
  const recording = await import('./recording.ts');
  return { ...opened, generator: recording.recordTo(recordTo, opened.generator) };
}

async function openAccess(access: ModelAccess, question: GeneratorQuestion): Promise<OpenedGenerator> {
  const { cwd, choice } = question;
  const alone = (generator: ContentGenerator): OpenedGenerator => ({
    generator,
    model: choice.model,
    secrets: [],
    prepareModel: async (name) => name,
  });
  switch (access.kind) {
    case 'gemini':
    case 'provider':
      return openProviders(access, question);
    case 'offline':
      return {
        ...alone((await import('./offline.ts')).openOffline(cwd)),
        prepareModel: async (name) =>
          name === 'offline' ? name : Promise.reject(new ExitError(ExitCode.Input, STAYS)),
      };
    case 'replay':
      return alone(await (await import('./recording.ts')).openReplay(access.path, access.strict));
    default:
      return assertNever(access);
  }
}

/** Names without a provider go to the Gemini API, the others to their provider. */
async function openProviders(
  access: Extract<ModelAccess, { kind: 'gemini' | 'provider' }>,
  question: GeneratorQuestion,
): Promise<OpenedGenerator> {
  const { choice, environment } = question;
  const gemini: GeminiAccess | undefined = access.kind === 'gemini' ? access : access.gemini;
  const secrets = gemini?.apiKey === undefined ? [] : [gemini.apiKey];
  const load = () => import('../providers/prepare-model.ts');
  const main = gemini
    ? gemini.isVertex
      ? await (await load()).openVertex(question)
      : await openGemini(gemini, environment)
    : (await load()).missingGemini(question);
  const generator = createProviderSwitch({
    main,
    open: async (id) => (await load()).openNamed(id, question, secrets),
  });
  const prepareModel = async (name: string) => {
    if (name === 'offline') throw new ExitError(ExitCode.Input, JOINS);
    const named = modelBehind(name, question.settings.modelConfigs.customAliases);
    if (gemini && !named.includes('/')) return name;
    const prepared = await (await load()).prepareModel(named, generator, question);
    return named === name ? prepared : name;
  };
  const opened = { generator, secrets, prepareModel };
  if (access.kind === 'gemini') return { ...opened, model: choice.model };
  const prepared = await (await load()).prepareFirst(access.named, generator, question);
  return { ...opened, model: choice.model === access.named ? prepared : choice.model };
}
