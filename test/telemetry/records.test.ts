/** What the records of telemetry say: their attributes, whole, as a run leaves them in the file. */

import { describe, expect, it } from 'vitest';
import { answer, call, fault, say } from '@castor/testkit';
import { systemClock } from '@castor/core';
import { runAgent, SCENES } from './scenes.ts';
import { recordsOf } from './told.ts';

const MODEL = 'gemini-2.5-flash';
const ANY_NUMBER = expect.any(Number);

describe('records of files and edits', () => {
  it('tell what was done to a file, and not which', { tags: 'wide' }, async () => {
    const told = await SCENES.edits();
    const code = { mimetype: 'text/plain', extension: '.ts', programming_language: 'TypeScript' };
    const prose = { mimetype: 'text/markdown', extension: '.md', programming_language: 'Markdown' };
    expect(recordsOf(told, 'gemini_cli.file_operation')).toEqual([
      { tool_name: 'read_file', operation: 'read', lines: 2, ...code },
      { tool_name: 'replace', operation: 'update', lines: 2, ...code },
      { tool_name: 'write_file', operation: 'create', lines: 3, ...prose },
    ]);
    expect(recordsOf(told, 'gemini_cli.edit_strategy')).toEqual([{ strategy: 'exact' }]);
    expect(told.metrics.get('gemini_cli.lines.changed')).toMatchObject([
      { attributes: { function_name: 'replace', type: 'added' }, value: 1 },
      { attributes: { function_name: 'replace', type: 'removed' }, value: 1 },
      { attributes: { function_name: 'write_file', type: 'added' }, value: 3 },
    ]);
    expect(recordsOf(told, 'gemini_cli.tool_call')[1]).toEqual({
      function_name: 'replace',
      function_args: expect.stringContaining('"old_string": "const b = 2;"'),
      duration_ms: 0,
      success: true,
      decision: 'auto_accept',
      prompt_id: expect.any(String),
      tool_type: 'native',
      content_length: ANY_NUMBER,
      metadata: {
        model_added_lines: 1,
        model_removed_lines: 1,
        model_added_chars: ANY_NUMBER,
        model_removed_chars: ANY_NUMBER,
        user_added_lines: 0,
        user_removed_lines: 0,
        user_added_chars: 0,
        user_removed_chars: 0,
      },
    });
    const phases = told.metrics.get('gemini_cli.tool.execution.breakdown')?.map(({ attributes }) => attributes);
    expect(phases?.filter((one) => one['function_name'] === 'replace').map((one) => one['phase'])).toEqual([
      'validation',
      'preparation',
      'execution',
      'result_processing',
    ]);
  });

  it('tell how much of a long output the model reads', async () => {
    const [record, ...others] = recordsOf(await SCENES.longOutput(), 'gemini_cli.tool_output_truncated');
    expect([record, others]).toEqual([
      {
        tool_name: 'run_shell_command',
        original_content_length: ANY_NUMBER,
        truncated_content_length: ANY_NUMBER,
        threshold: 1_000,
        prompt_id: expect.any(String),
      },
      [],
    ]);
    // 1 to 2000, a line each, and what the tool says around it.
    expect(record!['original_content_length']).toBeGreaterThanOrEqual(8_893);
    expect(record!['truncated_content_length']).toBeLessThan(2_000);
  });

  it('tell what masking saved', async () => {
    const [masked] = recordsOf(await SCENES.masking(), 'gemini_cli.tool_output_masking');
    const { tokens_before, tokens_after, masked_count, total_prunable_tokens } = masked as Record<string, number>;
    expect([masked_count! > 0, tokens_before! > tokens_after!, total_prunable_tokens]).toEqual([
      true,
      true,
      tokens_before,
    ]);
  });

  it('tell that pages were fetched here, and that there was no ripgrep', async () => {
    const [web, search] = await Promise.all([SCENES.webFetch(), SCENES.noRipgrep()]);
    expect(recordsOf(web, 'gemini_cli.web_fetch_fallback_attempt')).toEqual([{ reason: 'primary_failed' }]);
    expect(recordsOf(web, 'gemini_cli.tool_call')).toMatchObject([{ success: true }]);
    expect(recordsOf(search, 'gemini_cli.ripgrep_fallback')).toEqual([{ error: expect.stringContaining('ripgrep') }]);
    expect(recordsOf(search, 'gemini_cli.tool_call')).toMatchObject([{ success: true }]);
  });
});

