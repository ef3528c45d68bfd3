/**
 * Finds the table of models.dev inside a compiled program that embeds it as a JavaScript literal, and parses it as data:
 * nothing of the program is evaluated.
 */

const KNOWN_ENTRY = 'anthropic:{id:"anthropic",env:[';
/** The table begins with any provider. */
const FIRST_ENTRY = /\{(?=(?:"[\w.-]+"|\w+):\{id:"[\w.-]+",env:\[)/g;
const REACH = 8_000_000;
const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`\\]*`|!0|!1|[\w$.+-]+|[{}[\]:,]/gy;

export function parseEmbeddedTable(bytes) {
  const at = bytes.indexOf(KNOWN_ENTRY);
  if (at < 0) throw new Error('The file is neither JSON nor a program with the table of models.dev.');
  const text = bytes.subarray(Math.max(0, at - REACH), at + REACH).toString('utf8');
  const start = [...text.matchAll(FIRST_ENTRY)].at(0)?.index;
  if (start === undefined) throw new Error('The beginning of the table was not found.');
  return JSON.parse(toJson(text, start));
}

function toJson(text, start) {
  TOKEN.lastIndex = start;
  let json = '';
  let depth = 0;
  let before = '';
  do {
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined)
      throw new Error(`Unreadable literal: ${text.slice(TOKEN.lastIndex, TOKEN.lastIndex + 60)}`);
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    const isKey = text[TOKEN.lastIndex] === ':' && (before === '{' || before === ',');
    json += translate(token, isKey);
    before = token;
  } while (depth > 0);
  return json;
}

function translate(token, isKey) {
  if (token === '!0') return 'true';
  if (token === '!1') return 'false';
  if (token === 'null') return 'null';
  const quote = token[0];
  if (quote === '"' || quote === "'" || quote === '`') return JSON.stringify(unescape(token.slice(1, -1)));
  if (/^[{}[\]:,]$/.test(token)) return token;
  return isKey ? JSON.stringify(token) : String(Number(token));
}

function unescape(text) {
  return text.replaceAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/gi, (_all, short, long, one) =>
    one === undefined ? String.fromCharCode(Number.parseInt(short ?? long, 16)) : one === 'n' ? '\n' : one,
  );
}
