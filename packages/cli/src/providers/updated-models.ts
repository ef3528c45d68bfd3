/** Keeps the table of models that `castor models --update` downloaded, with its date. Never asked for by itself. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '@castor/core';
import { downloadModels, isRecord, replaceFile, userDirectory } from '@castor/core/program';
import type { ModelTable } from '@castor/core/program';
import { ExitCode, ExitError } from '../exit-codes.ts';
import type { ProviderPlaces } from './provider-places.ts';
import { proxyFor } from './provider-endpoint.ts';

const SOURCE = 'https://models.dev/api.json';
const VARIABLE = 'CASTOR_MODELS_URL';
const LIMIT_MS = 30_000;

/** Undefined where none was downloaded. */
export function readUpdatedModels(home: string): ModelTable | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(pathOf(home), 'utf8'));
    return isTable(parsed) ? parsed : undefined;
  } catch {
    // A missing or damaged table is downloaded again by the next update.
    return undefined;
  }
}

/** Resolves to a sentence for the user. Throws an ExitError when the table cannot be had; the former one stays. */
export async function updateModels(places: ProviderPlaces): Promise<string> {
  const address = places.environment[VARIABLE]?.trim() || SOURCE;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ExitError(ExitCode.Settings, `${VARIABLE} is not an http address: ${address}`);
  }
  const limits = { connectTimeoutMs: LIMIT_MS, headersTimeoutMs: LIMIT_MS, idleTimeoutMs: LIMIT_MS };
  try {
    const models = await downloadModels(url, { ...limits, proxyFor: proxyFor(places) });
    const date = new Date().toISOString().slice(0, 10);
    replaceFile(pathOf(places.home), `${JSON.stringify({ version: 1, date, models })}\n`, { isSynced: false });
    const count = Object.values(models).reduce((sum, lines) => sum + lines.split('\n').filter(Boolean).length, 0);
    return `${url.host} described ${count} models of ${Object.keys(models).length} providers.`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ExitError(ExitCode.Failure, `the table of models was not updated: ${error.message}`, { cause: error });
  }
}

function isTable(value: unknown): value is ModelTable {
  if (!isRecord(value) || typeof value['date'] !== 'string' || !isRecord(value['models'])) return false;
  return Object.values(value['models']).every((lines) => typeof lines === 'string');
}

function pathOf(home: string): string {
  return join(userDirectory(home), 'castor-catalogue.json');
}
