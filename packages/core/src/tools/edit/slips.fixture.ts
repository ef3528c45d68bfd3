/**
 * Simulates the errors models make when they copy from a file, as changes to a correct
 * edit. Each slip names the required result: the intended edit, the edit or a refusal, or
 * a refusal only. No slip depends on how edits are placed.
 */

import type { EditCase, Random } from './edit-cases.fixture.ts';

export type Outcome = 'placed' | 'either' | 'refused';

export interface Slip {
  name: string;
  outcome: Outcome;
  /** Undefined when the slip changes nothing. */
  apply(edit: EditCase, random: Random): EditCase | undefined;
}

const eachLine = (change: (line: string) => string) => (text: string) => text.split('\n').map(change).join('\n');
const isComment = (line: string) => /^\s*(?:\/\/|#(?!include|define|if|end|!)|--|\*|<!--)/.test(line);

/** Changes both texts alike, or only the old one. */
function slip(
  name: string,
  sides: 'both' | 'old',
  change: (text: string, random: Random) => string,
  outcome: Outcome = 'placed',
): Slip {
  return {
    name: `${name}, ${sides === 'both' ? 'in both texts' : 'in the old text'}`,
    outcome,
    apply: (edit, random) => {
      const old = change(edit.old, random);
      if (old === edit.old || edit.content.includes(old)) return undefined;
      return { ...edit, old, ...(sides === 'both' && { replacement: change(edit.replacement, random) }) };
    },
  };
}

/** Changes the file on disk, so that it differs from the model's memory. */
function onDisk(name: string, change: (text: string) => string): Slip {
  return {
    name: `${name}, on disk`,
    outcome: 'placed',
    apply: (edit) => {
      const content = change(edit.content);
      if (content.includes(edit.old)) return undefined;
      return { ...edit, content, expected: change(edit.expected) };
    },
  };
}

const wrapAtComma = (text: string) => text.replace(/(\(\w[^()\n]*,) (?=\w[^()\n]*\))/, '$1\n        ');
const joinCall = (text: string) => text.replace(/([({,])\n\s*(?=\w)/, '$1 ');
const reword = (text: string) =>
  text
    .split('\n')
    .map((line) => (isComment(line) ? line.replace(/ (\w{3,}) (\w{3,}) /, ' $1 really $2 ') : line))
    .join('\n');
function misspell(text: string, random: Random): string {
  const words = [...text.matchAll(/[A-Za-z]{6,}/g)];
  const word = words[random(Math.max(1, words.length))];
  if (word === undefined) return text;
  const at = word.index + 2 + random(word[0].length - 4);
  const forms = [text[at + 1]! + text[at]!, text[at + 1]!, text[at]! + text[at]! + text[at + 1]!];
  return text.slice(0, at) + forms[random(3)]! + text.slice(at + 2);
}
function staleName(text: string, random: Random): string {
  const words = [...text.matchAll(/[A-Za-z]{4,}/g)];
  const word = words[random(Math.max(1, words.length))];
  return word === undefined ? text : text.slice(0, word.index) + 'formerName' + text.slice(word.index + word[0].length);
}

/** A middle line that both texts keep, removed from both or replaced by dots. */
function middleLine({ old, replacement }: EditCase, random: Random, least: number): [number, number] | undefined {
  const [lines, next] = [old.split('\n'), replacement.split('\n')];
  const at = 1 + random(Math.max(1, lines.length - 2));
  const place = next.indexOf(lines[at]!);
  const isKept = (offset: number) => lines[at + offset] !== undefined && lines[at + offset] === next[place + offset];
  const isUnique =
    next.lastIndexOf(lines[at]!) === place && lines.indexOf(lines[at]!) === lines.lastIndexOf(lines[at]!);
  return lines.length >= least && isUnique && place > 0 && isKept(-1) && isKept(1) && lines[at]!.trim().length > 3
    ? [at, place]
    : undefined;
}

export const SLIPS: readonly Slip[] = [
  slip(
    'tabs for spaces',
    'both',
    eachLine((line) => line.replace(/^ +/, (run) => '\t'.repeat(Math.ceil(run.length / 4)))),
  ),
  slip('spaces for tabs', 'both', (text) => text.replaceAll('\t', '  ')),
  slip(
    'spaces at the ends of lines',
    'old',
    eachLine((line) => `${line}\t `),
  ),
  slip(
    'spaces at the ends of lines',
    'both',
    eachLine((line) => `${line} `),
  ),
  slip(
    'three spaces more',
    'both',
    eachLine((line) => (line.trim() ? `   ${line}` : line)),
  ),
  slip('other quotes', 'both', (text) => text.replaceAll("'", '"'), 'either'),
  slip('other quotes', 'old', (text) => (text.includes('"') ? text : text.replaceAll("'", '"')), 'either'),
  slip('typographic quotes and dashes', 'both', (text) =>
    text.replaceAll(/"([^"\n]*)"/g, '“$1”').replaceAll(' - ', ' – '),
  ),
  slip('hard spaces', 'both', (text) => text.replace(/(\w) (\w)/, '$1\u00A0$2')),
  slip('escaped line breaks', 'both', (text) => text.replaceAll('\n', String.raw`\n`)),
  slip('escaped quotes', 'both', (text) => text.replaceAll('"', String.raw`\"`)),
  slip('escaped as in JSON', 'both', (text) => JSON.stringify(text).slice(1, -1)),
  slip('a blank line too many', 'old', (text) => text.replace('\n', '\n\n')),
  slip('blank lines missing', 'old', (text) => text.replaceAll(/\n\s*\n/g, '\n')),
  slip('a comment reworded', 'old', reword),
  slip('a comment reworded', 'both', reword, 'either'),
  slip('a word misspelt', 'old', misspell),
  slip('another name', 'old', staleName, 'either'),
  slip('a capital letter for a small one', 'old', (text) =>
    text.replace(/\b([a-z])(?=[a-z]{4,}\b)/, (letter) => letter.toUpperCase()),
  ),
  slip('a call broken over two lines', 'old', wrapAtComma),
  slip('two lines joined', 'old', joinCall),
  slip(
    'no mark at the ends of lines',
    'old',
    eachLine((line) => line.replace(/[,;]$/, '')),
  ),
  slip('a bracket missing', 'old', (text) => text.replace(/\)(?=\S)/, '')),
  slip('a line said twice', 'old', (text) => text.replace(/\n([^\n]{8,})\n/, '\n$1\n$1\n'), 'either'),
  slip('line numbers with a bar', 'both', (text) =>
    text
      .split('\n')
      .map((line, index) => `${String(index + 97).padStart(5)}| ${line}`)
      .join('\n'),
  ),
  slip('line numbers with an arrow', 'both', (text) =>
    text
      .split('\n')
      .map((line, index) => `${String(index + 8).padStart(6)}→${line}`)
      .join('\n'),
  ),
  slip('line numbers with a tab', 'old', (text) =>
    text
      .split('\n')
      .map((line, index) => `${index + 8}\t${line}`)
      .join('\n'),
  ),
  slip('a fence around it', 'both', (text) => `\`\`\`ts\n${text}\n\`\`\``),
  slip('entities', 'both', (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
  slip('a line break too many at the end', 'both', (text) => `${text}\n\n`),
  onDisk('decomposed letters', (text) =>
    text.replaceAll('e', 'é').normalize('NFD').replaceAll('é'.normalize('NFD'), 'e'),
  ),
  onDisk('hard spaces', (text) => text.replaceAll(/(\w) (\w)/g, '$1\u00A0$2')),
  onDisk('typographic quotes', (text) => text.replaceAll(/"([^"\n]*)"/g, '“$1”')),
  onDisk(
    'spaces at the ends of lines',
    eachLine((line) => `${line}  `),
  ),
  onDisk('brackets set apart', (text) => text.replaceAll(/\((?=\w)/g, '( ').replaceAll(/(?<=\w)\)/g, ' )')),
  {
    name: 'a line of the middle left out of both texts',
    outcome: 'placed',
    apply: (edit, random) => {
      const [at, place] = middleLine(edit, random, 5) ?? [0, 0];
      if (at === 0) return undefined;
      const without = (text: string, index: number) => text.split('\n').toSpliced(index, 1).join('\n');
      return { ...edit, old: without(edit.old, at), replacement: without(edit.replacement, place) };
    },
  },
  {
    name: 'dots for a line of the middle',
    outcome: 'either',
    apply: (edit, random) => {
      const [at, place] = middleLine(edit, random, 6) ?? [0, 0];
      if (at === 0) return undefined;
      const dotted = (text: string, index: number) =>
        text.split('\n').with(index, '// ... existing code ...').join('\n');
      return { ...edit, old: dotted(edit.old, at), replacement: dotted(edit.replacement, place) };
    },
  },
  {
    name: 'comments left out, in the old text',
    outcome: 'placed',
    apply: (edit) => {
      const lines = edit.old.split('\n');
      const isLeftOut = (line: string, index: number) => index > 0 && index < lines.length - 1 && isComment(line);
      const old = lines.filter((line, index) => !isLeftOut(line, index)).join('\n');
      // A comment that the edit removes or moves could equally be one the model does not know of.
      const isPlain = lines.every(
        (line, index) =>
          !isLeftOut(line, index) || edit.replacement.includes(lines.slice(index - 1, index + 2).join('\n')),
      );
      return isPlain && old !== edit.old && !edit.content.includes(old) ? { ...edit, old } : undefined;
    },
  },
  {
    name: 'another name, in both texts',
    outcome: 'either',
    apply: (edit, random) => {
      const words = edit.old.match(/[A-Za-z]{4,}/g) ?? [];
      const word = words[random(Math.max(1, words.length))];
      if (word === undefined || !edit.replacement.includes(word)) return undefined;
      const [old, replacement] = [edit.old, edit.replacement].map((text) => text.replaceAll(word, 'formerName'));
      return { ...edit, old: old!, replacement: replacement! };
    },
  },
  {
    name: 'a misspelt word beside a near-duplicate',
    outcome: 'either',
    apply: (edit, random) => {
      const twin = staleName(edit.old, random);
      const old = misspell(edit.old, random);
      if (twin === edit.old || old === edit.old || twin.includes(old)) return undefined;
      return { ...edit, old, content: `${twin}\n${edit.content}`, expected: `${twin}\n${edit.expected}` };
    },
  },
  {
    name: 'a text that is there twice, with other indentation',
    outcome: 'refused',
    apply: (edit) => ({
      ...edit,
      content: `${edit.content}\n${edit.old}\n`,
      old: eachLine((line) => (line.trim() ? ` ${line}` : line))(edit.old),
    }),
  },
  {
    name: 'a misspelt text that is there twice',
    outcome: 'refused',
    apply: (edit, random) => {
      const old = misspell(edit.old, random);
      return old === edit.old ? undefined : { ...edit, content: `${edit.content}\n${edit.old}\n`, old };
    },
  },
  {
    name: 'a text that is gone, with a near-duplicate left',
    outcome: 'refused',
    apply: (edit, random) => {
      const twin = staleName(staleName(edit.old, random), random);
      // Inside a comment the code would be the same.
      const isKnown = !/\/\/|\/\*|#|--|<!--|^\s*\*/m.test(edit.old) && [...twin.matchAll(/formerName/g)].length === 2;
      return isKnown ? { ...edit, content: edit.content.replace(edit.old, () => twin) } : undefined;
    },
  },
  {
    name: 'a text that is gone',
    outcome: 'refused',
    apply: (edit) => ({ ...edit, content: edit.content.replace(edit.old, '') }),
  },
];
