/** Where the sources of a list keep one kind of content. Pure: a place need not exist. */

import { join } from 'node:path';
import { SOURCE_PLACES } from '../protocol/source.ts';
import type { Source, SourceContent } from '../protocol/source.ts';

export interface SourcePlace {
  readonly source: Source;
  /** A folder or a file, as SOURCE_PLACES has it. */
  readonly path: string;
}

/** In the order of the sources; of trusted ones only. A folder that two sources share, as home does as a project, counts for the first. */
export function findPlaces(sources: readonly Source[], content: SourceContent): SourcePlace[] {
  const places = new Map<string, SourcePlace>();
  for (const source of sources) {
    const place = SOURCE_PLACES[source.kind][content];
    if (place === undefined || !source.trusted) continue;
    const path = join(source.directory, place);
    if (!places.has(path)) places.set(path, { source, path });
  }
  return [...places.values()];
}