describe('records of requests', () => {
  it('follow OpenTelemetry, with the words where traces are on', async () => {
    const told = await SCENES.edits();
    const last = recordsOf(told, 'gen_ai.client.inference.operation.details').at(-1)!;
    const { 'gen_ai.input.messages': input, 'gen_ai.output.messages': output, ...rest } = last;
    const asked = JSON.parse(String(input)) as { role: string; parts: object[] }[];
    const types = asked.map(({ role, parts }) => [role, ...parts.map((part) => (part as { type: string }).type)]);
    expect(types).toEqual([
      ['user', 'text', 'text'],
      ...[1, 2, 3].flatMap(() => [
        ['model', 'tool_call'],
        ['user', 'tool_call_response'],
      ]),
    ]);
    expect(JSON.parse(String(output))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'Edited.' }], finish_reason: 'stop' },
    ]);
    expect(rest).toEqual({
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.provider.name': 'gcp.gen_ai',
      'gen_ai.request.model': MODEL,
      'gen_ai.response.model': expect.any(String),
      'server.address': 'model.example',
      'server.port': 8080,
      'gen_ai.response.finish_reasons': ['STOP'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.request.temperature': ANY_NUMBER,
      'gen_ai.request.top_p': ANY_NUMBER,
      'gen_ai.request.top_k': ANY_NUMBER,
      'gen_ai.system_instructions': expect.stringMatching(/^\[\{"type":"text"/),
    });
    expect(
      told.metrics.get('gen_ai.client.token.usage')?.map(({ attributes }) => attributes['gen_ai.token.type']),
    ).toEqual(['input', 'output']);
  });

  it('keep a failed connection and an unusable answer apart', async () => {
    const told = await SCENES.failures();
    expect(recordsOf(told, 'gemini_cli.network_retry_attempt')).toEqual([
      { attempt: 1, max_attempts: ANY_NUMBER, error_type: 'server', delay_ms: ANY_NUMBER, model: MODEL },
    ]);
    expect(recordsOf(told, 'gemini_cli.chat.content_retry')).toEqual([
      { attempt_number: ANY_NUMBER, error_type: 'MALFORMED_FUNCTION_CALL', retry_delay_ms: ANY_NUMBER, model: MODEL },
    ]);
    expect(recordsOf(told, 'gemini_cli.chat.invalid_chunk')).toEqual([{ 'error.message': expect.any(String) }]);
    expect(recordsOf(told, 'gemini_cli.api_error')).toMatchObject([
      { model: MODEL, role: 'main', status_code: 503, error_type: 'server', error: expect.any(String) },
    ]);
    const counts = ['network_retry', 'chat.content_retry', 'chat.invalid_chunk'].map(
      (name) => told.metrics.get(`gemini_cli.${name}.count`)?.[0]?.value,
    );
    expect(counts).toEqual([1, 1, 1]);
  });

  it('tell a connection that breaks without a status from an unusable answer', async () => {
    const told = await runAgent({ script: [fault('reset_before_headers'), say('Answered.')] });
    expect(recordsOf(told, 'gemini_cli.network_retry_attempt')).toMatchObject([{ error_type: 'network' }]);
    expect(recordsOf(told, 'gemini_cli.chat.content_retry')).toEqual([]);
  });

  it('say when no attempt gave a usable answer', async () => {
    const told = await SCENES.unusable();
    const attempts = recordsOf(told, 'gemini_cli.api_request').length;
    expect(recordsOf(told, 'gemini_cli.chat.content_retry_failure')).toEqual([
      {
        total_attempts: attempts,
        final_error_type: 'NO_RESPONSE_TEXT',
        total_duration_ms: ANY_NUMBER,
        model: MODEL,
      },
    ]);
    expect(recordsOf(told, 'gemini_cli.chat.content_retry')).toHaveLength(attempts - 1);
  });

  it('say who was asked beside the conversation, and what came of it', async () => {
    const told = await SCENES.nextSpeaker();
    expect(recordsOf(told, 'gemini_cli.malformed_json_response')).toEqual([{ model: expect.any(String) }]);
    expect(recordsOf(told, 'gemini_cli.next_speaker_check')).toEqual([
      { prompt_id: expect.any(String), finish_reason: 'STOP', result: 'user' },
    ]);
  });

  it('say which model was chosen, by whom, and that a classifier failed', async () => {
    expect(recordsOf(await SCENES.edits(), 'gemini_cli.model_routing')).toEqual([
      {
        decision_model: MODEL,
        decision_source: 'agent-router/override',
        routing_latency_ms: 0,
        reasoning: 'The user named the model.',
        failed: false,
        approval_mode: 'yolo',
      },
    ]);
    const told = await SCENES.routingFailure();
    const [routing] = recordsOf(told, 'gemini_cli.model_routing');
    expect(routing).toMatchObject({ failed: true, error_message: expect.any(String) });
    expect(told.metrics.get('gemini_cli.model_routing.failure.count')).toMatchObject([
      { attributes: { 'routing.error_message': routing!['error_message'], 'routing.approval_mode': 'yolo' }, value: 1 },
    ]);
  });

  it('say once that another model takes over without a question', async () => {
    expect(recordsOf(await SCENES.fallback(), 'gemini_cli.flash_fallback')).toEqual([{}]);
  });

  it('name a loop, also the one the model is only warned of', async () => {
    const told = await SCENES.repeatedCalls();
    expect(recordsOf(told, 'loop_detected')).toEqual([
      { loop_type: 'consecutive_identical_tool_calls', prompt_id: expect.any(String) },
      { loop_type: 'consecutive_identical_tool_calls', prompt_id: expect.any(String) },
    ]);
  });
});

