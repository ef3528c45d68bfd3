/**
 * Adapts the policy engine to the scheduler's port: it keeps in one place what changes
 * while a session runs, the approval mode and the rules of "always".
 */

import type { ApprovalMode } from '../policy/approval-mode.ts';
import type { PolicyEngine, PolicyVerdict as EngineVerdict } from '../policy/policy-engine.ts';
import { SHELL_TOOL } from '../policy/rule-matching.ts';
import type { PolicyCall, PolicyContext, PolicyRule } from '../policy/rule.ts';
import { effectivePriority, NO_RULE, ruleReason, SANDBOX_RULE_SOURCE } from '../policy/rule.ts';
import { saveRules, savedRulesPath } from '../policy/saved-rules.ts';
import type { ServerToolApprovals } from '../policy/server-tool-approvals.ts';
import type { DefinedTool, ToolKind } from '../protocol/tools.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import type {
  DecidingRule,
  PolicyPort,
  PolicyQuestion,
  PolicyVerdict,
  RememberedApproval,
} from '../scheduler/ports.ts';
import { joinSentences } from '../util/join-sentences.ts';

export interface PolicyAdapterOptions {
  engine: PolicyEngine;
  mode: ApprovalMode;
  interactive: boolean;
  home: string;
  /** False: every approval covers one call, whatever its outcome. Default true. */
  allowsAlways?: boolean;
  /** Default true. */
  hasPlanMode?: boolean;
  /** Calls without a question: a rule may still deny them. */
  isPreapproved?: (question: PolicyQuestion) => boolean;
  /** Called when a rule could not be saved; it then applies to this session only. */
  onProblem?: ((message: string) => void) | undefined;
  onModeChange?: (mode: ApprovalMode) => void;
  /** What the user does about a refusal. */
  hints?: UserHints | undefined;
  /** Has the mode of both. */
  leader?: PolicyAdapter;
}

const PATCH_TOOL = 'apply_patch';
/** The tools whose rules cover the edits of a patch. */
const EDIT_TOOLS = ['replace', 'write_file'] as const;
const STRICTNESS: Readonly<Record<PolicyVerdict['decision'], number>> = { allow: 0, ask_user: 1, deny: 2 };

/** Rules on edits cover the edits of a patch. */
async function editsOf(question: PolicyQuestion): Promise<PolicyQuestion[]> {
  if (question.toolName !== PATCH_TOOL) return [question];
  return (await import('./patch-edits.ts')).editsOfPatch(question);
}

const MAX_FORESEEN = 100;
const REMOTE_PRIORITY = 130;
const REMOTE_RULE = 'the rule for remote agents';
const EDITS: ReadonlySet<ToolKind> = new Set<ToolKind>(['edit']);

export class PolicyAdapter implements PolicyPort {
  private current: ApprovalMode;
  private readonly options: PolicyAdapterOptions;
  /** Cached by mode and tool: checked for every tool before every turn, and seldom changed. */
  private readonly offered = new Map<string, boolean>();
  /** The latest command lines that were judged to write a file of environment variables, or to be able to. */
  private readonly foreseen = new Set<string>();
  /** Loaded by the first call of a server's tool. */
  private approvals: Promise<ServerToolApprovals> | undefined;

  constructor(options: PolicyAdapterOptions) {
    this.options = options;
    this.current = options.mode;
  }

  get mode(): ApprovalMode {
    return this.options.leader?.mode ?? this.current;
  }

  set mode(mode: ApprovalMode) {
    const { leader } = this.options;
    if (leader) leader.mode = mode;
    if (mode === this.current) return;
    this.current = mode;
    this.options.onModeChange?.(mode);
  }

  get canAsk(): boolean {
    return this.options.interactive;
  }

  get hasPlanMode(): boolean {
    return this.options.hasPlanMode ?? true;
  }

  /** The same rules for another folder; the mode stays this one's. */
  at(place: Parameters<PolicyEngine['at']>[0]): PolicyAdapter {
    const { onModeChange: _told, ...options } = this.options;
    return new PolicyAdapter({ ...options, engine: options.engine.at(place), leader: this });
  }

