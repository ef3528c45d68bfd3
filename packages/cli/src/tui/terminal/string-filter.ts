/**
 * Removes from a program's output the strings for its terminal: titles, clipboards, links, images, settings (OSC, DCS,
 * APC, PM, SOS), also when they are split. They never become cells, and may be of any length.
 */

/** In text; in a string; after the possible first half of its end. */
type State = 'text' | 'string' | 'string_escape' | 'string_lead';

const ESCAPE = 0x1b;
/** BEL, CAN and SUB end a string at once. */
const ENDS: readonly number[] = [0x07, 0x18, 0x1a];
/** The first of two bytes in UTF-8: the controls that combine ESC and a letter. */
const C1_LEAD = 0xc2;
/** What follows ESC, or the lead byte, where a string begins: DCS, SOS, OSC, PM, APC. */
const AFTER_ESCAPE: readonly number[] = [0x50, 0x58, 0x5d, 0x5e, 0x5f];
const AFTER_LEAD: readonly number[] = AFTER_ESCAPE.map((byte) => byte + 0x40);
const TERMINATOR = 0x5c;
const C1_TERMINATOR = 0x9c;
const INSIDE: Readonly<Partial<Record<number, State>>> = { [ESCAPE]: 'string_escape', [C1_LEAD]: 'string_lead' };

export class StringFilter {
  private state: State = 'text';
  /** ESC or the lead byte, until the next byte is known. */
  private held = 0;

  /** The remaining bytes; the same array where there is nothing to remove. */
  filter(bytes: Uint8Array): Uint8Array {
    if (this.state === 'text' && this.held === 0 && !mayBegin(bytes)) return bytes;
    const kept = Buffer.allocUnsafe(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
      if (this.isInString(byte) || this.beginsString(byte)) continue;
      if (this.held !== 0) kept[length++] = this.held;
      this.held = byte === ESCAPE || byte === C1_LEAD ? byte : 0;
      if (this.held === 0) kept[length++] = byte;
    }
    return kept.subarray(0, length);
  }

  private beginsString(byte: number): boolean {
    const openers = this.held === ESCAPE ? AFTER_ESCAPE : this.held === C1_LEAD ? AFTER_LEAD : [];
    if (!openers.includes(byte)) return false;
    this.held = 0;
    this.state = 'string';
    return true;
  }

  /** Whether the byte belongs to a string, its end included. */
  private isInString(byte: number): boolean {
    if (this.state === 'text') return false;
    if (this.state === 'string_escape') {
      this.state = 'text';
      if (byte === TERMINATOR) return true;
      this.held = ESCAPE;
      return false;
    }
    const isEnd = ENDS.includes(byte) || (this.state === 'string_lead' && byte === C1_TERMINATOR);
    this.state = isEnd ? 'text' : (INSIDE[byte] ?? 'string');
    return true;
  }
}

function mayBegin(bytes: Uint8Array): boolean {
  return bytes.includes(ESCAPE) || bytes.includes(C1_LEAD);
}
