/**
 * Finds, resolves, reads and frames `@path` and `@server:uri` in a prompt. An unresolved reference stays text; a file that may not be
 * read is left out, and the user is notified. The number of references in a prompt is limited, whatever was pasted into
 * it.
 */

import type { FileReferences, Part, ResolvedReference, WorkspaceAgent } from '@castor/core';
import { ToolError } from '@castor/core';
import { describeBrought } from './brought-files.ts';
import type { PreparedPrompt } from './prepared-prompt.ts';
import type { TextReference } from './text-reference.ts';

interface Replacement extends TextReference {
  resolved: Extract<ResolvedReference, { pattern: string }>;
}

/** Limit of different names that are looked up. */
const MAX_REFERENCES = 100;
/** Limit of signs that are examined: a pasted log may contain millions. */
const MAX_SIGNS = 2_000;
/** No path is longer. */
const MAX_NAME = 4096;
/** Limit of searches: each walks through the workspace. */
const MAX_SEARCHES = 10;
/** How much longer than its match a name with brackets may be, and how many ends of it are tried. */
const MAX_LENGTHENED = 256;
const MAX_ENDS = 8;
const STOPS = /[\s,;!?()[\]{}]/;
/** Unlikely to be a user name, a package or a decorator: `./x`, `src/x.ts`, `x.json`. */
const LIKE_A_FILE = /^(?:\.{0,2}|~)\/|[^/]\.[A-Za-z]\w{0,5}$/;
const OPENING = '\n--- Content from referenced files ---';
const CLOSING = '\n--- End of content ---';
const NOTHING_READ = { files: [], problems: [] };

type Surroundings = Pick<WorkspaceAgent, 'references' | 'servers'> & Partial<Pick<WorkspaceAgent, 'agents' | 'tools'>>;

/** The name of a sub-agent asks the model to delegate to it; every other name is a file or a resource. */
export async function expandReferences(
  text: string,
  agent: Surroundings,
  signal: AbortSignal,
): Promise<PreparedPrompt> {
  // A small window has no tool to delegate with.
  const agents = agent.tools?.getTool('invoke_agent') ? (agent.agents?.offered ?? []) : [];
  const found = findReferences(text);
  const isAgent = (name: string) => agents.some((each) => each.name === name);
  const chosen = [...new Set(found.map(({ name }) => name).filter(isAgent))];
  const others = chosen.length === 0 ? found : found.filter(({ name }) => !isAgent(name));
  const prepared = await expandFiles(text, others, agent, signal);
  if (chosen.length === 0 || prepared.kind !== 'prompt') return prepared;
  return { ...prepared, parts: [...prepared.parts, { text: toDelegation(chosen) }] };
}

function toDelegation(names: readonly string[]): string {
  const who = names.length === 1 ? `sub-agent ${names[0]}` : `sub-agents ${names.join(', ')}`;
  return `\n<system_note>\nThe user chose the ${who}. Delegate the task with invoke_agent.\n</system_note>`;
}

async function expandFiles(
  text: string,
  found: readonly TextReference[],
  { references, servers }: Surroundings,
  signal: AbortSignal,
): Promise<PreparedPrompt> {
  const unchanged: PreparedPrompt = { kind: 'prompt', parts: [{ text }], displayText: text, notes: [] };
  if (found.length === 0) return unchanged;
  const isForServer = servers && found.some(({ name }) => name.includes(':'));
  const split = isForServer
    ? await (await import('./resource-references.ts')).findResources(text, found, servers, signal)
    : { resources: [], rest: found, notes: [] };
  const { replacements, notes: ofFiles } = await resolveAll(text, split.rest, references, signal);
  const notes = [...split.notes, ...ofFiles];
  if (replacements.length + split.resources.length === 0) return { ...unchanged, notes };
  try {
    const patterns = [...new Set(replacements.map(({ resolved }) => resolved.pattern))];
    const { files, problems } = patterns.length > 0 ? await references.read(patterns, signal) : NOTHING_READ;
    const documents = await Promise.all(split.resources.map((resource) => resource.read(signal)));
    const query = { text: rewrite(text, replacements) };
    const all = [...files, ...documents];
    const frame = all.length > 0 || problems.length > 0 ? toFrame(all, problems) : [];
    const unread = problems.map((problem) => `Not read: ${problem}`);
    const brought = all.map(describeBrought);
    return { kind: 'prompt', parts: [query, ...frame], displayText: text, notes: [...notes, ...unread], brought };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const what = split.resources.length > 0 ? 'what is referenced with @ is' : 'the files referenced with @ are';
    return { kind: 'error', message: `${what} not readable: ${error.message}` };
  }
}

/**
 * In the order of the text. An `@` inside a word (an address), after a backslash or after another `@` (a diff) is not a
 * reference.
 */
