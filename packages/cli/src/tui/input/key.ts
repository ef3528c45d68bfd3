/** A key press, and its one spelling: `ctrl+shift+z`, `up`, `a`. */

export interface Key {
  /** A named key (`enter`, `up`, `f5`, `space`) or the character itself, lower case when modified. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** Command on a Mac, the Windows key elsewhere. */
  readonly cmd: boolean;
  /** The text it inserts; empty for keys without text. */
  readonly text: string;
}

export interface Modifiers {
  readonly ctrl?: boolean;
  readonly alt?: boolean;
  readonly shift?: boolean;
  readonly cmd?: boolean;
}

/** Other spellings users write in their files. */
const SYNONYMS = new Map([
  ['return', 'enter'],
  ['esc', 'escape'],
  ['del', 'delete'],
  ['pgup', 'pageup'],
  ['pgdn', 'pagedown'],
  ['pgdown', 'pagedown'],
  ['page_up', 'pageup'],
  ['page_down', 'pagedown'],
  [' ', 'space'],
]);

const MODIFIER_NAMES = new Map<string, keyof Modifiers>([
  ['ctrl', 'ctrl'],
  ['control', 'ctrl'],
  ['alt', 'alt'],
  ['opt', 'alt'],
  ['option', 'alt'],
  ['shift', 'shift'],
  ['cmd', 'cmd'],
  ['meta', 'cmd'],
  ['super', 'cmd'],
  ['win', 'cmd'],
]);

const NAMED_KEYS = new Set([
  ...['up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown', 'enter', 'escape', 'tab', 'space'],
  ...[
    'backspace',
    'delete',
    'clear',
    'insert',
    'printscreen',
    'menu',
    'capslock',
    'numlock',
    'scrolllock',
    'pausebreak',
  ],
  ...['numpad_add', 'numpad_subtract', 'numpad_multiply', 'numpad_divide', 'numpad_decimal', 'numpad_separator'],
  ...Array.from({ length: 35 }, (_, index) => `f${index + 1}`),
  ...Array.from({ length: 10 }, (_, index) => `numpad${index}`),
]);

export function createKey(name: string, modifiers: Modifiers = {}, text = ''): Key {
  const { ctrl = false, alt = false, shift = false, cmd = false } = modifiers;
  return { name, ctrl, alt, shift, cmd, text: ctrl || alt || cmd ? '' : text };
}

/** The key that inserts one character. */
export function characterKey(character: string): Key {
  return createKey(character === ' ' ? 'space' : character, {}, character);
}

export function formatKey(key: Key): string {
  const { name, ctrl, alt, shift, cmd } = key;
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}${cmd ? 'cmd+' : ''}${name}`;
}

/** The canonical spelling of a written key, or undefined when it is invalid. */
export function parseKeyName(written: string): string | undefined {
  const modifiers: { -readonly [Name in keyof Modifiers]: boolean } = {};
  let rest = written;
  for (let plus = rest.indexOf('+', 1); plus > 0; plus = rest.indexOf('+', 1)) {
    const modifier = MODIFIER_NAMES.get(rest.slice(0, plus).trim().toLowerCase());
    if (modifier === undefined) return undefined;
    modifiers[modifier] = true;
    rest = rest.slice(plus + 1);
  }
  const name = toBaseKey(rest, Object.keys(modifiers).length > 0);
  if (name === undefined) return undefined;
  // A terminal sends shift with a plain letter as the capital itself.
  const { shift, ...others } = modifiers;
  if (shift && Object.keys(others).length === 0 && [...name].length === 1) return name.toUpperCase();
  return formatKey(createKey(name, modifiers));
}

function toBaseKey(written: string, isModified: boolean): string | undefined {
  const folded = written.length > 1 ? written.trim().toLowerCase() : written;
  const name = SYNONYMS.get(folded) ?? folded;
  if (NAMED_KEYS.has(name)) return name;
  if ([...name].length !== 1) return undefined;
  return isModified ? name.toLowerCase() : name;
}
