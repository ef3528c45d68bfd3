/** What is known of models in columns: context, prices, abilities. Pure. */

import type { ReachableModel } from '../../providers/reachable-models.ts';
import { shortCount } from '../../short-numbers.ts';

export interface ModelRow {
  readonly label: string;
  readonly model: ReachableModel | undefined;
  /** After the columns, such as `now`. */
  readonly note: string;
}

const WIDTHS = [7, 8, 9] as const;

export const MODEL_HEADING = ['context', '$/M in', '$/M out']
  .map((name, index) => name.padStart(WIDTHS[index]!))
  .join('');

export function modelHint({ model, note }: ModelRow): string {
  if (!model) return note;
  const { contextWindow, tools, images, thinking, price } = model.known;
  const window = contextWindow ?? model.trainedWindow;
  const cells = [
    window === undefined ? '–' : shortCount(window).replace('.0k', 'k'),
    price ? priceOf(price.input) : '–',
    price ? priceOf(price.output) : '–',
  ];
  const abilities = [
    thinking === undefined ? '' : 'thinks',
    images ? 'sees' : '',
    tools === false ? 'no tools' : '',
    model.missing ?? '',
    note,
  ];
  const columns = cells.map((cell, index) => cell.padStart(WIDTHS[index]!)).join('');
  return `${columns}   ${abilities.filter(Boolean).join('  ')}`.trimEnd();
}

function priceOf(dollars: number): string {
  return dollars === 0 ? 'free' : dollars.toFixed(2);
}
