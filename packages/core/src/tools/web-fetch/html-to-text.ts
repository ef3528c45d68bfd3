/**
 * Converts HTML to its visible text: one pass, no tree, time linear in the input. It drops
 * comments, scripts and invisible content, hidden characters included; links keep their
 * text and lose their addresses.
 */

/** Elements without readable content. */
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'math', 'iframe', 'object', 'select']);
const BLOCKS = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol p pre section summary table tbody tfoot thead title tr ul'.split(
    ' ',
  ),
);
const PARAGRAPHS = new Set('blockquote dl figure h1 h2 h3 h4 h5 h6 ol p pre section table title ul'.split(' '));

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  divide: '÷',
  deg: '°',
  plusmn: '±',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  sect: '§',
  para: '¶',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
  ne: '≠',
  le: '≤',
  ge: '≥',
  infin: '∞',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
  ntilde: 'ñ',
  shy: '',
  zwnj: '',
  zwj: '',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
};

/** Characters that hide text from a reader: zero-width, direction and tag characters. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;

export function htmlToText(html: string): string {
  const writer = createWriter();
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf('<', position);
    if (open < 0 || open > position) writer.text(html.slice(position, open < 0 ? undefined : open));
    if (open < 0) break;
    position = readMarkup(html, open, writer);
  }
  return writer.finish();
}

/** Reads the markup at `<` and returns its end. */
function readMarkup(html: string, open: number, writer: Writer): number {
  if (html.startsWith('<!--', open)) return endOf(html, '-->', open + 4);
  const next = html[open + 1] ?? '';
  if (next === '!' || next === '?') return endOf(html, '>', open + 1);
  if (!/[a-z/]/i.test(next)) {
    writer.text('<');
    return open + 1;
  }
  const isClosing = next === '/';
  const name = readName(html, open + (isClosing ? 2 : 1));
  const end = endOfTag(html, open + 1);
  if (!isClosing && SKIPPED.has(name) && html[end - 2] !== '/') return skipElement(html, name, end);
  writer.tag(name, isClosing);
  return end;
}

function readName(html: string, start: number): string {
  let end = start;
  while (end < html.length && end - start < 40 && /[a-z0-9-]/i.test(html[end] ?? '')) end++;
  return html.slice(start, end).toLowerCase();
}

/** The index after the `>` of the tag; one inside a quoted value does not count. */
function endOfTag(html: string, start: number): number {
  let quote = '';
  for (let index = start; index < html.length; index++) {
    const character = html[index] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") {
      // A quotation mark opens a value only after `=`; elsewhere it is an error of the page.
      if (html[index - 1] === '=') quote = character;
    } else if (character === '>') {
      return index + 1;
    }
  }
  return html.length;
}

function endOf(html: string, marker: string, start: number): number {
  const end = html.indexOf(marker, start);
  return end < 0 ? html.length : end + marker.length;
}

function skipElement(html: string, name: string, start: number): number {
  const closing = new RegExp(`</${name}[\\s>/]`, 'gi');
  closing.lastIndex = start;
  const found = closing.exec(html);
  return found ? endOfTag(html, found.index + 1) : html.length;
}

interface Writer {
  text(raw: string): void;
  tag(name: string, isClosing: boolean): void;
  finish(): string;
}

function createWriter(): Writer {
  const pieces: string[] = [];
  let breaks = 0;
  let preformatted = 0;
  /** Pending white space, written when a word follows. */
  let space = false;

  function lines(count: number): void {
    breaks = Math.max(breaks, count);
    space = false;
  }

  function write(text: string): void {
    if (pieces.length > 0 && breaks > 0) pieces.push('\n'.repeat(breaks));
    else if (space) pieces.push(' ');
    breaks = 0;
    space = false;
    pieces.push(text);
  }

  function writeText(raw: string): void {
    const text = decodeEntities(raw).replace(INVISIBLE, '');
    if (preformatted > 0) {
      if (text !== '') write(text);
      return;
    }
    const words = text.split(/\s+/).filter((word) => word !== '');
    if (words.length === 0) {
      space ||= text !== '' && pieces.length > 0 && breaks === 0;
      return;
    }
    space = breaks === 0 && pieces.length > 0 && (space || /^\s/.test(text));
    write(words.join(' '));
    space = /\s$/.test(text);
  }

  return {
    text: writeText,
    tag(name, isClosing) {
      if (name === 'pre') preformatted = Math.max(0, preformatted + (isClosing ? -1 : 1));
      if (name === 'br') {
        if (preformatted > 0) write('\n');
        else lines(Math.min(breaks + 1, 2));
      } else if (name === 'td' || name === 'th') space ||= isClosing && breaks === 0;
      else if (PARAGRAPHS.has(name)) lines(2);
      else if (BLOCKS.has(name)) lines(1);
      if (isClosing) return;
      if (name === 'li') write('- ');
      if (name === 'hr') write('---');
    },
    finish: () =>
      pieces
        .join('')
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n')
        .trim(),
  };
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,31}));?/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? whole) : whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\uFFFD';
  });
}
