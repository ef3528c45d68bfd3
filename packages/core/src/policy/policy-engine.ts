/**
 * PolicyEngine: decides on one call. It owns the order of checks: rules by priority, then
 * protected places, then safety checkers, then the ceiling of plan mode, and last the case
 * where the user cannot be asked. It changes nothing but its own list of rules.
 */

import { resolve } from 'node:path';
import { ArgumentTexts, cleanArguments, isForeign } from './argument-texts.ts';
import { realPathOf } from './policy-disk.ts';
import type { ProtectedPlaces } from './protected-paths.ts';
import { pathArguments, protectedPlaceOf, spellsPlace } from './protected-paths.ts';
import { HARMLESS_KINDS, READING_TOOLS } from './reading-tools.ts';
import { AGENT_TOOL, isMcp, matchesCall, SHELL_TOOL } from './rule-matching.ts';
import type { PolicyCall, PolicyContext, PolicyDecision, PolicyRule, SafetyChecker } from './rule.ts';
import { byPriority, isDeliberate, isNarrowed, NO_RULE, ruleReason } from './rule.ts';
import type { CommandVerdict } from './shell/command-judge.ts';
import type { judgeShell } from './shell/judge-shell.ts';
import { isInside } from '../util/is-inside.ts';

export interface PolicyEngineOptions {
  rules: readonly PolicyRule[];
  checkers?: readonly SafetyChecker[];
  /** The base of relative paths and of commands. */
  root: string;
  home: string;
  /** Absent means the root only. */
  workspaceDirectories?: readonly string[];
  /** The program's own folder for temporary files; a protected name above it does not count. */
  tempDirectory?: string;
  plansDirectory?: string;
  /** Absent means trusted. */
  trustedFolder?: boolean;
  /** Whether commands get a git that runs nothing a repository configures; a way around it asks. Absent means no. */
  guardsGit?: boolean;
}

export interface PolicyVerdict {
  decision: PolicyDecision;
  /** The reason, worded for the user. */
  reason: string;
  /** Set with `deny`: the message for the model. */
  denyMessage?: string | undefined;
  /** The rule that decided, if any. */
  rule?: PolicyRule | undefined;
  /** Whether the user should have been asked but cannot be. */
  unanswerable?: boolean | undefined;
  /** For a shell command: the part of the line that decided; absent when the line as a whole did. */
  part?: string | undefined;
  /** For a shell command: the commands found in it. */
  commands?: readonly CommandVerdict[];
  problems?: readonly string[];
  /** For a shell command: whether it may write a file of environment variables, as far as that can be foreseen. */
  writesEnvironment?: boolean;
}

const TOOL_ALIASES: Readonly<Record<string, string>> = { search_file_content: 'grep_search' };
/** Names come from the model; more of them than there are tools are not remembered. */
const MAX_TOOLS = 200;
const PLAN_MESSAGE =
  'You are in Plan Mode: only reading is possible, and writing a plan (.md) into the plans folder. Leave plan mode first.';

export class PolicyEngine {
  private readonly options: PolicyEngineOptions;
  private readonly places: ProtectedPlaces;
  private readonly workspace: readonly string[];
  private rulesByPriority: PolicyRule[];
  /** The rules that match whatever the arguments, by everything else about a call of our own tools. */
  private readonly rulesByTool = new Map<string, readonly PolicyRule[]>();
  /** Loaded by the first command. */
  private judgeShell: typeof judgeShell | undefined;
  /** Commands that changed a file of environment variables in this session. */
  private readonly environmentWriters = new Set<string>();

  constructor(options: PolicyEngineOptions) {
    this.options = options;
    this.rulesByPriority = [...options.rules].sort(byPriority);
    this.workspace = options.workspaceDirectories ?? [options.root];
    const temporary =
      options.tempDirectory === undefined ? [] : [options.tempDirectory, realPathOf(options.tempDirectory)];
    this.places = { home: options.home, exempt: temporary, environmentFiles: true };
  }

  get rules(): readonly PolicyRule[] {
    return this.rulesByPriority;
  }

  /** For answers of "always": applies until the session ends. */
  addRule(rule: PolicyRule): void {
    this.rulesByPriority = [...this.rulesByPriority, rule].sort(byPriority);
    this.rulesByTool.clear();
  }

  /**
   * A command line was seen to change a file of environment variables: its commands ask from now on, and an answer of
   * "always" given before does not cover them. A rule that spells one still does.
   */
  async noteEnvironmentWriter(line: string): Promise<void> {
    const { noteWriters } = await import('./shell/environment-writers.ts');
    this.rulesByPriority = await noteWriters(line, this.environmentWriters, this.rulesByPriority);
    this.rulesByTool.clear();
  }