  /** From now on starting this remote agent asks, unless a rule of the user decides or the mode allows everything. */
  askBeforeAgent(name: string): void {
    const { engine } = this.options;
    if (engine.rules.some((rule) => rule.toolName === name && rule.source.name === REMOTE_RULE)) return;
    engine.addRule({
      toolName: name,
      decision: 'ask_user',
      kind: 'builtin',
      priority: effectivePriority('builtin', REMOTE_PRIORITY),
      modes: ['default', 'autoEdit'],
      source: { name: REMOTE_RULE },
    });
  }

  /** The active rules, including those of this session. */
  get rules(): readonly PolicyRule[] {
    return this.options.engine.rules;
  }

  async check(question: PolicyQuestion): Promise<PolicyVerdict> {
    return this.decide(question, { interactive: this.options.interactive });
  }

  /** For a command the user runs directly: checked as interactive, so that `ask_user` never denies it. */
  async checkForPerson(question: PolicyQuestion): Promise<PolicyVerdict> {
    return this.decide(question, { interactive: true });
  }

  /** A patch is judged as the edits it consists of, and by rules on patches: the strictest verdict counts. */
  private async decide(question: PolicyQuestion, terms: { interactive: boolean }): Promise<PolicyVerdict> {
    let strictest = await this.decideOn(question, terms);
    if (question.toolName !== PATCH_TOOL) return strictest;
    for (const edit of await editsOf(question)) {
      const verdict = await this.decideOn(edit, terms);
      if (STRICTNESS[verdict.decision] > STRICTNESS[strictest.decision]) strictest = verdict;
    }
    return strictest;
  }

  private async decideOn(question: PolicyQuestion, { interactive }: { interactive: boolean }): Promise<PolicyVerdict> {
    const context = { mode: this.mode, interactive };
    const call = toPolicyCall(question);
    const verdict = await this.options.engine.check(call, context);
    const { decision, unanswerable, reason, part, rule, writesEnvironment } = verdict;
    if (writesEnvironment) this.foresee(question.args['command']);
    const isQuestion = decision === 'ask_user' || unanswerable === true;
    if (isQuestion && this.options.isPreapproved?.(question))
      return { decision: 'allow', decidedBy: { source: 'the active skill' } };
    const decidedBy = toDecidingRule(rule, reason);
    const { server } = question;
    const change = decision === 'allow' && server && rule && (await this.openApprovals()).changeSince(server, rule);
    if (change) {
      // A rule that the user wrote stands beside the answer, whatever the tool is by now.
      const approvals = await this.openApprovals();
      const isIgnored = (each: PolicyRule) => approvals.isAnswer(each);
      const beside = await this.options.engine.check(call, { ...context, isIgnored });
      if (beside.decision === 'allow')
        return { decision: 'allow', decidedBy: toDecidingRule(beside.rule, beside.reason) };
      if (interactive) return { decision: 'ask_user', reason: change, decidedBy };
      return {
        decision: 'deny',
        decidedBy,
        unanswerable: true,
        denyMessage: joinSentences(
          `${change} A run without a user cannot ask again.`,
          this.options.hints?.allowChangedTool?.(question.toolName),
        ),
      };
    }
    const isOwnReason = decision === 'ask_user' && reason !== (rule === undefined ? NO_RULE : ruleReason(rule));
    const told =
      call.toolName === SHELL_TOOL && decision !== 'allow' ? await this.tell(verdict, call, context) : verdict;
    return {
      decision,
      denyMessage: told.denyMessage,
      unanswerable,
      decidedBy,
      ...((isOwnReason || (decision === 'ask_user' && part !== undefined)) && { reason: told.reason }),
    };
  }

  private async tell(verdict: EngineVerdict, call: PolicyCall, context: PolicyContext): Promise<EngineVerdict> {
    const { engine, hints } = this.options;
    return (await import('../policy/tell-command.ts')).tellCommand(verdict, call, { ...context, engine, hints });
  }

  /** Whether a change of a file of environment variables by this command line was asked about, or allowed by a rule. */
  foresees(command: string): boolean {
    return this.foreseen.has(command);
  }

  private foresee(command: unknown): void {
    if (typeof command !== 'string') return;
    const [oldest] = this.foreseen;
    if (this.foreseen.size >= MAX_FORESEEN && oldest !== undefined) this.foreseen.delete(oldest);
    this.foreseen.add(command);
  }

  /** From now on the commands of this line ask again. */
  async noteEnvironmentWriter(command: string): Promise<void> {
    await this.options.engine.noteEnvironmentWriter(command);
  }

