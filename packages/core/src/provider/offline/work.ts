/**
 * Performs each job: a generator that emits text, requests one action at a time and reads its outcome. It knows no
 * wire and no disk, and takes the same steps again for the same outcomes; offline-generator.ts relies on that.
 */

import { assertNever } from '../../protocol/events.ts';
import type { Countable, Job } from './jobs.ts';
import { countOf } from '../../util/short-text.ts';

/** A step that only tools, or the given folder, can perform. */
export type Action =
  | { kind: 'list'; path: string }
  | { kind: 'read'; path: string }
  | { kind: 'search'; text: string }
  | { kind: 'find_files'; pattern: string }
  | { kind: 'write'; path: string; content: string }
  | { kind: 'replace'; path: string; from: string; to: string }
  | { kind: 'run'; command: string };

/** The outcome of an action, in the tool's wording. */
export interface Outcome {
  ok: boolean;
  text: string;
}

export type Step = { kind: 'say'; text: string } | { kind: 'think'; text: string } | { kind: 'do'; action: Action };

type Work = Generator<Step, void, Outcome | undefined>;

export const PREFACE = "I am Castor's offline model: a few fixed rules, not a language model.";

const SHOWN_LINES = 400;
const SHOWN_CHARACTERS = 20_000;

export function* work(jobs: readonly Job[]): Work {
  yield* say(`${PREFACE}\n\n`);
  for (const [index, job] of jobs.entries()) {
    if (index > 0) yield* say('\n\n');
    yield* workOn(job);
  }
}

function* workOn(job: Job): Work {
  switch (job.kind) {
    case 'describe':
      return yield* describe(job.path);
    case 'show':
      return yield* show(job.path);
    case 'find':
      return yield* report(`Searching for “${job.text}”.`, { kind: 'search', text: job.text });
    case 'find_files':
      return yield* report(`Looking for files named ${job.pattern}.`, job);
    case 'count':
      return yield* count(job.what, job.path);
    case 'create':
      return yield* report(`Writing ${job.path}.`, { kind: 'write', path: job.path, content: job.content });
    case 'replace':
      return yield* report(`Replacing “${job.from}” with “${job.to}” in ${job.path}.`, job);
    case 'run':
      return yield* report(`Running \`${job.command}\`.`, job);
    case 'help':
      return yield* say(capabilities('What I can do:'));
    case 'unknown':
      return yield* say(capabilities('I do not understand this request. What I can do:'));
    default:
      return assertNever(job);
  }
}

function* describe(path: string): Work {
  const place = path === '.' ? 'This folder' : `The folder ${path}`;
  const listing = yield* perform('Looking at the folder', `Listing ${path === '.' ? 'it' : path}.`, {
    kind: 'list',
    path,
  });
  if (!listing.ok) return yield* say(listing.text);
  const entries = parseListing(listing.text);
  if (entries.length === 0) return yield* say(`${place} is empty.`);
  yield* say(`${place} holds ${describeCounts(entries)}:\n\n${entries.map(formatEntry).join('\n')}\n`);
  const names = new Set(entries.map(({ name }) => name));
  const inside = (name: string) => (path === '.' ? name : `${path}/${name}`);
  if (names.has('package.json')) {
    const manifest = yield* perform('Looking closer', 'Reading package.json.', {
      kind: 'read',
      path: inside('package.json'),
    });
    const sentence = manifest.ok ? describeManifest(manifest.text) : undefined;
    if (sentence) yield* say(`\n${sentence}\n`);
  }
  if (names.has('README.md')) {
    const readme = yield* perform('Looking closer', 'Reading README.md.', { kind: 'read', path: inside('README.md') });
    const title = readme.ok ? /^#\s+(.+)$/m.exec(readme.text)?.[1] : undefined;
    if (title) yield* say(`\nREADME.md is titled “${title.trim()}”.`);
  }
}

function* show(path: string): Work {
  const file = yield* perform('Reading', `Reading ${path}.`, { kind: 'read', path });
  if (!file.ok) return yield* say(file.text);
  if (file.text === '') return yield* say(`${path} is empty.`);
  const { text, left } = bound(file.text);
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  const newline = text.endsWith('\n') ? '' : '\n';
  yield* say(
    `${path}:\n\n${fence}\n${text}${newline}${fence}${left > 0 ? `\n(${left} more lines are not shown.)` : ''}`,
  );
}

