/**
 * Makes text of the model, a tool, a file or a server safe for a terminal: drops every control sequence, also one split
 * over several pieces, and every control character except newline and tab, also invisible ones and those that reverse
 * the reading direction. Visible text is never lost: an unclosed sequence ends at the end of its line.
 */

import { toOneLine } from '@castor/core/program';

/**
 * Where the parser is: in plain text, after ESC, in a CSI sequence, in a string such as OSC, or after ESC in a string.
 */
type State = 'ground' | 'escape' | 'sequence' | 'string' | 'string_escape';

/**
 * Everything that is not plain text: C0 without \t and \n, DEL, C1, invisible characters and marks of direction (see
 * `isHidden`), and a high surrogate at the end.
 */
const SUSPECT =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- control characters are what this file is about
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff]$/;

const ESC = 0x1b;
const NEWLINE = 0x0a;
const BEL = 0x07;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
/** ESC + one of these, or the 8-bit form, opens a string: DCS, SOS, OSC, PM, APC. */
const STRING_INTRODUCERS = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);
const CSI_INTRODUCER = 0x5b;
const STRING_TERMINATOR = 0x5c;

export class TerminalSanitizer {
  private state: State = 'ground';
  /** The first half of a character whose second half arrives with the next piece. */
  private highSurrogate = '';

  /** The safe part of `piece`, given all pieces before it. */
  write(piece: string): string {
    const text = withoutTags(this.highSurrogate + piece);
    this.highSurrogate = '';
    if (this.state === 'ground' && !SUSPECT.test(text)) return text;
    return this.scan(text);
  }

  /** The text still buffered at the end. */
  end(): string {
    const rest = this.highSurrogate;
    this.highSurrogate = '';
    this.state = 'ground';
    return rest.toWellFormed();
  }

  private scan(text: string): string {
    let safe = '';
    let start = 0;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (this.state === 'ground' && isPlain(code)) continue;
      if (this.state === 'ground') safe += text.slice(start, index);
      if (this.step(code)) safe += text[index];
      start = index + 1;
    }
    if (this.state === 'ground') safe += text.slice(start);
    return this.holdHighSurrogate(safe);
  }

  /** Advances by one character that is not plain text, or is inside a sequence; true if it is to be shown. */
  private step(code: number): boolean {
    // A newline ends an unclosed sequence, so that one stray introducer cannot swallow an answer.
    if (code === NEWLINE) return this.backToGround(true);
    if (code === CANCEL || code === SUBSTITUTE) return this.backToGround(false);
    switch (this.state) {
      case 'ground':
        return this.open(code);
      case 'escape':
        return this.afterEscape(code);
      case 'sequence':
        if (code >= 0x40 && code <= 0x7e) this.state = 'ground';
        else if (code < 0x20 || code > 0x7e) return this.reopen(code);
        return false;
      case 'string':
        if (code === BEL || code === 0x9c) this.state = 'ground';
        else if (code === ESC) this.state = 'string_escape';
        return false;
      case 'string_escape':
        if (code === STRING_TERMINATOR) return this.backToGround(false);
        return this.afterEscape(code);
    }
  }

  private open(code: number): boolean {
    if (code === ESC) this.state = 'escape';
    else if (code === 0x9b) this.state = 'sequence';
    else if (code >= 0x80 && code <= 0x9f && STRING_INTRODUCERS.has(code - 0x40)) this.state = 'string';
    return false;
  }

  private afterEscape(code: number): boolean {
    if (code === CSI_INTRODUCER) this.state = 'sequence';
    else if (STRING_INTRODUCERS.has(code)) this.state = 'string';
    else if (code >= 0x20 && code <= 0x2f) this.state = 'escape';
    else if (code >= 0x30 && code <= 0x7e) this.state = 'ground';
    else return this.reopen(code);
    return false;
  }

  /** An invalid character breaks the sequence off. */
  private reopen(code: number): boolean {
    this.state = 'ground';
    return isPlain(code) || this.open(code);
  }

  private backToGround(isShown: boolean): boolean {
    this.state = 'ground';
    return isShown;
  }

  private holdHighSurrogate(text: string): string {
    const last = text.charCodeAt(text.length - 1);
    if (!(last >= 0xd800 && last <= 0xdbff)) return text;
    this.highSurrogate = text.slice(-1);
    return text.slice(0, -1);
  }
}

/** A whole text at once. */
export function sanitize(text: string): string {
  const sanitizer = new TerminalSanitizer();
  return sanitizer.write(text) + sanitizer.end();
}

/** A whole text as one line. */
export function sanitizeLine(text: string): string {
  return toOneLine(sanitize(text));
}

function isPlain(code: number): boolean {
  return (code >= 0x20 && code < 0x7f) || (code > 0x9f && !isHidden(code)) || code === 0x09 || code === NEWLINE;
}

/** Tag characters: a second, invisible alphabet. */
function withoutTags(text: string): string {
  return text.includes('\udb40') ? text.replaceAll(/[\u{e0000}-\u{e007f}]/gu, '') : text;
}

/** Single characters that are drawn as nothing, or reverse the direction. */
const HIDDEN = new Set([0xad, 0x034f, 0x061c, 0x17b4, 0x17b5, 0x180e, 0x200b, 0x200e, 0x200f, 0xfeff]);

/**
 * Marks of direction, overrides and isolates, and characters without width. The joiners U+200C and U+200D stay: scripts
 * and emoji need them.
 */
function isHidden(code: number): boolean {
  if (code >= 0x202a && code <= 0x202e) return true;
  if (code >= 0x2060 && code <= 0x2069) return true;
  if (code >= 0xfff9 && code <= 0xfffb) return true;
  return HIDDEN.has(code);
}
