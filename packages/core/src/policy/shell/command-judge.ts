/**
 * Decides on one command of a shell line: finds the rule that matches it, and the reasons
 * why an allow does not apply to this form of it. Deny and ask rules apply to any
 * spelling; an allow applies only to what it spells.
 */

import { mentionsProtectedPlace } from '../protected-mentions.ts';
import type { ApprovalMode } from '../approval-mode.ts';
import { isDestructive, isKnownSafe, unreadFile } from './known-commands.ts';
import { LinePlace } from './line-place.ts';
import { spellsPlace } from '../protected-paths.ts';
import {
  CommandTexts,
  coversLine,
  matchesCommand,
  namesBehind,
  prefixWords,
  spells,
  undecidedWord,
} from './command-matching.ts';
import type { PolicyDecision, PolicyRule } from '../rule.ts';
import { isDeliberate, isNarrowed, NO_RULE, ruleReason } from '../rule.ts';
import { baseName, clipped } from './shell-line.ts';
import type { EffectOptions } from './shell-effects.ts';
import { textOf } from './deciding-part.ts';
import { isNothing, isPlain } from './leaf-traits.ts';
import type { Leaf } from './shell-leaves.ts';
import { unguardedGit } from './unguarded-git.ts';
import { unguardedScript } from './unguarded-scripts.ts';

export interface Judgement {
  decision: PolicyDecision;
  reason: string;
  rule?: PolicyRule | undefined;
}

/** One command of the line and the decision on it. */
export interface CommandVerdict extends Judgement {
  command: string;
  /** Wrappers and substitutions around it, outermost first. */
  within: readonly string[];
}

export interface JudgeOptions extends EffectOptions {
  mode: ApprovalMode;
  interactive: boolean;
  trustedFolder: boolean;
  /** Whether commands get a git that runs nothing a repository configures. */
  guardsGit: boolean;
  /** Already limited to the rules for this tool, mode and surface; highest first. */
  rules: readonly PolicyRule[];
  args: Readonly<Record<string, unknown>>;
}

export class CommandJudge {
  private readonly options: JudgeOptions;
  private readonly texts = new Map<Leaf, CommandTexts>();
  /** Lines repeat commands; each plain command is decided once. */
  private readonly known = new Map<string, CommandVerdict>();
  /** Whether a rule denies or asks about particular commands, which unreadable ones may hide. */
  private readonly restricted: boolean;
  private readonly place: LinePlace;
  private readonly leaves: readonly Leaf[];

  constructor(options: JudgeOptions, leaves: readonly Leaf[]) {
    this.options = options;
    this.leaves = leaves;
    this.place = new LinePlace(leaves, options);
    this.restricted = options.rules.some((rule) => rule.decision !== 'allow' && isNarrowed(rule));
  }

  commands(leaves: readonly Leaf[]): CommandVerdict[] {
    const counted = leaves.filter((leaf) => !isNothing(leaf));
    return (counted.length > 0 ? counted : leaves).map((leaf) => this.judge(leaf));
  }

  private judge(leaf: Leaf): CommandVerdict {
    const key = isPlain(leaf) ? leaf.command.source : undefined;
    const known = key === undefined ? undefined : this.known.get(key);
    if (known !== undefined) return known;
    const { decision, reason, rule } = this.decide(leaf);
    const within = [...leaf.within, ...leaf.command.substitutions];
    const verdict = { command: textOf(leaf), within, decision, reason, rule };
    if (key !== undefined) this.known.set(key, verdict);
    return verdict;
  }

  private decide(leaf: Leaf): Judgement {
    const rule = this.ruleFor(leaf);
    const writesFile = leaf.command.redirections.some(({ writes }) => writes);
    if (
      leaf.transparent &&
      leaf.risks.length === 0 &&
      !writesFile &&
      !(rule !== undefined && isNarrowed(rule) && rule.decision !== 'allow')
    ) {
      return { decision: 'allow', reason: 'looked through: what it runs is judged instead' };
    }
    const base: Judgement =
      rule === undefined
        ? { decision: 'ask_user', reason: NO_RULE }
        : { decision: rule.decision, reason: ruleReason(rule), rule };
    if (base.decision === 'deny') return base;
    if (base.decision === 'ask_user') return this.asked(leaf, base);
    return this.objection(leaf, rule) ?? this.redirected(leaf, rule) ?? base;
  }

