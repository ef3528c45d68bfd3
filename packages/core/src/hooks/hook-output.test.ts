import { describe, expect, it } from 'vitest';
import { readHookAnswer } from './hook-output.ts';
import type { HookAnswer } from './hook-output.ts';
import type { HookRun } from './hook-runner.ts';

const run = (stdout: string, exitCode = 0, stderr = ''): HookRun => ({
  stdout,
  stderr,
  exitCode,
  durationMs: 1,
  leftOut: 0,
});

describe('readHookAnswer', () => {
  it.each<[string, HookRun, Omit<HookAnswer, 'problems'>]>([
    ['nothing', run(''), {}],
    ['text', run(' all good \n'), { output: { decision: 'allow', systemMessage: 'all good' } }],
    ['text on stderr', run('', 0, 'note'), { output: { decision: 'allow', systemMessage: 'note' } }],
    [
      'text and exit 1',
      run('hm', 1),
      { output: { decision: 'allow', systemMessage: 'Warning: hm' }, failure: 'it exited with code 1' },
    ],
    ['exit 1', run('', 1), { failure: 'it exited with code 1' }],
    ['text and exit 2', run('', 2, 'no'), { output: { decision: 'deny', reason: 'no' } }],
    ['exit 2', run('', 2), { output: { decision: 'deny' } }],
    ['text and another code', run('no', 7), { output: { decision: 'deny', reason: 'no' } }],
    ['another code', run('', 7), { failure: 'it exited with code 7' }],
    [
      'a missing program',
      run('', 127, 'bash: x: command not found\nmore'),
      { failure: 'it exited with code 127: bash: x: command not found' },
    ],
    ['a program that may not run', run('', 126, 'denied'), { failure: 'it exited with code 126: denied' }],
    [
      'a command the shell cannot read',
      run('', 2, "/bin/bash: -c: line 1: syntax error near unexpected token `then'\n/bin/bash: -c: line 1: `if then'"),
      {
        failure: "its command has a syntax error: /bin/bash: -c: line 1: syntax error near unexpected token `then'",
      },
    ],
    [
      'JSON after whose exit a child printed on',
      { ...run('{"decision":"deny"}\nlate\n'), atExit: { stdout: '{"decision":"deny"}\n', stderr: '' } },
      { output: { decision: 'deny' } },
    ],
    [
      'JSON that came whole only after the exit',
      { ...run('{"decision":\n"deny"}\n'), atExit: { stdout: '{"decision":\n', stderr: '' } },
      { output: { decision: 'deny' } },
    ],
    ['text and the last code', run('no', 255), { output: { decision: 'deny', reason: 'no' } }],
    ['a shell whose command was killed', run('', 137), { failure: 'it exited with code 137' }],
    ['JSON', run('{"decision":"deny","reason":"r"}\n'), { output: { decision: 'deny', reason: 'r' } }],
    ['JSON on stderr', run('', 0, '{"continue":false}'), { output: { continue: false } }],
    ['JSON whatever the code', run('{"decision":"allow"}', 2), { output: { decision: 'allow' } }],
    ['JSON in a JSON text', run(JSON.stringify('{"decision":"ask"}')), { output: { decision: 'ask' } }],
    ['a JSON text', run('"hello"'), { output: { decision: 'allow', systemMessage: '"hello"' } }],
    ['a number', run('42', 2), { output: { decision: 'deny', reason: '42' } }],
    [
      'what another agent’s hooks say',
      run('{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r","updatedInput":{"a":1}}}'),
      { output: { decision: 'deny', reason: 'r', hookSpecificOutput: { tool_input: { a: 1 } } } },
    ],
    ['a failure', { ...run('{"decision":"deny"}'), failure: 'it did not end' }, { failure: 'it did not end' }],
  ])('understands %s', (_, given, expected) => {
    expect(readHookAnswer(given)).toEqual({ ...expected, problems: [] });
  });

  it('takes every field there is', () => {
    const output = {
      continue: true,
      stopReason: 's',
      suppressOutput: true,
      systemMessage: 'm',
      decision: 'approve',
      reason: 'r',
      hookSpecificOutput: {
        hookEventName: 'AfterTool',
        additionalContext: 'c',
        tool_input: {},
        tailToolCallRequest: { name: 't', args: { a: 1 } },
        clearContext: true,
        llm_request: {},
        llm_response: {},
        toolConfig: { mode: 'ANY', allowedFunctionNames: ['a'] },
      },
    };
    expect(readHookAnswer(run(JSON.stringify(output)))).toEqual({ output, problems: [] });
  });

  it.each<[object, string]>([
    [
      { decision: 'reject' },
      'returned "decision" that must be one of ask, block, deny, approve, allow, not "reject"; Castor ignored it',
    ],
    [{ continue: 'false' }, 'returned "continue" that must be true or false, not "false"; Castor ignored it'],
    [{ systemMessage: 5 }, 'returned "systemMessage" that must be a string, not 5; Castor ignored it'],
    [{ hookSpecificOutput: [] }, 'returned "hookSpecificOutput" that must be an object, not []; Castor ignored it'],
    [
      { hookSpecificOutput: { toolConfig: { mode: 'any' } } },
      'returned "mode" that must be one of AUTO, ANY, NONE, not "any"; Castor ignored it',
    ],
    [
      { hookSpecificOutput: { tailToolCallRequest: { args: 1 } } },
      'returned a "tailToolCallRequest" without a "name" and an object "args"; Castor ignored it',
    ],
  ])('says what is wrong with %j', (output, sentence) => {
    expect(readHookAnswer(run(JSON.stringify(output))).problems).toEqual([sentence]);
  });

  it('takes text around JSON for text, and says so', () => {
    const { output, problems } = readHookAnswer(run('checking…\n{"decision":"deny"}'));
    expect(output).toEqual({ decision: 'allow', systemMessage: 'checking…\n{"decision":"deny"}' });
    expect(problems).toEqual([expect.stringContaining('printed text besides its JSON, so Castor ignored the JSON')]);
  });

  it('cuts what is too long, and says when bytes were left out', () => {
    const { output, problems } = readHookAnswer({ ...run('x'.repeat(20_000)), leftOut: 7 });
    expect(output?.systemMessage).toBe(`${'x'.repeat(16_000)}… [4000 characters omitted]`);
    expect(problems).toEqual(['printed 7 bytes beyond the limit; Castor ignored them']);
  });
});
