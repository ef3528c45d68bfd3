/**
 * Collects the reasoning of one answer from the field its server uses: as text to show, and as the state that must come
 * back. The first field that holds text counts for the whole answer; some servers fill two with the same text.
 */

import type { OriginBlock } from '../../protocol/origin.ts';
import { isRecord } from '../../util/is-record.ts';

const TEXT_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

type Detail = Record<string, unknown>;

export class ReasoningCollector {
  private field: string | undefined;
  private text = '';
  private readonly details: Detail[] = [];

  /** The new text to show. */
  add(fields: Record<string, unknown>): string {
    const details: unknown = fields['reasoning_details'];
    if (Array.isArray(details)) for (const detail of details) if (isRecord(detail)) this.addDetail(detail);
    if (this.field === undefined) this.field = fieldWithText(fields);
    const text = this.field === undefined ? undefined : fields[this.field];
    if (typeof text !== 'string')
      return this.field === undefined && details !== undefined ? textOfDetails(details) : '';
    this.text += text;
    return text;
  }

  blocks(): OriginBlock[] {
    if (this.details.length > 0) return [{ before: 0, type: 'details', details: this.details }];
    return this.text === '' ? [] : [{ before: 0, type: 'text', field: this.field, text: this.text }];
  }

  /** Pieces with equal index and type are one entry: their texts are joined, everything else is kept. */
  private addDetail(detail: Detail): void {
    const known = this.details.find(
      ({ index, type }) => detail['index'] !== undefined && index === detail['index'] && type === detail['type'],
    );
    if (!known) {
      this.details.push({ ...detail });
      return;
    }
    for (const [key, value] of Object.entries(detail)) {
      const before = known[key];
      const joins = (key === 'text' || key === 'summary' || key === 'data') && typeof value === 'string';
      known[key] = joins && typeof before === 'string' ? before + value : (value ?? before);
    }
  }
}

/** Asked for every frame of an answer without reasoning. */
function fieldWithText(fields: Record<string, unknown>): string | undefined {
  for (const name of TEXT_FIELDS) {
    const text = fields[name];
    if (typeof text === 'string' && text !== '') return name;
  }
  return undefined;
}

/** A server that sends details alone still has something to show. */
function textOfDetails(details: unknown): string {
  if (!Array.isArray(details)) return '';
  return details
    .filter(isRecord)
    .map(({ text, summary }) => (typeof text === 'string' ? text : typeof summary === 'string' ? summary : ''))
    .join('');
}
