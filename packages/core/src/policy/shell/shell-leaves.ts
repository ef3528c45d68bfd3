/**
 * Finds every command a line would run, wrappers included: `sudo sh -c 'rm x'` gives
 * three. Each leaf knows the wrappers around it. The search is bounded in depth and
 * number; beyond the bound the line counts as unreadable.
 */

import { findRisks, locatedName, risksBehind } from './command-risks.ts';
import { isRunner, systemCommandIn } from './command-runners.ts';
import type { Risk } from './risk.ts';
import { parseShellLine } from './shell-command.ts';
import { isReadByBash } from './shell-invocation.ts';
import { holdsCode, renamesCommands, scriptInVariable } from './code-variables.ts';
import type { LineVariables } from './line-variables.ts';
import { baseName, clipped, mayBecomeSeveral } from './shell-line.ts';
import type { ShellAssignment, ShellLine, SimpleCommand } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';
import { isWrapper, unwrap } from './shell-wrappers.ts';
import { isHiddenCode } from './unwrapped.ts';
import type { Inner, Unwrapped } from './unwrapped.ts';
import { assignmentRisk } from './variable-risks.ts';

export interface Leaf {
  command: SimpleCommand;
  /** The command that has this one in its arguments. */
  parent?: Leaf | undefined;
  /** The index of the parent's word where it begins. */
  start: number;
  /** Names of the wrappers around it, outermost first. */
  within: readonly string[];
  /** A wrapper without its own effect: only rules that name it apply to it. */
  transparent: boolean;
  /** Whether its command may also begin further right: not all its options are known. */
  wrapper: boolean;
  /** Whether it runs one of its words, or the text in one, and only the program knows which. */
  runner: boolean;
  risks: Risk[];
  /** Folders it changes to before it runs its inner command. */
  directories: readonly ShellWord[];
}

export interface ShellReading {
  leaves: Leaf[];
  problems: string[];
}

const MAX_DEPTH = 12;
const MAX_LEAVES = 40_000;
const MAX_PROBLEMS = 20;

/** Needs `loadShellParser` first. */
export function readShellLine(source: string, variables: ReadonlyMap<string, string> = new Map()): ShellReading {
  const reading: ShellReading = { leaves: [], problems: [] };
  const line = parseShellLine(source, variables);
  addLine(line, { reading, variables, depth: 0, within: [], start: 0, aliases: new Map() });
  return reading;
}

interface Place {
  reading: ShellReading;
  variables: ReadonlyMap<string, string>;
  depth: number;
  within: readonly string[];
  parent?: Leaf;
  start: number;
  /** What the line around sets. */
  outer?: LineVariables | undefined;
  /** Variables that are set for this command only. */
  assignments?: readonly ShellAssignment[];
  /** Whether a function of the line runs exactly the arguments it is called with. */
  passesOn?: boolean;
  /** The aliases of the whole line. */
  aliases: Map<string, string>;
}

function addLine(line: ShellLine, place: Place): void {
  // Some lines repeat a mistake without end; the first ones are enough.
  const { problems } = place.reading;
  if (problems.length < MAX_PROBLEMS) problems.push(...line.problems.slice(0, MAX_PROBLEMS));
  const names = line.commands.map(({ words }) => words[0]);
  const passesOn = names.some((head) => head !== undefined && isAllArguments(head));
  const isShifted = names.some((head) => /^(?:shift|set)$/.test(head?.value ?? ''));
  const inside = { ...place, outer: line.variables, passesOn: passesOn && !isShifted };
  for (const command of line.commands) addCommand(command, inside, false);
}

