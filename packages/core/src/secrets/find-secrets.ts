/**
 * Finds secrets in text by their prefixes: one expression of forms that vendors gave their keys, each with a length.
 * Entropy alone is never a reason, so hashes, ids and lockfiles stay as they are. Pure.
 */

export interface FoundSecret {
  kind: string;
  value: string;
  start: number;
}

/** Each form stands alone: a character of a word before or after it makes it part of something else. */
export const FORMS: readonly (readonly [kind: string, form: string])[] = [
  ['github', 'gh[pousr]_[A-Za-z0-9]{36,255}'],
  ['github', 'github_pat_[A-Za-z0-9_]{22,255}'],
  ['gitlab', 'gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{20,255}'],
  ['aws', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}'],
  ['google', 'AIza[A-Za-z0-9_-]{35}'],
  ['google', 'ya29\\.[A-Za-z0-9_-]{20,2048}'],
  ['google', 'GOCSPX-[A-Za-z0-9_-]{28}'],
  ['anthropic', 'sk-ant-[A-Za-z0-9_-]{20,255}'],
  ['openai', 'sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,255}'],
  ['openai', 'sk-[A-Za-z0-9]{48}'],
  ['openrouter', 'sk-or-v1-[0-9a-f]{64}'],
  ['slack', 'xox[abeoprs]-[A-Za-z0-9-]{10,255}'],
  ['slack', 'xapp-\\d-[A-Za-z0-9-]{20,255}'],
  ['npm', 'npm_[A-Za-z0-9]{36}'],
  ['pypi', 'pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,1000}'],
  ['stripe', '[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}'],
  ['stripe', 'whsec_[A-Za-z0-9+/]{32,255}'],
  ['sendgrid', 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'],
  ['huggingface', 'hf_[A-Za-z0-9]{34}'],
  ['digitalocean', 'do[opr]_v1_[0-9a-f]{64}'],
  ['docker', 'dckr_pat_[A-Za-z0-9_-]{27}'],
  ['groq', 'gsk_[A-Za-z0-9]{52}'],
  ['shopify', 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}'],
  ['vault', 'hv[sb]\\.[A-Za-z0-9_-]{24,255}'],
  ['linear', 'lin_api_[A-Za-z0-9]{40}'],
  ['age', 'AGE-SECRET-KEY-1[0-9A-Z]{58}'],
  ['jwt', 'eyJ[A-Za-z0-9_-]{10,4096}\\.eyJ[A-Za-z0-9_-]{10,8192}\\.[A-Za-z0-9_-]{10,4096}'],
];

/** The password of an address is its secret; so is the value after this one name, which has no prefix of its own. */
const ADDRESS = `:\\/\\/([^\\s/:@"'<>\`\\\\]{0,255}):([^\\s/@"'<>\`\\\\]{1,255})@([^\\s/:"'<>\`\\\\,)]{1,255})`;
const AWS_SECRET = `aws_secret_access_key["']?\\s{0,8}[=:]\\s{0,8}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`;
/** Also in JSON, where the lines are joined by \\n, and when the end is cut off. */
const KEY_BLOCK = `-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\\s\\\\:,.-]{16,65536}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|(?![A-Za-z0-9+/=\\s\\\\:,.-]))`;

const ALONE = FORMS.map(([, form]) => form).join('|');
const ANY = new RegExp(
  `(?<word>\\b(?:${ALONE})(?![A-Za-z0-9_]))|(?<block>${KEY_BLOCK})|${ADDRESS}|(?:${AWS_SECRET})`,
  'g',
);
/** Without one of these, a secret is a word: a run of such characters, at least as long as the shortest form. */
const BEYOND_WORDS = ['://', '-----BEGIN ', 'aws_secret_access_key'];
const SHORTEST_WORD = 15;
/** By character code: 1 for what such a word consists of. */
const WORD_CODES = new Uint8Array(128);
for (const code of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+/-'))
  WORD_CODES[code] = 1;
/** How a form begins: compiled and searched in a fraction of the time that all of them take. */
const BEGINNING =
  /\b(?:g(?:h[pousr]_|ithub_pat_|l[pdrcs][a-z]{1,3}-|sk_)|A(?:[KSB]IA|CCA|Iza|GE-)|ya29\.|GOCSPX-|[sr]k[-_]|x(?:ox|app-)|npm_|pypi-|whsec_|SG\.|h(?:f_|v[sb]\.)|do[opr]_v|dckr_|shp|lin_api_|eyJ)/;
const KINDS = FORMS.map(([kind, form]) => [kind, new RegExp(`^(?:${form})$`)] as const);

/** Keys that a vendor's own documents show. */
const EXAMPLE = /EXAMPLE(?:KEY)?$/;
const SHORTEST_PASSWORD = 4;
/** Passwords that documents and tests use in place of one. */
const PLACEHOLDER =
  /^(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|key|changeme|change-me|example|test|user(?:name)?|admin|root|guest|foo|bar|baz|x+|\*+|\.+|-+|…|hunter2|my[-_]?(?:password|secret|token)|your[-_]?\w*|some[-_]?\w*|\$.*|%\w*%?|\{.*|<.*|\[.*|‹.*)$/i;
const HARMLESS_HOST =
  /^(?:(?:[\w-]+\.)*example(?:\.[a-z]{2,}){0,2}|localhost|(?:[\w-]+\.)*localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host(?:name)?|server)$/i;

/**
 * In the order of the text; none overlaps another. Every request and every line of a session passes it, so only words
 * that may be a secret meet the whole expression.
 */
export function findSecrets(text: string): FoundSecret[] {
  if (BEYOND_WORDS.some((hint) => text.includes(hint))) return findAny(text);
  const found: FoundSecret[] = [];
  // Looks at the end of a possible word first: most of the text is never looked at.
  for (let start = 0, last = SHORTEST_WORD - 1; last < text.length; last = start + SHORTEST_WORD - 1) {
    let index = last;
    while (index >= start && WORD_CODES[text.charCodeAt(index)] === 1) index--;
    if (index >= start) {
      start = index + 1;
      continue;
    }
    let end = last + 1;
    while (WORD_CODES[text.charCodeAt(end)] === 1) end++;
    const word = text.slice(start, end);
    if (BEGINNING.test(word))
      for (const secret of findAny(word)) found.push({ ...secret, start: start + secret.start });
    start = end + 1;
  }
  return found;
}

function findAny(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  ANY.lastIndex = 0;
  for (let match = ANY.exec(text); match; match = ANY.exec(text)) {
    const { word, block } = match.groups ?? {};
    const [, , , user, password, host, awsSecret] = match;
    if (word !== undefined) {
      if (!EXAMPLE.test(word)) found.push({ kind: kindOf(word), value: word, start: match.index });
    } else if (block !== undefined) found.push({ kind: 'private-key', value: block, start: match.index });
    else if (awsSecret !== undefined)
      found.push({ kind: 'aws', value: awsSecret, start: match.index + match[0].length - awsSecret.length });
    else if (password !== undefined && isPassword(user ?? '', password, host ?? ''))
      found.push({ kind: 'password', value: password, start: match.index + 3 + (user ?? '').length + 1 });
  }
  return found;
}

function kindOf(word: string): string {
  return KINDS.find(([, form]) => form.test(word))?.[0] ?? 'key';
}

function isPassword(user: string, password: string, host: string): boolean {
  return (
    password.length >= SHORTEST_PASSWORD &&
    password !== user &&
    !PLACEHOLDER.test(password) &&
    !HARMLESS_HOST.test(host)
  );
}
