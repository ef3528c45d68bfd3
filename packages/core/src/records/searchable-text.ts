/** The text of a part that a search of sessions reads and shows: what was said, called and answered. Pure. */

import type { Part } from '../protocol/content.ts';
import { isRecord } from '../util/is-record.ts';

/** Empty for a part without text, such as an image. */
export function toSearchableText({ text, functionCall, functionResponse }: Part): string {
  if (typeof text === 'string') return text;
  if (functionCall) return `${functionCall.name} ${toPlain(functionCall.args)}`;
  return functionResponse ? toPlain(functionResponse.response) : '';
}

/** The values only: the text the user saw. */
function toPlain(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(toPlain).join(' ');
  if (isRecord(value)) return Object.values(value).map(toPlain).join(' ');
  return value === undefined ? '' : JSON.stringify(value);
}