export function findReferences(text: string): TextReference[] {
  const references: TextReference[] = [];
  let signs = 0;
  for (let at = text.indexOf('@'); at !== -1 && signs < MAX_SIGNS; at = text.indexOf('@', at + 1)) {
    signs++;
    if (at > 0 && /[\w\\@]/.test(text[at - 1]!)) continue;
    const { end, name } = readName(text, at + 1);
    if (!/[\w\p{L}.~/*]/u.test(name) || name.startsWith('@')) continue;
    references.push({ start: at, end, name });
    at = end - 1;
  }
  return references;
}

function readName(text: string, start: number): { end: number; name: string } {
  if (text[start] === '"') {
    const close = text.slice(start, start + MAX_NAME).indexOf('"', 1) + start;
    if (close > start && !text.slice(start, close).includes('\n'))
      return { end: close + 1, name: text.slice(start + 1, close) };
  }
  let name = '';
  let index = start;
  for (; index < text.length && name.length < MAX_NAME; index++) {
    const character = text[index]!;
    if (character === '\\' && index + 1 < text.length) name += text[++index];
    else if (STOPS.test(character) || (index > start && isFullStop(text, index))) break;
    else name += character;
  }
  return { end: index, name };
}

function isFullStop(text: string, index: number): boolean {
  return text[index] === '.' && (index + 1 === text.length || /\s/.test(text[index + 1]!));
}

async function resolveAll(
  text: string,
  found: readonly TextReference[],
  references: FileReferences,
  signal: AbortSignal,
): Promise<{ replacements: Replacement[]; notes: string[] }> {
  const replacements: Replacement[] = [];
  const notes: string[] = [];
  const known = new Map<string, ResolvedReference>();
  let isCut = false;
  for (const reference of found) {
    // Beyond the limit only names that are already resolved count.
    const whole = known.size < MAX_REFERENCES ? await fitToFile(text, reference, references) : reference;
    let resolved = known.get(whole.name);
    if (!resolved) {
      if (known.size === MAX_REFERENCES) {
        isCut = true;
        continue;
      }
      const missing = [...known.values()].filter(({ kind }) => kind === 'missing').length;
      resolved = await references.resolve(whole.name, signal, { search: missing < MAX_SEARCHES });
      known.set(whole.name, resolved);
      const note = toNote(whole.name, resolved);
      if (note !== undefined) notes.push(note);
    }
    if ('pattern' in resolved) replacements.push({ ...whole, resolved });
  }
  if (isCut) notes.push(`Only the first ${MAX_REFERENCES} references with @ were resolved; the rest stays text.`);
  return { replacements, notes };
}

/** The existing files decide where the name ends. */
export async function fitToFile(
  text: string,
  reference: TextReference,
  references: FileReferences,
): Promise<TextReference> {
  const longer = await lengthen(text, reference, references);
  return longer === reference ? shorten(text, reference, references) : longer;
}

/** Punctuation after a name in a sentence, or a suffix that names the line of the file. */
const BEHIND = /(?::\d+(?:[-:,]\d+)*)?[:'"`*_>]*$/;

async function shorten(text: string, reference: TextReference, references: FileReferences): Promise<TextReference> {
  const { name, end } = reference;
  const behind = BEHIND.exec(name)?.[0] ?? '';
  const isThere = behind !== '' && behind !== name && text.slice(0, end).endsWith(behind);
  if (!isThere || (await references.exists(name))) return reference;
  const shorter = name.slice(0, -behind.length);
  return (await references.exists(shorter)) ? { ...reference, name: shorter, end: end - behind.length } : reference;
}

/** A file name with brackets, as routes of web frameworks have, counts as a whole. */
async function lengthen(text: string, reference: TextReference, references: FileReferences): Promise<TextReference> {
  if (!/[,;!?()[\]{}]/.test(text[reference.end] ?? '')) return reference;
  const rest = /^\S*/.exec(text.slice(reference.end, reference.end + MAX_LENGTHENED))?.[0] ?? '';
  for (let length = rest.length; length > Math.max(0, rest.length - MAX_ENDS); length--) {
    if (length < rest.length && !/[.,;:!?)\]}'"]/.test(rest[length]!)) break;
    const name = reference.name + rest.slice(0, length);
    if (await references.exists(name)) return { ...reference, name, end: reference.end + length };
  }
  return reference;
}

/** A name that is none of a user, a package or a decorator. */
export function isLikeAFile(name: string): boolean {
  return LIKE_A_FILE.test(name);
}

function toNote(name: string, resolved: ResolvedReference): string | undefined {
  switch (resolved.kind) {
    case 'outside':
      return `@${name} was skipped: it is outside the workspace.`;
    case 'ignored':
      return `@${name} was skipped: ${resolved.reason}.`;
    case 'missing':
      return isLikeAFile(name) ? `@${name} stays text: ${resolved.reason}.` : undefined;
    case 'directory':
    case 'pattern':
      return undefined;
    case 'file':
      return isSame(name, resolved.name) ? undefined : `@${name} resolved to ${resolved.name}.`;
  }
}

/** Whatever form the path has. */
function isSame(name: string, resolved: string): boolean {
  return resolved.endsWith(name.replace(/^\.\//, '')) || name.endsWith(`/${resolved}`);
}

function rewrite(text: string, replacements: readonly Replacement[]): string {
  let result = '';
  let position = 0;
  for (const { start, end, resolved } of replacements) {
    result += `${text.slice(position, start)}@${resolved.name}`;
    position = end;
  }
  return result + text.slice(position);
}

function toFrame(files: readonly { name: string; parts: Part[] }[], problems: readonly string[]): Part[] {
  const contents = files.flatMap(({ name, parts }) => [{ text: `\nContent from @${name}:\n` }, ...parts]);
  const unread = problems.length > 0 ? [{ text: `\n(Not read: ${problems.join('; ')})` }] : [];
  return [{ text: OPENING }, ...contents, ...unread, { text: CLOSING }];
}
