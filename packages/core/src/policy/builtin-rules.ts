/**
 * The built-in rules, as data. Their priorities are a contract with the rule files users
 * write; modes allow or deny only through these rules.
 */

import type { ApprovalMode } from './approval-mode.ts';
import type { ToolKind } from '../protocol/tools.ts';
import { HARMLESS_KINDS, READING_KINDS, READING_TOOLS } from './reading-tools.ts';
import type { PolicyDecision, PolicyRule, SafetyChecker } from './rule.ts';
import { effectivePriority } from './rule.ts';

interface BuiltinRule {
  tools: readonly string[];
  toolKinds?: readonly ToolKind[];
  decision: PolicyDecision;
  priority: number;
  modes?: readonly ApprovalMode[];
  interactive?: boolean;
  allowRedirection?: boolean;
  denyMessage?: string;
  toolAnnotations?: Readonly<Record<string, unknown>>;
  mcpName?: string;
  argsPattern?: RegExp;
  planFile?: boolean;
}

const READS = [...READING_TOOLS, 'tracker_*'];
const EDITS = ['replace', 'write_file', 'apply_patch'];
const EFFECTS = [...EDITS, 'run_shell_command', 'activate_skill', 'web_fetch', 'discovered_tool_*'];

const RULES: readonly BuiltinRule[] = [
  { tools: ['*'], toolKinds: READING_KINDS, decision: 'allow', priority: 50 },
  { tools: READS, toolKinds: HARMLESS_KINDS, decision: 'allow', priority: 50 },
  // A child's calls are judged like its parent's; starting one changes nothing.
  { tools: ['invoke_agent'], decision: 'allow', priority: 50, modes: ['default', 'autoEdit', 'yolo'] },
  { tools: EFFECTS, decision: 'ask_user', priority: 10, interactive: true },
  {
    tools: EFFECTS,
    decision: 'deny',
    priority: 10,
    interactive: false,
    denyMessage: 'This tool needs the approval of a user, and a headless run has none.',
  },
  { tools: [...EDITS, 'web_fetch'], decision: 'allow', priority: 15, modes: ['autoEdit'] },
  {
    tools: ['ask_user'],
    decision: 'deny',
    priority: 999,
    interactive: false,
    denyMessage: 'A headless run cannot ask the user.',
  },
  { tools: ['ask_user'], decision: 'ask_user', priority: 50, interactive: true },

  { tools: ['*'], decision: 'allow', priority: 998, modes: ['yolo'], allowRedirection: true },
  { tools: ['ask_user'], decision: 'ask_user', priority: 999, modes: ['yolo'], interactive: true },
  { tools: ['enter_plan_mode', 'exit_plan_mode'], decision: 'deny', priority: 999, modes: ['yolo'], interactive: true },

  { tools: ['*'], decision: 'deny', priority: 40, modes: ['plan'], denyMessage: 'Plan mode only allows reading.' },
  {
    tools: ['*'],
    mcpName: '*',
    toolAnnotations: { readOnlyHint: true },
    decision: 'ask_user',
    priority: 50,
    modes: ['plan'],
  },
  {
    tools: ['invoke_agent'],
    argsPattern: /"agent_name":"(?:codebase_investigator|cli_help)"/,
    decision: 'allow',
    priority: 50,
    modes: ['plan'],
  },
  { tools: ['web_fetch', 'activate_skill'], decision: 'ask_user', priority: 50, modes: ['plan'] },
  { tools: EDITS, planFile: true, decision: 'allow', priority: 70, modes: ['plan'] },
  {
    tools: EDITS,
    decision: 'deny',
    priority: 65,
    modes: ['plan'],
    denyMessage: 'Plan mode only allows writing plans (.md) in the plans folder.',
  },
  { tools: ['exit_plan_mode'], decision: 'ask_user', priority: 70, modes: ['plan'], interactive: true },
  { tools: ['exit_plan_mode'], decision: 'allow', priority: 70, modes: ['plan'], interactive: false },
  {
    tools: ['enter_plan_mode'],
    decision: 'deny',
    priority: 70,
    modes: ['plan'],
    denyMessage: 'Plan mode is already on.',
  },

  { tools: ['enter_plan_mode'], decision: 'ask_user', priority: 50, modes: ['default', 'autoEdit'], interactive: true },
  { tools: ['enter_plan_mode'], decision: 'allow', priority: 50, modes: ['default', 'autoEdit'], interactive: false },
  {
    tools: ['exit_plan_mode'],
    decision: 'deny',
    priority: 50,
    modes: ['default', 'autoEdit'],
    denyMessage: 'Plan mode is off.',
  },
];

const SOURCE = { name: 'the built-in rules' };

export const BUILTIN_RULES: readonly PolicyRule[] = RULES.flatMap(({ tools, priority, ...rest }) =>
  tools.map((toolName) => ({
    ...rest,
    toolName,
    kind: 'builtin' as const,
    priority: effectivePriority('builtin', priority),
    source: SOURCE,
  })),
);

export const BUILTIN_CHECKERS: readonly SafetyChecker[] = EDITS.map((toolName) => ({
  toolName,
  priority: effectivePriority('builtin', 15),
  checker: 'allowed-path',
  modes: ['autoEdit'],
  source: SOURCE,
}));