  async describeAlways(question: PolicyQuestion): Promise<string[]> {
    const { describeTarget, targetsOfAlways } = await import('../policy/always-rule.ts');
    const { root } = this.options.engine;
    const calls = await editsOf(question);
    const targets = await Promise.all(calls.map((call) => targetsOfAlways(toPolicyCall(call), 'proceed_always', root)));
    return targets.flat().map(describeTarget);
  }

  async remember({ outcome, ...question }: RememberedApproval): Promise<void> {
    const { kind, server } = question;
    if (this.options.allowsAlways === false) return;
    // "Always" for an edit means: stop asking about edits in this session.
    if (outcome === 'proceed_always' && EDITS.has(kind) && this.mode === 'default') this.mode = 'autoEdit';
    const { sessionRule, targetsOfAlways } = await import('../policy/always-rule.ts');
    const { root } = this.options.engine;
    const calls = await editsOf(question);
    const targets = (await Promise.all(calls.map((call) => targetsOfAlways(toPolicyCall(call), outcome, root)))).flat();
    for (const target of targets) this.options.engine.addRule(sessionRule(target, this.mode));
    this.offered.clear();
    const isSaved = outcome === 'proceed_always_and_save';
    const isForAll = outcome === 'proceed_always_server';
    const problem = server && (await this.openApprovals()).remember(server, { isSaved, isForAll });
    if (problem !== undefined) this.options.onProblem?.(problem);
    if (isSaved) await this.save(targets);
  }

  /** A tool that is denied for all arguments is not offered. */
  isOffered(tool: DefinedTool): boolean {
    const key = `${this.mode} ${tool.name}`;
    const known = this.offered.get(key);
    if (known !== undefined) return known;
    const isOffered = this.denialOf(tool) === undefined;
    this.offered.set(key, isOffered);
    return isOffered;
  }

  /** Why a tool is not offered: by a rule, or, without one, because the run cannot ask. */
  denialOf({ name, kind, server }: DefinedTool): { rule?: PolicyRule } | undefined {
    const { engine, interactive } = this.options;
    const names = name === PATCH_TOOL ? [name, ...EDIT_TOOLS] : [name];
    for (const toolName of names) {
      const call = toPolicyCall({ toolName, args: {}, kind, server });
      const denial = engine.staticDenial(call, { mode: this.mode, interactive });
      if (denial) return denial;
    }
    return undefined;
  }

  /** Whether a tool is not offered because the run cannot ask about it. */
  isUnanswerable(tool: DefinedTool): boolean {
    const denial = this.denialOf(tool);
    if (!denial?.rule) return denial !== undefined;
    // The built-in denial for runs without a user is a question that cannot be asked.
    return denial.rule.kind === 'builtin' && denial.rule.interactive === false;
  }

  private openApprovals(): Promise<ServerToolApprovals> {
    const { leader } = this.options;
    if (leader) return leader.openApprovals();
    this.approvals ??= import('../policy/server-tool-approvals.ts').then(
      (module) => new module.ServerToolApprovals(this.options.home),
    );
    return this.approvals;
  }

  private async save(targets: Parameters<typeof saveRules>[1]): Promise<void> {
    try {
      await saveRules(savedRulesPath(this.options.home), targets, this.mode);
    } catch (error) {
      this.options.onProblem?.(`The rule could not be saved and applies to this session only: ${String(error)}`);
    }
  }
}

/** Without its patterns: those of an answer in this session hold words of the command. */
function toDecidingRule(rule: PolicyRule | undefined, reason: string): DecidingRule {
  if (!rule) return { source: reason === NO_RULE ? NO_RULE : 'a built-in check' };
  const { name, line } = rule.source;
  const source = line === undefined ? name : `${name}:${line}`;
  return { rule: rule.toolName, source, ...(name === SANDBOX_RULE_SOURCE && { isSandbox: true }) };
}

function toPolicyCall({ toolName, args, kind, server, subagent }: PolicyQuestion): PolicyCall {
  const call = { toolName, args, kind, ...(subagent !== undefined && { subagent }) };
  if (!server) return call;
  const { name: mcpServer, tool: mcpTool, annotations, isTrusted: isTrustedServer, isProject } = server;
  const ofProject = isProject === true && { isProjectServer: true };
  return { ...call, mcpServer, mcpTool, annotations, isTrustedServer, ...ofProject };
}
