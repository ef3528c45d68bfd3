/**
 * Decides whether a sed script only edits text. It parses the commonly used part of the
 * language; anything else counts as more than editing.
 */

/** True only when the script certainly neither runs a command nor names a file to write. */
export function isPlainSedScript(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    const next = skipCommand(script, skipAddress(script, at));
    if (next === undefined || next <= at) return false;
    at = next;
  }
  return true;
}

function skipAddress(script: string, from: number): number {
  let at = from;
  while (at < script.length) {
    const character = script.charAt(at);
    if (/[\s;{}!,$\d~+]/.test(character)) at += 1;
    else if (character === '/') {
      const end = skipDelimited(script, at, '/');
      if (end === undefined) return script.length + 1;
      at = end;
      while (/[IM]/.test(script.charAt(at))) at += 1;
    } else break;
  }
  return at;
}

/** The position after one command; undefined for one that is not plain. */
function skipCommand(script: string, at: number): number | undefined {
  if (at > script.length) return undefined;
  if (at === script.length) return at;
  const command = script.charAt(at);
  if (command === 's') return skipSubstitution(script, at + 1);
  if (command === 'y') {
    const delimiter = script.charAt(at + 1);
    const middle = skipDelimited(script, at + 1, delimiter);
    return middle === undefined ? undefined : skipDelimited(script, middle - 1, delimiter);
  }
  if (command === '#') return endOfLine(script, at);
  if (/[aic]/.test(command)) return skipText(script, at);
  // A label ends at white space; a command follows it.
  if (/[btT:]/.test(command))
    return /^\s*[\w.-]*[^\S\n]*(?:[;}\n]|$)/.test(script.slice(at + 1)) ? endOfCommand(script, at) : undefined;
  if (/[dDgGhHlnNpPqQxzF=]/.test(command))
    return /^\s*\d*\s*(?:[;}\n]|$)/.exec(script.slice(at + 1)) ? endOfCommand(script, at) : undefined;
  return undefined;
}

function skipSubstitution(script: string, at: number): number | undefined {
  const delimiter = script.charAt(at);
  if (delimiter === '' || delimiter === '\\' || delimiter === '\n') return undefined;
  const middle = skipDelimited(script, at, delimiter);
  const end = middle === undefined ? undefined : skipDelimited(script, middle - 1, delimiter);
  if (end === undefined) return undefined;
  const flags = /^[gpiImM\d]*/.exec(script.slice(end))?.[0] ?? '';
  const after = end + flags.length;
  return after === script.length || /[\s;}]/.test(script.charAt(after)) ? after : undefined;
}

/** From an opening delimiter to after the closing one. seds disagree on a bracket around the delimiter, so it is rejected. */
function skipDelimited(script: string, open: number, delimiter: string): number | undefined {
  for (let at = open + 1; at < script.length; at += 1) {
    const character = script.charAt(at);
    if (character === '\\') at += 1;
    else if (character === delimiter) {
      const body = script.slice(open + 1, at);
      return /\[[^\]]*$/.test(body) ? undefined : at + 1;
    }
  }
  return undefined;
}

/** Text of one line. A continuation by a backslash is not followed. */
function skipText(script: string, at: number): number | undefined {
  const end = endOfLine(script, at);
  return script.slice(at, end).includes('\\') ? undefined : end;
}

function endOfLine(script: string, at: number): number {
  const end = script.indexOf('\n', at);
  return end < 0 ? script.length : end + 1;
}

function endOfCommand(script: string, at: number): number {
  const end = /[;}\n]/.exec(script.slice(at));
  return end === null ? script.length : at + end.index + 1;
}
