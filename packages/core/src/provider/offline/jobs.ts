/**
 * Parses a prompt into jobs by fixed phrases. Pure: a text in, a list of jobs out. There is no partial match: one
 * unknown step makes the whole prompt `unknown`, and phrases that could ask for more than is supported do not match.
 */

/** The units that can be counted in a file. */
export type Countable = { kind: 'lines' | 'words' | 'characters' } | { kind: 'text'; text: string };

export type Job =
  | { kind: 'describe'; path: string }
  | { kind: 'show'; path: string }
  | { kind: 'find'; text: string }
  | { kind: 'find_files'; pattern: string }
  | { kind: 'count'; what: Countable; path: string }
  | { kind: 'create'; path: string; content: string }
  | { kind: 'replace'; path: string; from: string; to: string }
  | { kind: 'run'; command: string }
  | { kind: 'help' }
  | { kind: 'unknown' };

/** Longer than any phrase with a text in it; the patterns do not run over piped megabytes. */
const MAX_REQUEST_LENGTH = 20_000;

/** The jobs of a prompt, in order. Piped input precedes the prompt, so the last paragraph alone may be the prompt. */
export function parseJobs(prompt: string): Job[] {
  const lastParagraph = prompt.split(/\n\s*\n/).at(-1) ?? '';
  for (const text of [prompt.trim(), lastParagraph.trim()]) {
    if (text.length > MAX_REQUEST_LENGTH) continue;
    // A text to write may contain the words that separate two steps, so the undivided prompt is tried second.
    const jobs = parseSteps(splitSteps(text)) ?? parseSteps([text]);
    if (jobs) return jobs;
  }
  return [{ kind: 'unknown' }];
}

function parseSteps(steps: readonly string[]): Job[] | undefined {
  const jobs: Job[] = [];
  let file: string | undefined;
  for (const step of steps) {
    const job = parseStep(step, file);
    if (!job) return undefined;
    jobs.push(job);
    if ('path' in job && job.kind !== 'describe') file = job.path;
  }
  return jobs.length > 0 ? jobs : undefined;
}

const STEP_END =
  /\s*[,;.]?\s+(?:and\s+)?then,?\s+|\s*;\s+|\s*,?\s+and\s+(?=(?:show|print|read)\s+(?:me\s+)?(?:it|that|the file)\b)/gi;
/** An apostrophe inside a word does not open a quotation. */
const QUOTATION = /"[^"]*"|(?<!\w)'[^'\n]*'|`[^`]*`/g;

/** Words that separate two steps count only outside quotation marks. */
function splitSteps(text: string): string[] {
  const quotations = [...text.matchAll(QUOTATION)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  const steps: string[] = [];
  let start = 0;
  for (const { index, 0: separator } of text.matchAll(STEP_END)) {
    if (quotations.some((quotation) => index > quotation.start && index < quotation.end)) continue;
    steps.push(text.slice(start, index));
    start = index + separator.length;
  }
  return [...steps, text.slice(start)].map((step) => step.trim()).filter((step) => step !== '');
}

interface Rule {
  pattern: RegExp;
  job: (groups: Readonly<Record<string, string>>) => Job | undefined;
}

const PATH = String.raw`(?<path>"[^"]+"|'[^']+'|${'`[^`]+`'}|[^\s"'${'`'}]+)`;
/** A named text: a whole quotation, or words that do not start with a quotation mark. */
const text = (name: string) => `(?<${name}>"[^"]*"|'[^']*'|\`[^\`]*\`|[^"'\`].*?)`;
const FOLDER = String.raw`(?:(?:this|the|my)\s+)?(?:current\s+|working\s+)?(?:folder|directory|project|repository|repo)`;

/** A pattern for a whole step; a space matches any white space. */
function step(source: string): RegExp {
  return new RegExp(`^(?:${source.replaceAll(' ', String.raw`\s+`)})$`, 'is');
}

