/** A plausible input for each event, for running hooks by hand. */

import type { HookEventName, HookPayloads } from '@castor/core/program';

const REQUEST = {
  model: 'gemini-2.5-pro',
  messages: [{ role: 'user', content: 'Add a test for the parser.' }],
  config: { temperature: 1, topP: 0.95, topK: 64 },
};

const RESPONSE = {
  text: 'I added a test.',
  candidates: [{ content: { role: 'model', parts: ['I added a test.'] }, finishReason: 'STOP', index: 0 }],
  usageMetadata: { promptTokenCount: 120, candidatesTokenCount: 5, totalTokenCount: 125 },
};

/** By tool, so that a matcher finds one it matches. */
const TOOL_INPUTS: Readonly<Record<string, Record<string, unknown>>> = {
  run_shell_command: { command: 'npm test', description: 'Run the tests' },
  write_file: { file_path: 'notes.txt', content: 'hello\n' },
  replace: { file_path: 'notes.txt', old_string: 'hello', new_string: 'goodbye' },
  read_file: { file_path: 'README.md' },
  list_directory: { dir_path: '.' },
  glob: { pattern: '**/*.ts' },
  grep_search: { pattern: 'TODO' },
  web_fetch: { prompt: 'Summarise https://example.com' },
  google_web_search: { query: 'weather' },
};

/** `matchers` are those of the hooks that will run. */
export function sampleFor<E extends HookEventName>(event: E, matchers: readonly string[]): HookPayloads[E] {
  const tool = Object.keys(TOOL_INPUTS).find((name) => matchers.every((matcher) => isToolMatch(matcher, name)));
  const tool_name = tool ?? 'run_shell_command';
  const tool_input = TOOL_INPUTS[tool_name] ?? {};
  const chosen = matchers.find((matcher) => matcher !== '' && matcher !== '*');
  const samples: HookPayloads = {
    BeforeTool: { tool_name, tool_input },
    AfterTool: { tool_name, tool_input, tool_response: { llmContent: 'done', returnDisplay: 'done' } },
    BeforeAgent: { prompt: 'Add a test for the parser.' },
    AfterAgent: {
      prompt: 'Add a test for the parser.',
      prompt_response: 'I added a test.',
      stop_hook_active: false,
    },
    Notification: {
      notification_type: 'ToolPermission',
      message: 'Your permission is needed: Confirm Shell Command',
      details: {
        type: 'exec',
        title: 'Confirm Shell Command',
        command: 'npm test',
        rootCommand: 'npm',
        rootCommands: ['npm'],
      },
    },
    SessionStart: { source: (chosen ?? 'startup') as 'startup' },
    SessionEnd: { reason: (chosen ?? 'exit') as 'exit' },
    PreCompress: { trigger: (chosen ?? 'auto') as 'auto' },
    BeforeModel: { llm_request: REQUEST },
    AfterModel: { llm_request: REQUEST, llm_response: RESPONSE },
    BeforeToolSelection: { llm_request: REQUEST },
  };
  return samples[event];
}

export function isToolMatch(matcher: string, name: string): boolean {
  if (matcher === '' || matcher === '*') return true;
  try {
    return new RegExp(matcher).test(name);
  } catch {
    // An invalid pattern is a name.
    return matcher === name;
  }
}
