/** Grades how much the whitespace of a match differs from that of the pattern; lower is closer. */

import type { TokenMatch } from './match-tokens.ts';
import { skipSpace } from './tokens.ts';
import type { Tokens } from './tokens.ts';

/** The kind of whitespace difference between match and pattern, from line ends only to any whitespace between tokens. */
export const MatchLevel = {
  /** Only whitespace at line ends, or the kind of space. */
  LineEnds: 0,
  /** Also the indentation. */
  Indentation: 1,
  /** Also blank lines. */
  BlankLines: 2,
  /** Any whitespace; the match begins a line. */
  Layout: 3,
  /** Any whitespace; the match begins inside a line. */
  InsideLine: 4,
} as const;

export function levelOf(content: string, match: TokenMatch, pattern: Tokens): number {
  let level: number = MatchLevel.LineEnds;
  const lead = pattern.text.slice(0, pattern.starts[0]);
  const lineStart = content.lastIndexOf('\n', match.starts[0]! - 1) + 1;
  const indentation = content.slice(lineStart, match.starts[0]);
  const beginsLine = skipSpace(indentation, 0) === indentation.length;
  if (!beginsLine) level = lead.trim() === '' && lead.includes('\n') ? MatchLevel.InsideLine : level;
  else if (lead !== '' && plainSpaces(lead).replace(/^[\s\S]*\n/, '') !== plainSpaces(indentation)) {
    level = MatchLevel.Indentation;
  }
  for (let index = 1; index < pattern.keys.length; index++) {
    const wanted = pattern.text.slice(pattern.ends[index - 1], pattern.starts[index]);
    const found = content.slice(match.ends[index - 1], match.starts[index]);
    if (wanted !== found) level = Math.max(level, glueLevel(plainSpaces(wanted), plainSpaces(found)));
  }
  if (level === MatchLevel.Layout && !beginsLine) return MatchLevel.InsideLine;
  return level;
}

function glueLevel(wanted: string, found: string): number {
  if (wanted === found) return MatchLevel.LineEnds;
  const wantedLines = wanted.split('\n');
  const foundLines = found.split('\n');
  if (wantedLines.length === 1 || foundLines.length === 1) return MatchLevel.Layout;
  return wantedLines.length === foundLines.length ? MatchLevel.Indentation : MatchLevel.BlankLines;
}

/** Normalizes kinds of spaces and drops whitespace at line ends. */
function plainSpaces(glue: string): string {
  return glue.replaceAll(/[^\S\n]+(?=\n)/g, '').replaceAll(/[^\S\n\t]|[\u00AD\u200B-\u200F\u2060\uFEFF]/g, ' ');
}
