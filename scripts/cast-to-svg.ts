/**
 * A recorded cast (asciicast v2) as a moving picture: each row of the screen is drawn once for the time it stays the
 * same, and shown by CSS steps. With reduced motion the last screen stands still. The same cast gives the same bytes.
 */

import headless from '@xterm/headless';
import { DARK, drawRow, escapeXml, sizeOf } from './screen-to-svg.ts';

/** Seconds since the start, and what was written then. */
export type CastEvent = readonly [at: number, kind: 'o', data: string];

export interface Cast {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly events: readonly CastEvent[];
}

/** Seconds that the last screen rests before it begins again. */
const REST = 3;

export function parseCast(text: string): Cast {
  const [head = '{}', ...lines] = text.trimEnd().split('\n');
  const { width, height, title } = JSON.parse(head) as Omit<Cast, 'events'>;
  return { width, height, title, events: lines.map((line) => JSON.parse(line) as CastEvent) };
}

export function writeCast({ width, height, title, events }: Cast): string {
  return `${[{ version: 2, width, height, title }, ...events].map((line) => JSON.stringify(line)).join('\n')}\n`;
}

interface Shown {
  readonly row: number;
  readonly picture: string;
  readonly from: number;
  to: number;
}

export async function castToSvg({ width: cols, height: rows, title, events }: Cast): Promise<string> {
  const emulator = new headless.Terminal({ cols, rows, allowProposedApi: true });
  const shown: Shown[] = [];
  const open: (Shown | undefined)[] = Array.from({ length: rows });
  const end = (events.at(-1)?.[0] ?? 0) + REST;
  for (const [at, , data] of events) {
    await new Promise<void>((resolve) => emulator.write(data, resolve));
    for (let row = 0; row < rows; row++) {
      const picture = drawRow(emulator, row, DARK);
      const before = open[row];
      if (before?.picture === picture) continue;
      if (before) before.to = at;
      const next = { row, picture, from: at, to: end };
      open[row] = next;
      if (picture !== '') shown.push(next);
    }
  }
  emulator.dispose();
  return compose(
    shown.filter(({ from, to }) => to > from),
    { title, end, ...sizeOf({ cols, rows }) },
  );
}

interface Page {
  readonly title: string;
  readonly end: number;
  readonly width: number;
  readonly height: number;
}

function compose(shown: readonly Shown[], { title, end, width, height }: Page): string {
  const spans = [...new Set(shown.map(spanOf))];
  const percent = (seconds: number) => `${Number(((seconds / end) * 100).toFixed(2))}%`;
  const styles = spans.map((span, index) => {
    const [from = 0, to = 0] = span.split(' ').map(Number);
    const before = from === 0 ? '' : '0%{visibility:hidden}';
    const after = to === end ? '' : `${percent(to)}{visibility:hidden}`;
    const still = to === end ? `@media (prefers-reduced-motion:reduce){.s${index}{visibility:visible}}` : '';
    return `@keyframes k${index}{${before}${percent(from)}{visibility:visible}${after}}.s${index}{animation-name:k${index}}${still}`;
  });
  const groups = shown.map((each) => `<g class="s${spans.indexOf(spanOf(each))}">${each.picture}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>g g{visibility:hidden;animation-duration:${end}s;animation-timing-function:step-end;animation-iteration-count:infinite}@media (prefers-reduced-motion:reduce){g g{animation:none!important}}
${styles.join('\n')}</style>
<rect width="100%" height="100%" rx="8" fill="${DARK.background}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve" style="white-space:pre">
${groups.join('\n')}
</g>
</svg>
`;
}

function spanOf({ from, to }: Shown): string {
  return `${from} ${to}`;
}