function* count(what: Countable, path: string): Work {
  const file = yield* perform('Counting', `Reading ${path} to count.`, { kind: 'read', path });
  if (!file.ok) return yield* say(file.text);
  const { total, shownOnly } = measure(what, file.text);
  const thing = what.kind === 'text' ? `“${what.text}” occurs ${total} ${total === 1 ? 'time' : 'times'}` : undefined;
  const unit = total === 1 ? what.kind.replace(/s$/, '') : what.kind;
  const part = shownOnly ? ' the part that I received of' : '';
  yield* say(
    thing ? `${thing} in${part} ${path}.` : `There ${total === 1 ? 'is' : 'are'} ${total} ${unit} in${part} ${path}.`,
  );
}

/** One action whose outcome is the answer. */
function* report(intent: string, action: Action): Work {
  const outcome = yield* perform('Working', intent, action);
  const { text, left } = bound(outcome.text);
  yield* say(
    `${outcome.ok ? '' : 'That did not work: '}${text.trimEnd()}${left > 0 ? `\n(${left} more lines are not shown.)` : ''}`,
  );
}

function* perform(subject: string, description: string, action: Action): Generator<Step, Outcome, Outcome | undefined> {
  yield { kind: 'think', text: `**${subject}** ${description}` };
  const outcome = yield { kind: 'do', action };
  return outcome ?? { ok: false, text: 'I have no tool for that here.' };
}

function* say(text: string): Work {
  yield { kind: 'say', text };
}

interface Entry {
  name: string;
  isFolder: boolean;
  bytes: number | undefined;
}

/** Parses the listing of `list_directory`: `[DIR] name` and `name (N bytes)`, after a heading. */
function parseListing(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const line of text.split('\n')) {
    const folder = /^\[DIR\] (.+)$/.exec(line);
    const file = /^(.+) \((\d+) bytes\)$/.exec(line);
    if (folder?.[1]) entries.push({ name: folder[1], isFolder: true, bytes: undefined });
    else if (file?.[1]) entries.push({ name: file[1], isFolder: false, bytes: Number(file[2]) });
  }
  return entries;
}

function describeCounts(entries: readonly Entry[]): string {
  const folders = entries.filter(({ isFolder }) => isFolder).length;
  return [countOf(folders, 'folder'), countOf(entries.length - folders, 'file')].join(' and ');
}

function formatEntry({ name, isFolder, bytes }: Entry): string {
  return isFolder ? `- ${name}/` : `- ${name} (${formatBytes(bytes ?? 0)})`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function describeManifest(text: string): string | undefined {
  try {
    const { name, description } = JSON.parse(text) as { name?: unknown; description?: unknown };
    if (typeof name !== 'string') return undefined;
    return `package.json names it ${name}${typeof description === 'string' ? `: ${description}` : '.'}`;
  } catch {
    // A manifest that is not JSON is ignored; the listing is sufficient.
    return undefined;
  }
}

/** `read_file` reports a file it truncated, and its length. */
const TRUNCATED =
  /^IMPORTANT: The file content has been truncated\.[\s\S]*?Showing lines \d+-\d+ of (\d+) total lines\.[\s\S]*?^--- FILE CONTENT \(truncated\) ---$\n?/m;

function measure(what: Countable, output: string): { total: number; shownOnly: boolean } {
  const truncated = TRUNCATED.exec(output);
  const text = truncated ? output.slice(truncated.index + truncated[0].length) : output;
  const shownOnly = truncated !== null;
  switch (what.kind) {
    case 'lines':
      return truncated ? { total: Number(truncated[1]), shownOnly: false } : { total: countLines(text), shownOnly };
    case 'words':
      return { total: text.split(/\s+/).filter((word) => word !== '').length, shownOnly };
    case 'characters':
      return { total: countCharacters(text), shownOnly };
    case 'text':
      return { total: what.text === '' ? 0 : text.split(what.text).length - 1, shownOnly };
    default:
      return assertNever(what);
  }
}

/** Code points, as `wc -m` counts. */
function countCharacters(text: string): number {
  let total = 0;
  for (const _ of text) total++;
  return total;
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function bound(text: string): { text: string; left: number } {
  const lines = text.split('\n');
  let kept = lines.slice(0, SHOWN_LINES).join('\n');
  if (kept.length > SHOWN_CHARACTERS) kept = kept.slice(0, SHOWN_CHARACTERS).toWellFormed();
  return kept.length === text.length
    ? { text, left: 0 }
    : { text: kept, left: lines.length - kept.split('\n').length + 1 };
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

function capabilities(heading: string): string {
  return `${heading}

- What is in this folder?
- Show README.md
- Find TODO in the files
- Count the lines in package.json
- Create hello.txt with the text "Hello", then show it
- Replace "Hello" with "Goodbye" in hello.txt
- Run the command git status

For a language model, get a key at https://aistudio.google.com/apikey and say
  GEMINI_API_KEY=your-key castor -p "your prompt"`;
}