function addCommand(command: SimpleCommand, place: Place, moreArguments: boolean): void {
  if (isTooDeep(place)) return;
  const [head] = command.words;
  const name = head === undefined ? '' : baseName(head);
  const unwrapped = unwrap(command) ?? runnerOf(command);
  const assigned = [...command.assignments, ...unwrapped.assignments.map(assignmentOf)];
  const leaf: Leaf = {
    command,
    start: place.start,
    within: place.within,
    transparent: unwrapped.transparent,
    wrapper: unwrapped.inner.length > 0 || isWrapper(name),
    runner: isRunner(command.words),
    risks: findRisks(command, { moreArguments }),
    directories: unwrapped.directories,
    parent: place.parent,
  };
  place.reading.leaves.push(leaf);
  addOwnRisks(leaf, unwrapped, moreArguments);
  const inside: Place = {
    ...place,
    depth: place.depth + 1,
    within: [...place.within, name],
    parent: leaf,
    assignments: assigned.length === 0 ? (place.assignments ?? []) : [...(place.assignments ?? []), ...assigned],
  };
  for (const inner of [...unwrapped.inner, ...calledBy(command, place)]) addInner(inner, leaf, inside, moreArguments);
  if (place.passesOn === true) showArguments(leaf);
  addRiskScripts(leaf, inside);
  addVariableScripts(leaf, assigned, inside);
  addPossibleNames(leaf, inside, moreArguments);
  addAliases(leaf, name, inside);
}

function addOwnRisks(leaf: Leaf, unwrapped: Unwrapped, moreArguments: boolean): void {
  const [head] = leaf.command.words;
  const name = head === undefined ? '' : baseName(head);
  if (moreArguments && isWrapper(name) && unwrapped.inner.length === 0) {
    leaf.transparent = false;
    const reason = `${name} runs commands known only at run time`;
    leaf.risks.push({ reason, word: '', unreadable: true, hidden: true });
  }
  for (const assignment of unwrapped.assignments) leaf.risks.push(...assignmentRisk(assignment.name));
  if (PRIVILEGED.has(name)) {
    leaf.risks.push({ reason: `${name} changes the privileges of a command`, word: name, unreadable: false });
  }
  if (leaf.runner) leaf.risks.push(...risksBehind(leaf.command));
}

/** What the arguments run is checked where the function is called. */
function showArguments(leaf: Leaf): void {
  const [head] = leaf.command.words;
  if (head === undefined || !isAllArguments(head) || head.open === true) return;
  leaf.risks = leaf.risks.map((risk) => ({ ...risk, hidden: undefined }));
}

/** A command that is all arguments of the function around it. */
function isAllArguments({ text }: ShellWord): boolean {
  return /^"?\$@"?$/.test(text);
}

/** `f() { "$@"; }; f npm test` runs `npm test`. */
function calledBy({ words }: SimpleCommand, { passesOn, outer }: Place): Inner[] {
  const isCall = passesOn === true && words.length > 1 && outer?.redefined.has(words[0]?.value ?? '') === true;
  return isCall ? [{ kind: 'words', words: words.slice(1), start: 1, moreArguments: false }] : [];
}

function assignmentOf({ name, word }: Unwrapped['assignments'][number]): ShellAssignment {
  const rest = (text: string) => (text.startsWith(`${name}=`) ? text.slice(name.length + 1) : text);
  const { value, text, skeleton, candidates } = word;
  const known = candidates === undefined ? {} : { candidates: candidates.map(rest) };
  return { name, value: { ...word, value: rest(value), text: rest(text), skeleton: rest(skeleton), ...known } };
}

/** A variable that something runs is checked like any other script. */
function addVariableScripts(leaf: Leaf, assigned: readonly ShellAssignment[], inside: Place): void {
  const { words } = leaf.command;
  const head = words[0]?.value ?? '';
  const named = /^(?:export|declare|typeset|local|readonly)$/.test(head)
    ? words.slice(1).flatMap((word, index) => namedIn(word, words[index + 2]))
    : [];
  const set = [...assigned, ...named];
  for (const { name, value } of set) {
    if (!holdsCode(name)) continue;
    const script = scriptInVariable(name, value.value);
    if (script !== undefined) addScript(script, inside);
    if (renamesCommands(name) || (value.kind === 'dynamic' && isHiddenCode(value))) {
      const reason = `the variable ${name} holds code that is known only when it runs: ${clipped(value.text)}`;
      leaf.risks.push({ reason, word: `${name}=`, unreadable: true, hidden: true });
    }
  }
}

/** The parser makes a word of its own of the substitution in `export x=<(…)`. */
function namedIn(word: ShellWord, next: ShellWord | undefined): ShellAssignment[] {
  const name = /^([A-Za-z_]\w*)=/.exec(word.value)?.[1];
  if (name !== undefined && word.value === `${name}=` && next?.text.startsWith('<(') === true)
    return [{ name, value: next }];
  return name === undefined ? [] : [assignmentOf({ name, word })];
}

