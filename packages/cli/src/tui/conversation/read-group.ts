/** Folds reads, lists and searches in a row into one block of two rows: what was looked at, not every look. Pure. */

import type { ToolCallView } from '@castor/core';
import { countOf } from '@castor/core/program';
import { sanitizeLine } from '../../sanitize.ts';
import { rowWidth, shortenRow } from '../text/row-width.ts';
import type { Styles } from '../theme/styles.ts';
import { renderTitle, titleOf } from './call-title.ts';
import { hang } from './tool-call.ts';

const READS: ReadonlySet<string> = new Set(['read_file', 'read_many_files']);
const LISTS: ReadonlySet<string> = new Set(['list_directory', 'glob']);
const SEARCHES: ReadonlySet<string> = new Set(['grep_search', 'search_file_content']);

/** Whether it only looked, and found what it looked for; a failed one is a row of its own. */
export function isQuietRead({ name, status, failure }: ToolCallView): boolean {
  const isRead = READS.has(name) || LISTS.has(name) || SEARCHES.has(name);
  return isRead && status === 'success' && failure === undefined;
}

/** Whether it is a read that has not ended: it may join the block. */
export function isOpenRead({ name, status }: ToolCallView): boolean {
  return (READS.has(name) || LISTS.has(name) || SEARCHES.has(name)) && status !== 'error' && status !== 'cancelled';
}

export function renderReads(
  calls: readonly ToolCallView[],
  { styles, width }: { styles: Styles; width: number },
): string[] {
  const [only, ...others] = calls;
  if (!only) return [];
  if (others.length === 0) {
    const found = foundIn(only);
    return [renderTitle(only, { styles, width, facts: found === undefined ? [] : [found] })];
  }
  const objects = [...new Set(calls.map(objectOf))];
  const body = shortenRow(styles.secondary(fitObjects(objects, width - 4)), width - 4);
  const head = shortenRow(`${styles.success('✓')} ${styles.bold(summaryOf(calls))}`, width);
  return [head, ...hang([body], styles)];
}

/** `Read 4 files, searched 2 times`. */
function summaryOf(calls: readonly ToolCallView[]): string {
  const count = (names: ReadonlySet<string>) => calls.filter(({ name }) => names.has(name)).length;
  const [reads, lists, searches] = [count(READS), count(LISTS), count(SEARCHES)];
  const parts = [
    reads > 0 && `read ${countOf(reads, 'file')}`,
    lists > 0 && `listed ${countOf(lists, 'folder')}`,
    searches > 0 && `searched ${countOf(searches, 'time')}`,
  ].filter((part) => part !== false);
  const text = parts.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function objectOf(call: ToolCallView): string {
  const found = SEARCHES.has(call.name) ? foundIn(call) : undefined;
  return [titleOf(call).object, found].filter(Boolean).join(' ');
}

/** `3 hits`, from the summary of a search. */
function foundIn({ name, result }: ToolCallView): string | undefined {
  if (typeof result === 'string' && /^No (matches|files) found/.test(result)) return 'nothing found';
  if (typeof result !== 'object' || !('summary' in result)) return undefined;
  const count = /(\d[\d,]*)/.exec(sanitizeLine(result.summary))?.[1];
  if (count === undefined) return undefined;
  if (SEARCHES.has(name)) return count === '1' ? '1 hit' : `${count} hits`;
  return LISTS.has(name) ? `${count} found` : undefined;
}

/** As many as fit; the others are counted. */
function fitObjects(objects: readonly string[], width: number): string {
  for (let count = objects.length; count > 1; count--) {
    const left = objects.length - count;
    const text = [...objects.slice(0, count), ...(left > 0 ? [`${left} more`] : [])].join(' · ');
    if (rowWidth(text) <= width) return text;
  }
  return [objects[0] ?? '', ...(objects.length > 1 ? [`${objects.length - 1} more`] : [])].join(' · ');
}
