/** Keeps the lists of models that providers sent to `castor models --refresh`, with their date. Never asked for by itself. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, replaceFile, userDirectory } from '@castor/core/program';
import type { KnownModel, ListedModel } from '@castor/core/program';

export interface CachedList {
  date: string;
  /** The address that sent it. */
  baseUrl: string;
  models: Readonly<Record<string, KnownModel>>;
}

export function readCachedLists(home: string): Readonly<Record<string, CachedList>> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(pathOf(home), 'utf8'));
    const lists = isRecord(parsed) && isRecord(parsed['providers']) ? parsed['providers'] : {};
    return Object.fromEntries(Object.entries(lists).flatMap(([id, list]) => (isList(list) ? [[id, list]] : [])));
  } catch {
    // A missing or damaged cache is written again by the next refresh.
    return {};
  }
}

export function writeCachedList(home: string, id: string, baseUrl: string, models: readonly ListedModel[]): void {
  const list: CachedList = {
    date: new Date().toISOString().slice(0, 10),
    baseUrl,
    models: Object.fromEntries(models.map((model) => [model.id, model.known])),
  };
  const providers = { ...readCachedLists(home), [id]: list };
  replaceFile(pathOf(home), `${JSON.stringify({ version: 1, providers })}\n`, { isSynced: false });
}

function isList(value: unknown): value is CachedList {
  return (
    isRecord(value) &&
    typeof value['date'] === 'string' &&
    typeof value['baseUrl'] === 'string' &&
    isRecord(value['models'])
  );
}

function pathOf(home: string): string {
  return join(userDirectory(home), 'castor-models.json');
}
