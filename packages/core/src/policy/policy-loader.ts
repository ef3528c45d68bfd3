/**
 * Finds and loads the rules of all sources, and those that follow from settings. It
 * reports errors in what it read; the caller decides whether they stop the program.
 */

import type { Source, SourceKind } from '../protocol/source.ts';
import { findPlaces } from '../util/find-places.ts';
import { BUILTIN_CHECKERS, BUILTIN_RULES } from './builtin-rules.ts';
import { fileFacts, listTomlFiles, readTextFile } from './policy-disk.ts';
import type { PolicyRule, SafetyChecker } from './rule.ts';
import type { PolicyProblem, RuleTest } from './rules-file.ts';
import type { SettingsRuleFields } from './settings-rules.ts';
import { rulesFromSettings } from './settings-rules.ts';
import { getErrorMessage } from '../protocol/errors.ts';

export interface PolicyLoaderOptions {
  sources: readonly Source[];
  platform: NodeJS.Platform;
  /** `--policy` or `policyPaths`: files or folders read instead of the user's own folder. */
  policyPaths?: readonly string[] | undefined;
  /** `--admin-policy` or `adminPolicyPaths`: added to the system's folder. */
  adminPolicyPaths?: readonly string[] | undefined;
  settings?: SettingsRuleFields | undefined;
}

export interface LoadedPolicies {
  rules: PolicyRule[];
  checkers: SafetyChecker[];
  tests: RuleTest[];
  /** Errors in files: a written rule is not in force. */
  problems: PolicyProblem[];
  /** Rules and files ignored on purpose. */
  warnings: string[];
  /** Every file that was read. */
  files: string[];
}

export async function loadPolicies(options: PolicyLoaderOptions): Promise<LoadedPolicies> {
  const loaded: LoadedPolicies = {
    rules: [...BUILTIN_RULES, ...rulesFromSettings(options.settings ?? {})],
    checkers: [...BUILTIN_CHECKERS],
    tests: [],
    problems: [],
    warnings: [],
    files: [],
  };
  const { sources, platform, policyPaths = [], adminPolicyPaths = [] } = options;
  for (const path of policyPaths) await readPlace(path, 'user', loaded, { mustExist: true });
  for (const { source, path } of findPlaces(sources, 'policies')) {
    const { kind } = source;
    if (kind === 'user' && policyPaths.length > 0) continue;
    if (kind !== 'system' || isOwnedByRoot(path, platform, loaded)) await readPlace(path, kind, loaded);
  }
  for (const path of adminPolicyPaths) await readPlace(path, 'system', loaded, { mustExist: true });
  return loaded;
}

/** A folder that other users can write to would let them act as the administrator. */
function isOwnedByRoot(directory: string, platform: NodeJS.Platform, loaded: LoadedPolicies): boolean {
  const facts = fileFacts(directory);
  if (facts === undefined || facts.kind !== 'directory') return false;
  if (platform === 'win32') {
    loaded.warnings.push(`${directory} was ignored: Castor cannot check its owner on this system.`);
    return false;
  }
  for (const path of [directory, ...listTomlFiles(directory)]) {
    const { owner, mode } = fileFacts(path) ?? { owner: -1, mode: 0o777 };
    if (owner === 0 && (mode & 0o022) === 0) continue;
    loaded.warnings.push(`${directory} was ignored: ${path} must belong to root and be writable by root only.`);
    return false;
  }
  return true;
}

async function readPlace(
  path: string,
  kind: SourceKind,
  loaded: LoadedPolicies,
  options: { mustExist?: boolean } = {},
): Promise<void> {
  const facts = fileFacts(path);
  if (facts === undefined) {
    if (options.mustExist === true) loaded.problems.push({ file: path, message: 'no such file or folder' });
    return;
  }
  if (facts.kind === 'other') {
    loaded.problems.push({ file: path, message: 'it is neither a file nor a folder' });
    return;
  }
  for (const file of facts.kind === 'directory' ? listTomlFiles(path) : [path]) await readRules(file, kind, loaded);
}

const MAX_FILE_SIZE = 1_000_000;

async function readRules(file: string, kind: SourceKind, loaded: LoadedPolicies): Promise<void> {
  if (fileFacts(file)?.kind !== 'file') {
    loaded.problems.push({ file, message: 'it is not a regular file' });
    return;
  }
  let text: string | undefined;
  try {
    text = readTextFile(file);
  } catch (error) {
    loaded.problems.push({
      file,
      message: `it is not readable: ${getErrorMessage(error)}`,
    });
    return;
  }
  if (text === undefined) return;
  if (text.length > MAX_FILE_SIZE) {
    loaded.problems.push({ file, message: 'it is larger than 1 MB' });
    return;
  }
  const { parseRulesFile } = await import('./rules-file.ts');
  const { rules, checkers, tests, problems } = await parseRulesFile(text, file, kind);
  loaded.files.push(file);
  loaded.rules.push(...rules);
  loaded.checkers.push(...checkers);
  loaded.tests.push(...tests);
  // An extension may only restrict: a rule of it that does not load is reported, and the start goes on.
  if (kind === 'extension')
    loaded.warnings.push(...problems.map((problem) => `${describeProblem(problem)}; Castor ignores this rule.`));
  else loaded.problems.push(...problems);
}

/** A written rule is not in force: its author may rely on a denial that would not happen. */
export class PolicyFileError extends Error {
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super(`invalid policy; correct or remove each place:\n${problems.map(describeProblem).join('\n')}`);
    this.name = 'PolicyFileError';
    this.problems = problems;
  }
}

/** One line for the user: file, line, key and what is wrong. */
export function describeProblem({ file, line, key, message }: PolicyProblem): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${key === undefined ? '' : `${key}: `}${message}`;
}