  async check(asked: PolicyCall, context: PolicyContext): Promise<PolicyVerdict> {
    const call = canonicalCall(asked);
    const rules = this.rulesFor(call, context);
    const { command } = call.args;
    let verdict: PolicyVerdict;
    if (call.toolName === SHELL_TOOL && typeof command === 'string') {
      verdict = await this.checkShell(call, command, rules, context);
    } else {
      verdict = this.guard(call, this.decide(call, rules), context);
    }
    verdict = this.ceiling(call, verdict, context);
    if (verdict.decision === 'allow' || (verdict.decision === 'ask_user' && context.interactive)) return verdict;
    return (await import('./denial-words.ts')).withDenialWords(verdict, call, context);
  }

  /** The same rules for another folder. */
  at(place: Pick<PolicyEngineOptions, 'root' | 'workspaceDirectories'>): PolicyEngine {
    return new PolicyEngine({ ...this.options, rules: this.rulesByPriority, ...place });
  }

  /** The base of relative paths. */
  get root(): string {
    return this.options.root;
  }

  /** The matching rules, arguments aside. Most calls of a session are of a few tools, in one mode. */
  private rulesFor(call: PolicyCall, context: PolicyContext): readonly PolicyRule[] {
    const find = () => this.rulesByPriority.filter((rule) => matchesCall(rule, call, context));
    const { toolName, kind, annotations, subagent, mcpServer } = call;
    if (annotations !== undefined || subagent !== undefined || mcpServer !== undefined || toolName === AGENT_TOOL)
      return find();
    // The name comes last: it alone may hold a space.
    const key = `${context.mode} ${context.interactive} ${kind} ${toolName}`;
    let rules = this.rulesByTool.get(key);
    if (!rules) {
      rules = find();
      if (this.rulesByTool.size >= MAX_TOOLS) this.rulesByTool.clear();
      this.rulesByTool.set(key, rules);
    }
    return rules;
  }

  private decide(call: PolicyCall, rules: readonly PolicyRule[]): PolicyVerdict {
    const texts = new ArgumentTexts(call, this.options.root);
    const rule = rules.find(
      (candidate) => (candidate.planFile !== true || this.isPlanFile(call)) && texts.matches(candidate),
    );
    return rule === undefined
      ? { decision: 'ask_user', reason: NO_RULE }
      : { decision: rule.decision, reason: ruleReason(rule), rule };
  }

  private isPlanFile({ args }: PolicyCall): boolean {
    const { plansDirectory, root } = this.options;
    const path = args['file_path'];
    if (plansDirectory === undefined || typeof path !== 'string' || !path.endsWith('.md')) return false;
    return isInside(realPathOf(resolve(root, path)), realPathOf(plansDirectory));
  }

  private async checkShell(
    call: PolicyCall,
    command: string,
    rules: readonly PolicyRule[],
    context: PolicyContext,
  ): Promise<PolicyVerdict> {
    this.judgeShell ??= (await import('./shell/judge-shell.ts')).judgeShell;
    const { root, home, tempDirectory, trustedFolder = true, guardsGit = false } = this.options;
    const folder = call.args['dir_path'];
    return this.judgeShell(command, home, {
      ...context,
      rules,
      trustedFolder,
      guardsGit,
      args: call.args,
      directory: typeof folder === 'string' ? resolve(root, folder) : root,
      workspace: this.workspace,
      scratch: ['/tmp', '/var/tmp', ...(tempDirectory === undefined ? [] : [tempDirectory])],
      places: this.placesIn(context),
      environmentWriters: this.environmentWriters,
    });
  }

  /** Yolo mode may write files of environment variables like any other file. */
  private placesIn({ mode }: PolicyContext): ProtectedPlaces {
    return { ...this.places, environmentFiles: mode !== 'yolo' };
  }

  /** Checks allowed calls of tools that take paths. */
  private guard(call: PolicyCall, verdict: PolicyVerdict, context: PolicyContext): PolicyVerdict {
    if (verdict.decision !== 'allow') return verdict;
    const ask = (reason: string): PolicyVerdict => ({ ...verdict, decision: 'ask_user', reason });
    for (const path of this.writtenPaths(call)) {
      const place = protectedPlaceOf(path, this.options.root, this.placesIn(context));
      if (place !== undefined && !namesPlace(verdict.rule, place)) return ask(`${path} is in a protected place`);
    }
    for (const { checker, toolName, modes } of this.options.checkers ?? []) {
      if ((toolName !== '*' && toolName !== call.toolName) || modes?.includes(context.mode) === false) continue;
      if (checker !== 'allowed-path') return ask(`the safety checker ${checker} is not available here`);
      const outside = this.writtenPaths(call).find((path) => !this.isInWorkspace(path));
      if (outside !== undefined) return ask(`${outside} is outside the workspace`);
    }
    return verdict;
  }