describe('records of modes and loops', () => {
  it('tell when the mode changed, how long it lasted, and that a plan was approved', async () => {
    const told = await SCENES.plan();
    expect(recordsOf(told, 'gemini_cli.plan.approval_mode_switch')).toEqual([
      { from_mode: 'plan', to_mode: 'autoEdit' },
    ]);
    expect(recordsOf(told, 'gemini_cli.plan.approval_mode_duration')).toEqual([
      { mode: 'plan', duration_ms: 0 },
      { mode: 'autoEdit', duration_ms: 0 },
    ]);
    expect(recordsOf(told, 'gemini_cli.plan.execution')).toEqual([{ approval_mode: 'autoEdit' }]);
    expect(recordsOf(told, 'gemini_cli.conversation_finished')).toMatchObject([
      { approvalMode: 'autoEdit', turnCount: 2, approvals: 1, outcome: 'completed' },
    ]);
  });

  it('tell what the judges of a loop said', async () => {
    const told = await SCENES.judgedLoop();
    expect(recordsOf(told, 'gemini_cli.llm_loop_check')[0]).toEqual({
      prompt_id: expect.any(String),
      flash_confidence: 0.95,
      main_model: expect.stringContaining('gemini'),
      main_model_confidence: 0.95,
    });
    expect(recordsOf(told, 'loop_detected')[0]).toMatchObject({ loop_type: 'llm_detected_loop' });
  });
});

