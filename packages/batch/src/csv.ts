/** Parses CSV as spreadsheets write it: quoted fields, doubled quotes, line breaks inside quotes, a BOM. Pure. */

export interface CsvRow {
  /** Of the file, from 1. */
  line: number;
  fields: string[];
}

/** Throws an Error that names the line of a quote without an end. Empty lines are left out. */
export function parseCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  const source = text.replace(/^\uFEFF/, '');
  let line = 1;
  let position = 0;
  while (position < source.length) {
    const row: CsvRow = { line, fields: [] };
    let isOpen = true;
    while (isOpen) {
      const field = source[position] === '"' ? quoted(source, position, line) : bare(source, position);
      row.fields.push(field.text);
      line += field.breaks;
      position = field.end;
      isOpen = source[position] === ',';
      if (isOpen) position += 1;
    }
    if (source[position] === '\r') position += 1;
    if (source[position] === '\n') position += 1;
    line += 1;
    if (row.fields.length > 1 || row.fields[0] !== '') rows.push(row);
  }
  return rows;
}

export class CsvError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

interface Field {
  text: string;
  end: number;
  breaks: number;
}

function bare(source: string, start: number): Field {
  const rest = /[^,\r\n]*/y;
  rest.lastIndex = start;
  const text = rest.exec(source)?.[0] ?? '';
  return { text, end: start + text.length, breaks: 0 };
}

function quoted(source: string, start: number, line: number): Field {
  const pieces = /"((?:[^"]|"")*)"/y;
  pieces.lastIndex = start;
  const [whole, inner] = pieces.exec(source) ?? [];
  if (whole === undefined || inner === undefined) throw new CsvError('a quoted field has no end.', line);
  const text = inner.replaceAll('""', '"');
  // What follows the closing quote belongs to the field, as spreadsheets read it.
  const tail = bare(source, start + whole.length);
  return { text: text + tail.text, end: tail.end, breaks: inner.split('\n').length - 1 };
}
