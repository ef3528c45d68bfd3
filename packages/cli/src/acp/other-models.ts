/** The models of other providers that the user has a key for, to choose from in an editor. Asks no server. */

import { describeModel } from '../providers/describe-model.ts';
import { loadPlaces } from '../providers/load-places.ts';
import { listKnownModels } from '../providers/reachable-models.ts';
import type { Start } from '../start/start.ts';

export interface OfferedModel {
  readonly id: string;
  readonly description?: string;
}

/** A list in an editor is not searched. */
const MAX_MODELS = 100;

export function listOtherModels({ cwd, home, environment }: Start): readonly OfferedModel[] {
  return listKnownModels(loadPlaces({ cwd, home, environment }).places, { missing: undefined })
    .filter(({ provider, reachable }) => reachable && provider !== 'gemini')
    .slice(0, MAX_MODELS)
    .map((model) => ({ id: model.id, description: describeModel(model) }));
}
