/**
 * `castor policy`: `explain` shows how a command would be decided and why, `test` runs the examples written beside the
 * rules. An explanation includes the settings, like a run in this folder. It reads rules and runs nothing.
 */

import { resolve } from 'node:path';
import {
  loadPolicies,
  PolicyEngine,
  type ApprovalMode,
  type LoadedPolicies,
  type PolicyEngineOptions,
  type PolicyLoaderOptions,
} from '@castor/core';
import { describeProblem, explainVerdict, parseApprovalMode, runRuleTests } from '@castor/core/program';
import { chooseApproval } from '../start/approval.ts';
import { ExitCode } from '../exit-codes.ts';
import { findInstalledExtensions } from '../start/installed-extensions.ts';
import { loadTrustedConfiguration } from '../start/start.ts';

export interface PolicyCommandIo {
  stdout(text: string): void;
  stderr(text: string): void;
  home: string;
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
}

const USAGE = `Usage: castor policy explain '<command>' [options]
       castor policy test [files...] [options]

  explain   shows what a shell command would run, and which rule decides
  test      runs the [[test]] examples of the policy files; exits 1 on a mismatch

Options:
  --mode <mode>     default, auto_edit, yolo or plan        [default: default]
  --headless        as in a headless run, which cannot ask
  --policy <path>   a policy file or folder instead of your own; may repeat
`;

interface Options {
  operands: string[];
  mode: ApprovalMode;
  interactive: boolean;
  policyPaths: string[];
}

export async function runPolicyCommand(argv: string[], io: PolicyCommandIo): Promise<number> {
  const [name, ...rest] = argv;
  const options = parseOptions(rest);
  if (typeof options === 'string' || (name !== 'explain' && name !== 'test')) {
    const asked = name === '--help' || name === '-h' || rest.includes('--help');
    if (typeof options === 'string' && !asked) io.stderr(`${options}\n\n`);
    (asked ? io.stdout : io.stderr)(USAGE);
    return asked ? ExitCode.Success : ExitCode.Failure;
  }
  return name === 'explain' ? explain(options, io) : test(options, io);
}

/** A sentence for invalid options. */
function parseOptions(argv: readonly string[]): Options | string {
  const options: Options = { operands: [], mode: 'default', interactive: true, policyPaths: [] };
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (word === '--headless') options.interactive = false;
    else if (word === '--') {
      options.operands.push(...argv.slice(index + 1));
      break;
    } else if (word === '--mode' || word === '--approval-mode' || word === '--policy') {
      const value = argv[(index += 1)];
      if (value === undefined) return `${word} needs a value.`;
      if (word === '--policy') options.policyPaths.push(value);
      else {
        const mode = parseApprovalMode(value);
        if (mode === undefined) return `"${value}" is not one of default, auto_edit, yolo and plan.`;
        options.mode = mode;
      }
    } else if (word.startsWith('--')) return `${word} is an unknown option of castor policy.`;
    else options.operands.push(word);
  }
  return options;
}

async function explain({ operands, mode, interactive, policyPaths }: Options, io: PolicyCommandIo): Promise<number> {
  const [command] = operands;
  if (command === undefined || operands.length > 1) {
    io.stderr(`castor policy explain takes one command, in quotes.\n\n${USAGE}`);
    return ExitCode.Failure;
  }
  const { home, cwd } = io;
  const installed = await findInstalledExtensions(io);
  const { configuration, trust, sources, extensions } = loadTrustedConfiguration({ args: {}, installed, ...io });
  const { settings, layers } = configuration;
  const args = policyPaths.length > 0 ? { policy: policyPaths } : {};
  const approval = chooseApproval({ args, settings, layers, extensions, home, trustedFolder: trust.trusted });
  const loaded = await load({ ...approval, sources, settings: approval.rules }, io);
  if (loaded === undefined) return ExitCode.Settings;
  const workspaceDirectories = [cwd, ...approval.includeDirectories.map((directory) => resolve(cwd, directory))];
  const place = { workspaceDirectories, trustedFolder: trust.trusted !== false };
  const verdict = await createEngine(loaded, io, place).check(
    { toolName: 'run_shell_command', args: { command } },
    { mode, interactive },
  );
  io.stdout(explainVerdict(command, verdict, { mode, interactive }));
  return ExitCode.Success;
}

async function test({ operands, policyPaths }: Options, io: PolicyCommandIo): Promise<number> {
  // Examples hold wherever they run: the sources count, the settings and the mode do not.
  const installed = await findInstalledExtensions(io);
  const { sources } = loadTrustedConfiguration({ args: {}, installed, ...io });
  const loaded = await load({ sources, policyPaths: [...policyPaths, ...operands] }, io);
  if (loaded === undefined) return ExitCode.Settings;
  const results = await runRuleTests(createEngine(loaded, io), loaded.tests);
  const failures = results.filter(({ passed }) => !passed);
  for (const { test: example, decision, verdict } of failures) {
    const { command } = example.args;
    const subject = typeof command === 'string' ? command : `${example.toolName} ${JSON.stringify(example.args)}`;
    io.stdout(
      `FAIL ${example.file}:${example.line}\n     ${JSON.stringify(subject)}\n     expected ${example.expect}, got ${decision}: ${verdict.reason}\n`,
    );
  }
  const passed = results.length - failures.length;
  const files = loaded.files.length === 1 ? '1 file' : `${loaded.files.length} files`;
  io.stdout(`${passed} of ${results.length} policy tests passed (${files}).\n`);
  return failures.length === 0 ? ExitCode.Success : ExitCode.Failure;
}

function createEngine(
  { rules, checkers }: LoadedPolicies,
  { home, cwd }: PolicyCommandIo,
  place: Pick<PolicyEngineOptions, 'workspaceDirectories' | 'trustedFolder'> = {},
): PolicyEngine {
  return new PolicyEngine({ rules, checkers, root: cwd, home, ...place });
}

type RuleSources = Pick<PolicyLoaderOptions, 'sources' | 'policyPaths' | 'adminPolicyPaths' | 'settings'>;

/** Undefined when a written rule is not in force: an answer would be about other rules. */
async function load(from: RuleSources, io: PolicyCommandIo): Promise<LoadedPolicies | undefined> {
  const { sources, policyPaths, adminPolicyPaths, settings } = from;
  const loaded = await loadPolicies({
    sources,
    platform: process.platform,
    policyPaths,
    adminPolicyPaths,
    settings,
  });
  for (const warning of loaded.warnings) io.stderr(`${warning}\n`);
  for (const problem of loaded.problems) io.stderr(`${describeProblem(problem)}\n`);
  return loaded.problems.length === 0 ? loaded : undefined;
}