  /** A known safe command needs no question; otherwise the question states what is unknown about the command. */
  private asked(leaf: Leaf, base: Judgement): Judgement {
    const { rule } = base;
    if (!this.isSafeHere(leaf, rule)) return { ...base, reason: this.unread(leaf, rule) ?? base.reason };
    return this.redirected(leaf, rule) ?? { ...base, decision: 'allow', reason: 'known to be safe' };
  }

  /** The highest rule for this command; a rule that spells an outer command may outrank the command's own. */
  private ruleFor(leaf: Leaf): PolicyRule | undefined {
    const own = this.options.rules.find((rule) => matchesCommand(rule, this.textsOf(leaf)));
    let { start } = leaf;
    for (let outer = leaf.parent; outer !== undefined; outer = outer.parent) {
      const covering = this.options.rules.find((rule) => matchesCommand(rule, this.textsOf(outer)));
      if (covering?.decision === 'allow' && covers(covering, start, leaf) && covering.priority > (own?.priority ?? 0))
        return covering;
      ({ start } = outer);
    }
    return own;
  }

  /** Only a built-in question is skipped for a known safe command: a user's rule applies as written. */
  private isSafeHere(leaf: Leaf, rule: PolicyRule | undefined): boolean {
    if (rule !== undefined && (rule.kind !== 'builtin' || isNarrowed(rule))) return false;
    return (
      leaf.risks.length === 0 &&
      isKnownSafe(leaf.command, { trustedFolder: this.trusts(leaf) }) &&
      this.place.findsOption(leaf.command) === undefined
    );
  }

  /** git runs what the configuration of its folder names; another folder than the workspace is not known to be trusted. */
  private trusts({ command: { words } }: Leaf): boolean {
    if (words[0] === undefined || baseName(words[0]) !== 'git') return true;
    return this.options.trustedFolder && !this.place.leavesWorkspace;
  }

  /** The reason for a question no user rule explains: what the command does beyond its name, or a part unknown before it runs. */
  private unread(leaf: Leaf, rule: PolicyRule | undefined): string | undefined {
    if (rule !== undefined && (rule.kind !== 'builtin' || isNarrowed(rule))) return undefined;
    const risk = leaf.risks.find(({ unreadable }) => unreadable) ?? leaf.risks[0];
    if (risk !== undefined) return risk.reason;
    const file = unreadFile(leaf.command);
    return file === undefined ? undefined : `it reads a file that is known only when it runs: ${clipped(file.text)}`;
  }

  /** Why an allow does not apply to this form of the command. */
  private objection(leaf: Leaf, rule: PolicyRule | undefined): Judgement | undefined {
    if (rule === undefined) return undefined;
    const reason =
      this.undecided(leaf, rule) ??
      this.unguarded(leaf, rule) ??
      (isNarrowed(rule) ? this.beyondRule(leaf, rule) : this.doubtAbout(leaf, rule));
    return reason === undefined ? undefined : { decision: 'ask_user', reason, rule };
  }

  /** A higher rule may match the command, which is unknown before it runs. */
  private undecided(leaf: Leaf, rule: PolicyRule): string | undefined {
    if (!this.restricted) return undefined;
    for (const candidate of this.options.rules) {
      if (candidate.priority < rule.priority) return undefined;
      const isNarrower = candidate.decision !== 'allow' && isNarrowed(candidate);
      const word = isNarrower ? undecidedWord(candidate, this.textsOf(leaf)) : undefined;
      if (word !== undefined)
        return `whether it is what ${candidate.source.name} forbids is known only when it runs: ${clipped(word.text)}`;
    }
    return undefined;
  }

  /** A git that would run what the repositories of an undecided folder configure. */
  private unguarded(leaf: Leaf, rule: PolicyRule): string | undefined {
    if (!this.options.guardsGit || (isNarrowed(rule) && spells(rule, leaf.command.words[0]?.value ?? '')))
      return undefined;
    const { directories, isElsewhere } = this.place;
    const { home } = this.options.places;
    return unguardedGit(leaf, this.leaves, isElsewhere) ?? unguardedScript(leaf, { directories, home });
  }

  /** What exceeds a rule for particular commands. */
  private beyondRule(leaf: Leaf, rule: PolicyRule): string | undefined {
    const risk = leaf.risks.find(({ word }) => !spells(rule, word));
    if (risk !== undefined) return risk.reason;
    return this.options.mode === 'yolo' ? undefined : this.place.findsOption(leaf.command);
  }

