/**
 * Whether a command line holds command or process substitution: `$(`, backticks, `<(`
 * or `>(` that the shell would act on. A scan over quotes, comments and here-documents,
 * not a parse: in doubt it says yes.
 */

export const SUBSTITUTION_REFUSED =
  'Command injection detected: the command was not run because it contains command substitution ' +
  '($(), backticks, <() or >()) outside single quotes. Run the inner command first, then use its output in a second command.';

export function hasCommandSubstitution(command: string): boolean {
  const scan = new Scan(command);
  while (!scan.isAtEnd) if (scan.step()) return true;
  return false;
}

/** Quotes mean nothing in the body of a here-document and in a comment; there it says yes whether or not it is acted on. */
const ANYWHERE = /(?<!\\)(?:\\\\)*(?:\$\(|`)/;
const DELIMITER = /^<<(-?)[^\S\n]*((?:\\.|'[^']*'|"[^"]*"|[^\s;|&<>()'"\\])+)/s;

class Scan {
  private index = 0;
  private isQuoted = false;
  /** Here-documents whose bodies begin after this line. */
  private bodies: { end: string; stripsTabs: boolean }[] = [];
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.index >= this.text.length;
  }

  /** Moves over one character or one thing that holds none; true where a substitution begins. */
  step(): boolean {
    const character = this.text[this.index];
    const two = this.text.slice(this.index, this.index + 2);
    if (character === '`' || two === '$(') return true;
    if (character === '\\') this.index += 2;
    else if (character === '"') this.toggle();
    else if (this.isQuoted) this.index += 1;
    else return this.stepBare(character, two);
    return false;
  }

  private toggle(): void {
    this.isQuoted = !this.isQuoted;
    this.index += 1;
  }

  private stepBare(character: string | undefined, two: string): boolean {
    if (two === '<(' || two === '>(') return true;
    if (two === "$'") this.skip(/\$'(?:\\.|[^'\\])*'?/sy);
    else if (character === "'") this.skip(/'[^']*'?/y);
    else if (character === '#' && /^$|[\s;|&()]/.test(this.text[this.index - 1] ?? '')) return this.skipLine();
    else if (this.text.startsWith('<<<', this.index)) this.index += 3;
    else if (two === '<<') this.noteBody();
    else if (character === '\n') return this.skipBodies();
    else this.index += 1;
    return false;
  }

  private skip(pattern: RegExp): void {
    pattern.lastIndex = this.index;
    this.index += Math.max(1, pattern.exec(this.text)?.[0].length ?? 1);
  }

  private noteBody(): void {
    const [whole = '<<', dash = '', word = ''] = DELIMITER.exec(this.text.slice(this.index)) ?? [];
    this.index += 2;
    if (word === '') return;
    const end = word.replaceAll(/['"]|\\(.)/gs, '$1');
    this.bodies.push({ end, stripsTabs: dash !== '' });
    // Bash does not expand a substitution in the delimiter; it never occurs in practice.
    if (!/[$`]/.test(word)) this.index += whole.length - 2;
  }

  /** True where a body holds one. */
  private skipBodies(): boolean {
    this.index += 1;
    for (const { end, stripsTabs } of this.bodies.splice(0)) {
      for (let isIn = true; isIn && !this.isAtEnd; this.index += 1) {
        const start = this.index;
        if (this.skipLine()) return true;
        const line = this.text.slice(start, this.index);
        isIn = (stripsTabs ? line.replace(/^\t+/, '') : line) !== end;
      }
    }
    return false;
  }

  /** Up to the end of the line; true where it holds one. */
  private skipLine(): boolean {
    const newline = this.text.indexOf('\n', this.index);
    const line = this.text.slice(this.index, newline < 0 ? undefined : newline);
    this.index += line.length;
    return ANYWHERE.test(line);
  }
}
