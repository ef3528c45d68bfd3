/** Finds where the sources of a list keep one kind of content. Pure: a place need not exist. */

import { join } from 'node:path';
import { SOURCE_PLACES } from '../protocol/source.ts';
import type { Source, SourceContent } from '../protocol/source.ts';

export interface SourcePlace {
  readonly source: Source;
  /** A folder or a file, as defined in SOURCE_PLACES. */
  readonly path: string;
}

/** In source order, trusted sources only. A folder that two sources share, such as home, counts for the first. */
export function findPlaces(sources: readonly Source[], content: SourceContent): SourcePlace[] {
  const places = new Map<string, SourcePlace>();
  for (const source of sources) {
    const place = SOURCE_PLACES[source.kind][content];
    if (place === undefined || !source.trusted || source.withheld?.includes(content)) continue;
    const path = join(source.directory, place);
    if (!places.has(path)) places.set(path, { source, path });
  }
  return [...places.values()];
}