/** When the line gives the name of a command several values, each is checked as a command. */
function addPossibleNames({ command }: Leaf, inside: Place, moreArguments: boolean): void {
  const [head, ...rest] = command.words;
  if (head?.kind !== 'dynamic') return;
  const located = locatedName(head);
  for (const text of located === undefined ? (head.candidates ?? []) : [located]) {
    const pieces = mayBecomeSeveral(head) ? text.split(/\s+/).filter((piece) => piece !== '') : [text];
    const named = pieces.map((value): ShellWord => ({ value, text: value, kind: 'resolved', skeleton: value }));
    if (named.length === 0) continue;
    addCommand({ ...command, words: [...named, ...rest], assignments: [], redirections: [] }, inside, moreArguments);
  }
}

/** An alias is checked with the words of each command that is called by it. */
function addAliases({ command: { words } }: Leaf, name: string, inside: Place): void {
  if (name === 'alias') {
    for (const { value } of words.slice(1)) {
      const equals = value.indexOf('=');
      if (equals > 0) inside.aliases.set(value.slice(0, equals), value.slice(equals + 1));
    }
    return;
  }
  const text = inside.aliases.get(words[0]?.value ?? '');
  if (text === undefined || inside.within.filter((outer) => outer === name).length > 1) return;
  addScript([text, ...words.slice(1).map((word) => word.text)].join(' '), inside);
}

function runnerOf({ words }: SimpleCommand): Unwrapped {
  const start = systemCommandIn(words);
  const inner: Inner[] = start < 0 ? [] : [{ kind: 'words', words: words.slice(start), start, moreArguments: false }];
  return { inner, transparent: false, assignments: [], directories: [] };
}

/** A command that an option runs is checked like any other command. */
function addRiskScripts({ command: { words }, risks }: Leaf, inside: Place): void {
  for (const { script, word } of risks) {
    if (script === undefined || script === '') continue;
    const at = words.findIndex(({ value }) => value === word);
    const attached = at < 0 || word.includes('=');
    addScript(script, { ...inside, start: attached ? Math.max(at, 0) : at + 1 });
  }
}

function isTooDeep({ reading: { leaves, problems }, depth, within }: Place): boolean {
  if (depth <= MAX_DEPTH && leaves.length <= MAX_LEAVES) return false;
  if (!problems.some((problem) => problem.startsWith(TOO_DEEP) || problem === TOO_MANY))
    problems.push(depth > MAX_DEPTH ? `${TOO_DEEP}: ${clipped(within.join(' > '))}.` : TOO_MANY);
  return true;
}

const TOO_DEEP = `Commands run one another deeper than ${MAX_DEPTH} levels`;
const TOO_MANY = 'The line runs more than 40,000 commands.';
const PRIVILEGED = new Set([
  'sudo',
  'doas',
  'su',
  'pkexec',
  'runuser',
  'gosu',
  'su-exec',
  'chroot',
  'unshare',
  'nsenter',
  'setpriv',
]);

function addInner(inner: Inner, leaf: Leaf, inside: Place, moreArguments: boolean): void {
  if (inner.kind === 'unreadable') {
    leaf.risks.push({ reason: inner.reason, word: inner.word, unreadable: true, hidden: inner.hidden });
    return;
  }
  if (inner.kind === 'script') {
    addScript(inner.text, { ...inside, start: inner.start }, inner.positional);
    return;
  }
  const { command } = leaf;
  const words = inner.words;
  addCommand(
    {
      words,
      assignments: [],
      redirections: [],
      source: words.map(({ text }) => text).join(' '),
      input: command.input,
      openInput: command.openInput,
      feed: command.feed,
      piped: command.piped,
      substitutions: command.substitutions,
    },
    { ...inside, start: inner.start },
    inner.moreArguments || moreArguments,
  );
}

function addScript(text: string, place: Place, positional: readonly ShellWord[] = []): void {
  if (isTooDeep(place)) return;
  const outer = { variables: place.outer, positional, assignments: place.assignments ?? [] };
  addLine(parseShellLine(text, place.variables, isReadByBash(place.within), outer), place);
}
