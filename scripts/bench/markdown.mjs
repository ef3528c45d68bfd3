/**
 * Generates a long answer in markdown, as models write them: headings, paragraphs, lists, code and tables.
 * Deterministic, but without repetition: loop detection would stop an answer that repeats itself.
 */

const WORDS =
  'the parser reads each line once and keeps what it has seen so that a later call finds it without a second look at the file'.split(
    ' ',
  );
/** One word in this many contains a wide character or a mark. */
const MARKED_EVERY = 37;

/** Length of the answer that streams during typing. */
export const STEADY_LENGTH = 200_000;
export const LAST_LINE = 'That was the whole answer.';

/** About this many characters, and the last line. */
export function createMarkdown(length) {
  const next = createRandom();
  let text = '';
  for (let section = 1; text.length < length; section++) text += createSection(section, next);
  return `${text}${LAST_LINE}`;
}

function createSection(section, next) {
  return [
    `## Section ${section}: ${sentence(next, 4)}`,
    paragraph(next, 5),
    [0, 1, 2, 3].map(() => `- **${sentence(next, 2)}**: ${sentence(next, 14)}`).join('\n'),
    code(section, next),
    paragraph(next, 4),
    table(section, next),
    '',
  ].join('\n\n');
}

function paragraph(next, sentences) {
  return Array.from({ length: sentences }, () => `${sentence(next, 16)}.`).join(' ');
}

function sentence(next, words) {
  return Array.from({ length: words }, () => {
    const value = next();
    const word = `${WORDS[value % WORDS.length]}${value % 5 === 0 ? value.toString(36) : ''}`;
    if (value % MARKED_EVERY === 0) return `\`${word}()\``;
    return value % MARKED_EVERY === 1 ? `${word} ✓ 完了` : word;
  }).join(' ');
}

function code(section, next) {
  const lines = Array.from({ length: 8 }, () => {
    const value = next();
    return `  const value${value} = compute(${value % 97}, 'text ${value.toString(36)}'); // ${sentence(next, 3)}`;
  });
  return ['```ts', `export function work${section}(input: string): number {`, ...lines, '}', '```'].join('\n');
}

function table(section, next) {
  const rows = Array.from({ length: 5 }, (_, row) => `| ${section}.${row} | ${sentence(next, 3)} | ${next() % 1000} |`);
  return ['| Nr | What | Count |', '|---|---|---:|', ...rows].join('\n');
}

function createRandom() {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
}