/** The first match wins. Patterns match one step without politeness and without its final punctuation. */
const RULES: readonly Rule[] = [
  { pattern: step('help|what can you do|what do you know'), job: () => ({ kind: 'help' }) },
  {
    pattern: step(
      `(?:(?:tell|show) me )?what(?:'s| is| are| files are)(?: there)? in(?:side)? ${FOLDER}|` +
        `(?:describe|explain|summari[sz]e|list|show|show me) ${FOLDER}|` +
        `list(?: all)?(?: the)? files(?: (?:in|of) ${FOLDER})?|ls|what(?:'s| is) here|(?:what|which) files are here`,
    ),
    job: () => ({ kind: 'describe', path: '.' }),
  },
  {
    pattern: step(`(?:list|describe|what(?:'s| is) in) the (?:folder|directory) ${PATH}`),
    job: ({ path }) => ({ kind: 'describe', path: unquote(path) }),
  },
  {
    pattern: step(
      `(?:count|how many)(?: the)?(?: number of)? (?<unit>lines|words|characters)(?: are)?(?: there)? (?:in|of)(?: the file)? ${PATH}`,
    ),
    job: ({ unit, path }) => ({
      kind: 'count',
      what: { kind: unit?.toLowerCase() as 'lines' | 'words' | 'characters' },
      path: unquote(path),
    }),
  },
  {
    pattern: step(
      `(?:count|how (?:often|many times) does)(?: the)?(?: occurrences of)?(?: the)?(?: word| text)? ${text('text')}(?: occur| appear)? in(?: the file)? ${PATH}`,
    ),
    job: ({ text, path }) =>
      isPlain(text) ? { kind: 'count', what: { kind: 'text', text: unquote(text) }, path: unquote(path) } : undefined,
  },
  {
    pattern: step(`find(?: all)?(?: the)? files (?:named|called|matching|like) ${PATH}`),
    job: ({ path }) => ({ kind: 'find_files', pattern: unquote(path) }),
  },
  {
    pattern: step(
      `(?:find|search for|search|grep for|grep|look for)(?: the)?(?: text| word)? ${text('text')}(?: in(?: all)?(?: the| my)? (?:files|code)| in ${FOLDER})?`,
    ),
    job: ({ text }) => (isPlain(text) ? { kind: 'find', text: unquote(text) } : undefined),
  },
  {
    pattern: step(
      `(?:create|write|make|add)(?: a| the)?(?: new)?(?: file)?(?: named| called)? ${PATH} (?:with|containing|that says|that contains|saying)(?: the)?(?: (?:text|contents?|line|words?)\\b:?)? (?<content>.+)`,
    ),
    job: ({ path, content }) =>
      isFileName(path) ? { kind: 'create', path: unquote(path), content: unquote(content) } : undefined,
  },
  {
    pattern: step(`(?:write|put|save)(?: the text)? (?<content>.+) (?:to|into|in)(?: the file)? ${PATH}`),
    job: ({ path, content }) =>
      isQuoted(content) ? { kind: 'create', path: unquote(path), content: unquote(content) } : undefined,
  },
  {
    pattern: step(
      `(?:replace|change|substitute) ${text('from')} (?:with|by|to) ${text('to')} in(?: the file)? ${PATH}`,
    ),
    job: ({ from, to, path }) =>
      isPlain(from) && isPlain(to)
        ? { kind: 'replace', path: unquote(path), from: unquote(from), to: unquote(to) }
        : undefined,
  },
  {
    pattern: step(
      `(?:run|execute) (?:(?:the )?(?:shell )?command:? )?(?!(?:the|all|my|this|that|it|an?)\\b)(?<command>.+)`,
    ),
    job: ({ command }) => ({ kind: 'run', command: unquote(command) }),
  },
  {
    pattern: step(`what(?:'s| is) in (?:the file )?${PATH}`),
    job: ({ path }) => ({ kind: isFileName(path) ? 'show' : 'describe', path: unquote(path) }),
  },
  {
    pattern: step(
      `(?:show|print|read|display|cat)(?: me)?(?: the)?(?: contents? of)?(?: the)?(?: file)? ${PATH}(?: to me)?`,
    ),
    job: ({ path }) => ({ kind: 'show', path: unquote(path) }),
  },
];

function parseStep(text: string, previousFile: string | undefined): Job | undefined {
  const request = text
    .replace(/^(?:(?:please|now|first|next|finally|(?:can|could|would) you)[\s,]+)+/i, '')
    .replace(/(?:[\s,]+please)?\s*[?!]*$/i, '')
    // One full stop ends a sentence; two are a path (`cd ..`).
    .replace(/(?<=[^.\s])\.$/, '');
  for (const { pattern, job } of RULES) {
    const match = pattern.exec(request);
    const found = match && job({ ...match.groups });
    if (found) return resolveItself(found, previousFile);
  }
  return undefined;
}

const ITSELF = /^(?:it|that|this)$/i;

/** Resolves `show it` to the file of the previous step. */
function resolveItself(job: Job, previousFile: string | undefined): Job | undefined {
  if (!('path' in job) || !ITSELF.test(job.path)) return job;
  return previousFile === undefined ? undefined : { ...job, path: previousFile };
}

/** A text to search for: quoted, or so few words that it cannot contain another request. */
function isPlain(text: string | undefined): boolean {
  return isQuoted(text) || (text ?? '').trim().split(/\s+/).length <= 3;
}

function isFileName(text: string | undefined): boolean {
  return isQuoted(text) || /[./]/.test(text ?? '');
}

function isQuoted(text: string | undefined): boolean {
  return /^(["'`])[\s\S]*\1$/.test((text ?? '').trim()) && (text ?? '').trim().length >= 2;
}

function unquote(text: string | undefined): string {
  const trimmed = (text ?? '').trim();
  return isQuoted(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