  /** What a rule for every command still leaves to the user. */
  private doubtAbout(leaf: Leaf, rule: PolicyRule): string | undefined {
    const behind = this.behind(leaf, rule);
    if (behind !== undefined) return `what it is given is forbidden by ${behind.source.name}`;
    if (this.options.mode === 'yolo') {
      const hidden = leaf.risks.find((risk) => risk.hidden);
      if (hidden !== undefined) return hidden.reason;
      const unread = this.restricted ? leaf.risks.find(({ unreadable }) => unreadable) : undefined;
      return unread === undefined ? undefined : `${unread.reason}, and rules forbid some commands`;
    }
    const [risk] = leaf.risks;
    if (risk !== undefined) return risk.reason;
    const option = this.place.findsOption(leaf.command);
    if (option !== undefined) return option;
    if (isDestructive(leaf.command)) return 'it may destroy data that cannot be restored';
    if (!this.trusts(leaf)) return 'git runs code from a folder that is not trusted';
    return undefined;
  }

  /** A higher rule that denies or asks about the arguments of an unknown program. */
  private behind(leaf: Leaf, rule: PolicyRule): PolicyRule | undefined {
    if (!this.restricted) return undefined;
    return this.options.rules.find(
      (candidate) =>
        candidate.priority > rule.priority &&
        candidate.decision !== 'allow' &&
        isNarrowed(candidate) &&
        namesBehind(candidate, this.textsOf(leaf)),
    );
  }

  private redirected(leaf: Leaf, rule: PolicyRule | undefined): Judgement | undefined {
    const written = leaf.command.redirections.filter(({ writes }) => writes);
    if (written.length === 0 || rule?.allowRedirection === true || this.options.mode === 'yolo') return undefined;
    const outside = written.find(({ target }) => this.options.mode !== 'autoEdit' || !this.place.isInWorkspace(target));
    if (outside === undefined) return undefined;
    return {
      decision: 'ask_user',
      reason: `it writes to ${outside.target.value || 'a file'}`,
      rule,
    };
  }

  /**
   * When everything is allowed, the shell itself may reject an unreadable line; but not
   * when the line mentions anything protected.
   */
  mayRunUnread(source: string): boolean {
    return (
      this.options.mode === 'yolo' &&
      !this.restricted &&
      !mentionsProtectedPlace(source, this.options.places) &&
      !DELETES.test(source)
    );
  }

  /** Whether a user's own rule names this place for this command. */
  isExplicit(leaf: Leaf, place: string): boolean {
    return this.options.rules.some((rule) => {
      if (rule.decision !== 'allow' || !isDeliberate(rule) || !isNarrowed(rule)) return false;
      const written = rule.commandPrefix ?? (rule.commandRegex ?? rule.argsPattern)?.source ?? '';
      return spellsPlace(written, place) && matchesCommand(rule, this.textsOf(leaf));
    });
  }

  /** Whether a user's own rule names this form of the command: `tar x`, `git apply`. */
  isSpelled(leaf: Leaf, word: string): boolean {
    return this.options.rules.some(
      (rule) =>
        rule.decision === 'allow' &&
        isDeliberate(rule) &&
        isNarrowed(rule) &&
        spells(rule, word) &&
        matchesCommand(rule, this.textsOf(leaf)),
    );
  }

  /** A deny or ask pattern that matches the whole text, unless a higher rule allowed each command. */
  spanningRule(source: string, commands: readonly CommandVerdict[]): PolicyRule | undefined {
    const lowest = Math.min(...commands.map(({ rule }) => rule?.priority ?? 0));
    return this.options.rules.find(
      (rule) =>
        rule.decision !== 'allow' &&
        isNarrowed(rule) &&
        rule.priority > lowest &&
        coversLine(rule, this.options.args, source),
    );
  }

  private textsOf(leaf: Leaf): CommandTexts {
    let texts = this.texts.get(leaf);
    if (texts === undefined) {
      texts = new CommandTexts(leaf, this.options.args);
      this.texts.set(leaf, texts);
    }
    return texts;
  }
}

const DELETES = /\b(?:rm|find|shred|dd|mkfs|wipefs|mv|chmod|chown|rsync|tar)\b/;

/** Whether the rule spells enough of the outer command to include the inner one. */
function covers(rule: PolicyRule, start: number, leaf: Leaf): boolean {
  if (rule.commandPrefix !== undefined) return prefixWords(rule.commandPrefix).length > start;
  const head = leaf.command.words[0]?.value ?? '';
  return isNarrowed(rule) && spells(rule, head);
}