  private writtenPaths(call: PolicyCall): string[] {
    if (call.toolName === 'write_file' || call.toolName === 'replace') {
      const path = call.args['file_path'];
      return typeof path === 'string' ? [path] : [];
    }
    const changes = call.kind === 'edit' || call.kind === 'delete' || call.kind === 'move';
    if (!changes && !(isForeign(call) && !isTrustedToRead(call))) return [];
    return pathArguments(call.args);
  }

  private isInWorkspace(path: string): boolean {
    const real = realPathOf(resolve(this.options.root, path));
    const { tempDirectory } = this.options;
    return [...this.workspace, ...(tempDirectory === undefined ? [] : [tempDirectory])].some((directory) =>
      isInside(real, realPathOf(directory)),
    );
  }

  /** Plan mode applies last: only a rule that names the mode overrides it. */
  private ceiling(call: PolicyCall, verdict: PolicyVerdict, { mode }: PolicyContext): PolicyVerdict {
    if (mode !== 'plan' || verdict.decision === 'deny' || !isMutating(call)) return verdict;
    const { commands } = verdict;
    const decided: readonly Pick<CommandVerdict, 'rule' | 'command'>[] | undefined = commands?.filter(
      ({ reason }) => !reason.startsWith('looked through'),
    );
    const above = (decided ?? [verdict]).find(({ rule }) => rule?.modes?.includes('plan') !== true);
    if (above === undefined) return verdict;
    const part = commands !== undefined && commands.length > 1 && 'command' in above ? above.command : undefined;
    const reason = 'plan mode does not allow changes';
    return { ...verdict, decision: 'deny', reason, part, denyMessage: PLAN_MESSAGE };
  }

  /**
   * Tools denied for any arguments, which are therefore not offered to the model: the
   * highest rule that ignores arguments denies them.
   */
  staticallyDenied(tools: readonly Omit<PolicyCall, 'args'>[], context: PolicyContext): string[] {
    return tools.filter((tool) => this.staticDenial(tool, context)).map(({ toolName }) => toolName);
  }

  /** The rule that denies a tool for any arguments, if one does; undefined when some call of it may be allowed. */
  staticDenial(tool: Omit<PolicyCall, 'args'>, context: PolicyContext): { rule?: PolicyRule } | undefined {
    const call = canonicalCall({ ...tool, args: {} });
    for (const rule of this.rulesByPriority) {
      if (!matchesCall(rule, call, context)) continue;
      if (!isNarrowed(rule)) return rule.decision === 'deny' ? { rule } : undefined;
      if (rule.decision !== 'deny' && (call.toolName === SHELL_TOOL || rule.commandPrefix === undefined))
        return undefined;
    }
    return context.interactive ? undefined : {};
  }
}

function canonicalCall(call: PolicyCall): PolicyCall {
  const toolName = Object.hasOwn(TOOL_ALIASES, call.toolName) ? TOOL_ALIASES[call.toolName] : undefined;
  const named = toolName === undefined ? call : { ...call, toolName };
  return { ...named, args: cleanArguments(named) };
}

/** Only a user's rule that names the place allows it. */
function namesPlace(rule: PolicyRule | undefined, place: string): boolean {
  if (rule === undefined || !isDeliberate(rule) || rule.argsPattern === undefined) return false;
  return spellsPlace(rule.argsPattern.source, place);
}

/** In addition to reading tools: some of these ask the user, but change nothing either. */
const HARMLESS_TOOLS = new Set([
  ...READING_TOOLS,
  ...['web_fetch', 'ask_user', 'enter_plan_mode', 'exit_plan_mode', 'activate_skill', AGENT_TOOL],
]);

/** A server's statement on its own tool is only a hint, unless the user trusts the server. */
function isTrustedToRead({ isTrustedServer, annotations }: PolicyCall): boolean {
  const isReading = annotations?.['readOnlyHint'] === true && annotations['destructiveHint'] !== true;
  return isTrustedServer === true && isReading;
}

function isMutating(call: PolicyCall): boolean {
  if (isMcp(call)) return !isTrustedToRead(call) && !HARMLESS_TOOLS.has(call.toolName);
  // Not by name: a caller's own tool may have the name of a built-in one and change anything.
  if (call.kind !== undefined) return !HARMLESS_KINDS.includes(call.kind);
  return !HARMLESS_TOOLS.has(call.toolName) && !call.toolName.startsWith('tracker_');
}