describe('records of the program', () => {
  it('tell how it is configured, how it started, which command ran and that it failed', { tags: 'wide' }, async () => {
    const told = await SCENES.program();
    expect(recordsOf(told, 'gemini_cli.config')[0]).toEqual({
      model: 'auto',
      sandbox_enabled: false,
      core_tools_enabled: '',
      approval_mode: 'default',
      api_key_enabled: true,
      vertex_ai_enabled: false,
      log_user_prompts_enabled: true,
      file_filtering_respect_git_ignore: true,
      debug_mode: false,
      mcp_servers: '',
      mcp_servers_count: 0,
      output_format: 'text',
    });
    const [start] = recordsOf(told, 'gemini_cli.startup_stats');
    expect(start).toEqual({
      phases: expect.any(String),
      os_platform: process.platform,
      os_release: expect.any(String),
      is_docker: expect.any(Boolean),
    });
    const phases = JSON.parse(String(start!['phases'])) as { name: string; duration_ms: number }[];
    expect(phases.map(({ name }) => name)).toEqual(['cli_startup', 'node_startup', 'load_settings', 'open_agent']);
    expect(phases.every(({ duration_ms }) => Number.isInteger(duration_ms) && duration_ms >= 0)).toBe(true);
    expect(recordsOf(told, 'gemini_cli.slash_command')).toEqual([
      { command: 'memory', subcommand: 'show', status: 'success' },
    ]);
    expect(told.metrics.get('gemini_cli.exit.fail.count')).toMatchObject([{ attributes: {}, value: 1 }]);
  });

  it('tell what a person did at the terminal', async () => {
    const told = await SCENES.terminal();
    expect(recordsOf(told, 'gemini_cli.slash_command')).toEqual([
      { command: 'model', subcommand: 'set', status: 'success' },
      { command: 'rewind', status: 'success' },
    ]);
    expect(recordsOf(told, 'gemini_cli.slash_command.model')).toEqual([{ model_name: 'flash' }]);
    expect(recordsOf(told, 'gemini_cli.rewind')).toEqual([{ outcome: 'rewind_only' }]);
  });
});

describe('records of calls that a hook changed', () => {
  const withHook = (event: string, output: object, matcher = '*') => ({
    // A hook is a process: under a clock that does not wait it would be late.
    clock: systemClock,
    hookLayers: [
      {
        source: 'user' as const,
        file: 'settings.json',
        hooks: {
          [event]: [
            {
              matcher,
              hooks: [{ type: 'command', command: `echo '${JSON.stringify({ hookSpecificOutput: output })}'` }],
            },
          ],
        },
      },
    ],
  });

  it.each([
    [
      'other arguments',
      withHook('BeforeTool', { tool_input: { file_path: 'b.txt' } }),
      { function_name: 'read_file', function_args: expect.stringContaining('b.txt') as string },
    ],
    [
      'another tool',
      withHook(
        'AfterTool',
        { tailToolCallRequest: { name: 'list_directory', args: { dir_path: 'folder' } } },
        'read_file',
      ),
      { function_name: 'list_directory', function_args: expect.stringContaining('folder') as string },
    ],
  ])('name what ran: %s', async (_name, options, record) => {
    const told = await runAgent({
      files: { 'a.txt': 'a', 'b.txt': 'b', 'folder/c.txt': 'c' },
      settings: { traces: true },
      options,
      script: [answer(call('read_file', { file_path: 'a.txt' }, { id: '1' })), say('done')],
    });
    expect(recordsOf(told, 'gemini_cli.tool_call')).toMatchObject([{ success: true, ...record }]);
    const names = (told.metrics.get('gemini_cli.tool.call.count') ?? []).map(
      ({ attributes }) => attributes['function_name'],
    );
    expect(names).toEqual([record.function_name]);
  });
});

describe('records without words', () => {
  it('hold nothing a person, a model, a file or a tool said', async () => {
    const secret = 'XYZZY';
    const told = await runAgent({
      files: { 'a.txt': `the file says ${secret}\nand more\n` },
      settings: { logPrompts: false, traces: true },
      prompts: [`the person says ${secret}`],
      script: [
        answer(call('read_file', { file_path: 'a.txt' }, { id: '1' })),
        answer(call('read_file', { file_path: `${secret}.txt` }, { id: '2' })),
        say(`the model says ${secret}`),
      ],
    });
    expect(recordsOf(told, 'gemini_cli.tool_call')).toMatchObject([
      { success: true },
      { success: false, error_type: 'file_not_found' },
    ]);
    expect(told.text).not.toContain(secret);
  });
});
