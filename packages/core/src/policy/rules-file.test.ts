import { describe, expect, it } from 'vitest';
import { parseRulesFile } from './rules-file.ts';
import type { SourceKind } from '../protocol/source.ts';

const problemsOf = async (text: string, kind: SourceKind = 'user') =>
  (await parseRulesFile(text, 'my.toml', kind)).problems.map(({ line, key, message }) => [line, key, message]);

describe('a rules file', () => {
  it('gives one rule for each tool and prefix', async () => {
    const { rules, problems } = await parseRulesFile(
      '# mine\n[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ["git log", "git status"]\ndecision = "allow"\npriority = 100\nmodes = ["default", "auto_edit"]\n',
      'my.toml',
      'user',
    );
    const common = {
      toolName: 'run_shell_command',
      decision: 'allow',
      priority: 4.1,
      kind: 'user',
      source: { name: 'my.toml', line: 2 },
      modes: ['default', 'autoEdit'],
    };
    expect({ rules, problems }).toEqual({
      rules: [
        { ...common, commandPrefix: 'git log' },
        { ...common, commandPrefix: 'git status' },
      ],
      problems: [],
    });
  });

  it('reads every key of a rule, safety checkers and tests', async () => {
    const text = `
[[rule]]
toolName = ["mcp_*", "search_file_content"]
mcpName = "srv"
subagent = "helper"
argsPattern = '"a":"b'
decision = "deny"
priority = 999
interactive = false
toolAnnotations = { readOnlyHint = true }
denyMessage = "No."
allowRedirection = true

[[safety_checker]]
toolName = "write_file"
priority = 10
[safety_checker.checker]
type = "in-process"
name = "allowed-path"

[[test]]
command = "git log"
mode = "yolo"
interactive = false
expect = "deny"

[[test]]
toolName = "read_file"
args = { file_path = "a" }
expect = "allow"
`;
    expect(await parseRulesFile(text, 'my.toml', 'system')).toEqual({
      rules: ['mcp_*', 'grep_search'].map((toolName) => ({
        toolName,
        mcpName: 'srv',
        subagent: 'helper',
        argsPattern: /"a":"b/s,
        decision: 'deny',
        priority: 5.999,
        kind: 'system',
        source: { name: 'my.toml', line: 2 },
        interactive: false,
        toolAnnotations: { readOnlyHint: true },
        denyMessage: 'No.',
        allowRedirection: true,
      })),
      checkers: [
        { toolName: 'write_file', checker: 'allowed-path', priority: 5.01, source: { name: 'my.toml', line: 14 } },
      ],
      tests: [
        {
          toolName: 'run_shell_command',
          args: { command: 'git log' },
          mode: 'yolo',
          interactive: false,
          expect: 'deny',
          file: 'my.toml',
          line: 21,
        },
        {
          toolName: 'read_file',
          args: { file_path: 'a' },
          mode: 'default',
          interactive: true,
          expect: 'allow',
          file: 'my.toml',
          line: 27,
        },
      ],
      problems: [],
    });
  });

  const RULE = '[[rule]]\ntoolName = "a"\ndecision = "allow"\npriority = 1\n';

  it('names the old form of a server and its tool', async () => {
    const text = '[[rule]]\ntoolName = "files__read"\ndecision = "allow"\npriority = 1\n';
    expect(await problemsOf(text)).toEqual([
      [2, 'toolName', expect.stringContaining('mcpName = "files" and toolName = "read"') as string],
    ]);
  });

  it.each([
    ['[[rule]]\ntoolName = ', 2, undefined, 'Invalid TOML document: invalid value'],
    [RULE.replace('allow', 'alow'), 3, 'decision', '"decision" must be one of allow, ask_user, deny'],
    [RULE.replace('= 1', '= 1000'), 4, 'priority', '"priority" is required: a whole number from 0 to 999'],
    [RULE.replace('priority = 1\n', ''), 1, 'priority', '"priority" is required: a whole number from 0 to 999'],
    [`${RULE}modes = ["fast"]\n`, 5, 'modes', '"fast" is not one of default, autoEdit, yolo and plan'],
    [`${RULE}commandPrefix = "x"\n`, 5, 'commandPrefix', '"commandPrefix" applies to run_shell_command only'],
    [
      `${RULE}argsPattern = "("\n`,
      5,
      'argsPattern',
      'invalid regular expression: Invalid regular expression: /(/: Unterminated group',
    ],
    [
      `${RULE}argsPattern = "(a+)+"\n`,
      5,
      'argsPattern',
      'a repeated group may not itself contain a repetition: matching could take forever',
    ],
    [`${RULE}interactive = "yes"\n`, 5, 'interactive', '"interactive" has the wrong type'],
    ['[[rules]]\nx = 1\n', 1, 'rules', '"rules" is not one of [[rule]], [[safety_checker]] and [[test]]'],
    [`${RULE}\n[[test]]\nexpect = "allow"\n`, 6, 'command', 'a test needs either "command" or "toolName"'],
  ])('names line, key and mistake: %j', async (text, line, key, message) => {
    const [problem] = await problemsOf(text);
    expect(problem?.slice(0, 2)).toEqual([line, key]);
    expect(problem?.[2]).toContain(message);
  });

  it('names a key it does not know', async () => {
    const [problem] = await problemsOf(`${RULE}${RULE}decison = "x"\n`);
    expect(problem?.slice(0, 2)).toEqual([9, 'decison']);
  });

  it('refuses two kinds of pattern in one rule', async () => {
    const text =
      '[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\npriority = 1\ncommandPrefix = "a"\ncommandRegex = "b"\n';
    expect(await problemsOf(text)).toEqual([
      [6, 'commandRegex', '"commandPrefix" and "commandRegex" cannot be in the same rule'],
    ]);
  });

  it('of an extension may neither allow nor speak about yolo mode', async () => {
    expect(await problemsOf(RULE, 'extension')).toEqual([
      [3, 'decision', 'an extension cannot allow calls; write "ask_user" or "deny"'],
    ]);
    expect(await problemsOf(`${RULE.replace('allow', 'deny')}modes = ["yolo"]\n`, 'extension')).toEqual([
      [5, 'modes', 'an extension cannot set rules for yolo mode'],
    ]);
  });

  it('keeps its good rules beside a bad one', async () => {
    const { rules, problems } = await parseRulesFile(`${RULE}\n${RULE.replace('= 1', '= -1')}`, 'my.toml', 'user');
    expect([rules.length, problems.length]).toEqual([1, 1]);
  });
});
