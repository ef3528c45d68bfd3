/**
 * One sample of every event, and a log of prompts in legal order that holds each at least once. For tests that feed
 * one stream to every surface: a member without a sample does not compile. Not part of the running program.
 */

import type { AgentEvent, AgentEventOf, AgentEventType } from './agent-events.ts';
import { CompressionStatus, GeminiEventType } from './events.ts';
import type { ToolCallRequestInfo } from './tool-calls.ts';

const PROMPT_ID = 'session########1';

const SHELL_CALL: ToolCallRequestInfo = {
  callId: 'run_shell_command-1',
  name: 'run_shell_command',
  args: { command: 'npm test' },
  isClientInitiated: false,
  prompt_id: PROMPT_ID,
  display: { name: 'Shell', description: 'npm test' },
};

const READ_CALL: ToolCallRequestInfo = {
  callId: 'read_file-2',
  name: 'read_file',
  args: { file_path: 'README.md' },
  isClientInitiated: false,
  prompt_id: PROMPT_ID,
};

export const SAMPLE_EVENTS: { readonly [T in AgentEventType]: AgentEventOf<T> } = {
  prompt_started: { type: 'prompt_started', prompt_id: PROMPT_ID, text: 'Run the tests.' },
  prompt_ended: { type: 'prompt_ended', prompt_id: PROMPT_ID, outcome: 'completed' },
  tool_call_updated: {
    type: 'tool_call_updated',
    callId: SHELL_CALL.callId,
    status: 'executing',
    output: '12 passed\n',
    pid: 4711,
  },
  fallback_requested: {
    type: GeminiEventType.FallbackRequested,
    requestId: 'fallback-1',
    failedModel: 'gemini-2.5-pro',
    fallbackModel: 'gemini-2.5-flash',
    message: 'Quota exceeded for requests per day.',
  },
  fallback_answered: { type: GeminiEventType.FallbackAnswered, requestId: 'fallback-1', intent: 'retry_always' },
  notice: { type: 'notice', level: 'warning', message: 'A rule is not in force.' },
  background_ended: {
    type: 'background_ended',
    pid: 4242,
    command: 'npm run dev',
    exitCode: 0,
    message: 'The background command "npm run dev" (PID 4242) ended with exit code 0.',
  },
  mode_changed: { type: 'mode_changed', mode: 'plan' },
  tools_changed: { type: 'tools_changed', added: ['deploy'], removed: [] },
  hook_message: { type: 'hook_message', hookEvent: 'BeforeTool', level: 'info', message: 'The call was looked at.' },
  [GeminiEventType.Content]: {
    type: GeminiEventType.Content,
    value: 'The tests pass.\n\nNothing is left to do.',
    traceId: 'response-1',
  },
  [GeminiEventType.Thought]: {
    type: GeminiEventType.Thought,
    value: { subject: 'Planning', description: 'I will run the tests first.' },
    traceId: 'response-1',
  },
  [GeminiEventType.ToolCallRequest]: { type: GeminiEventType.ToolCallRequest, value: SHELL_CALL },
  [GeminiEventType.ToolCallConfirmation]: {
    type: GeminiEventType.ToolCallConfirmation,
    value: {
      request: SHELL_CALL,
      details: {
        type: 'exec',
        title: 'Confirm Shell Command',
        command: 'npm test',
        rootCommand: 'npm',
        rootCommands: ['npm'],
      },
    },
  },
  [GeminiEventType.ToolCallResponse]: {
    type: GeminiEventType.ToolCallResponse,
    value: {
      callId: SHELL_CALL.callId,
      responseParts: [
        {
          functionResponse: {
            id: SHELL_CALL.callId,
            name: 'run_shell_command',
            response: { output: 'Output: 12 passed' },
          },
        },
      ],
      resultDisplay: '12 passed',
      error: undefined,
      errorType: undefined,
    },
  },
  [GeminiEventType.UserCancelled]: { type: GeminiEventType.UserCancelled },
  [GeminiEventType.Error]: {
    type: GeminiEventType.Error,
    value: { error: { message: 'The model is overloaded.', status: 503, reason: 'server', retryable: true } },
  },
  [GeminiEventType.ChatCompressed]: {
    type: GeminiEventType.ChatCompressed,
    value: { originalTokenCount: 9000, newTokenCount: 1200, compressionStatus: CompressionStatus.COMPRESSED },
  },
  [GeminiEventType.MaxSessionTurns]: { type: GeminiEventType.MaxSessionTurns },
  [GeminiEventType.Finished]: {
    type: GeminiEventType.Finished,
    value: { reason: 'STOP', usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 } },
    traceId: 'response-1',
  },
  [GeminiEventType.LoopDetected]: { type: GeminiEventType.LoopDetected },
  [GeminiEventType.Citation]: {
    type: GeminiEventType.Citation,
    value: 'Citations:\n(Example) https://example.com/',
    traceId: 'response-1',
  },
  [GeminiEventType.Retry]: {
    type: GeminiEventType.Retry,
    value: {
      attempt: 1,
      maxAttempts: 4,
      delayMs: 1000,
      model: 'gemini-2.5-pro',
      error: { message: 'The connection was reset.', reason: 'network', retryable: true },
    },
  },
  [GeminiEventType.ContextWindowWillOverflow]: {
    type: GeminiEventType.ContextWindowWillOverflow,
    value: { estimatedRequestTokenCount: 90_000, remainingTokenCount: 8000 },
  },
  [GeminiEventType.InvalidStream]: {
    type: GeminiEventType.InvalidStream,
    value: { type: 'NO_RESPONSE_TEXT', message: 'The stream ended without text.' },
  },
  [GeminiEventType.ModelInfo]: { type: GeminiEventType.ModelInfo, value: 'gemini-2.5-pro' },
  [GeminiEventType.AgentExecutionStopped]: {
    type: GeminiEventType.AgentExecutionStopped,
    value: { reason: 'A hook ended the prompt.', contextCleared: true },
  },
  [GeminiEventType.AgentExecutionBlocked]: {
    type: GeminiEventType.AgentExecutionBlocked,
    value: { reason: 'policy', systemMessage: 'A hook refused the answer.' },
  },
};

/** A legal order of events: a prompt with tools that succeeds, then prompts that each end in another way. */
export const SAMPLE_LOG: readonly AgentEvent[] = [
  SAMPLE_EVENTS.prompt_started,
  SAMPLE_EVENTS[GeminiEventType.ChatCompressed],
  SAMPLE_EVENTS[GeminiEventType.ModelInfo],
  SAMPLE_EVENTS[GeminiEventType.Thought],
  { type: GeminiEventType.Content, value: 'I will run the te' },
  SAMPLE_EVENTS[GeminiEventType.Retry],
  SAMPLE_EVENTS.fallback_requested,
  SAMPLE_EVENTS.fallback_answered,
  { type: GeminiEventType.Content, value: 'I will run the tests and read the file.' },
  SAMPLE_EVENTS[GeminiEventType.ToolCallRequest],
  { type: GeminiEventType.ToolCallRequest, value: READ_CALL },
  SAMPLE_EVENTS[GeminiEventType.Finished],
  { type: 'tool_call_updated', callId: SHELL_CALL.callId, status: 'validating' },
  { type: 'tool_call_updated', callId: READ_CALL.callId, status: 'scheduled' },
  SAMPLE_EVENTS.notice,
  SAMPLE_EVENTS.background_ended,
  SAMPLE_EVENTS.mode_changed,
  SAMPLE_EVENTS.tools_changed,
  SAMPLE_EVENTS.hook_message,
  SAMPLE_EVENTS[GeminiEventType.ToolCallConfirmation],
  { type: 'tool_call_updated', callId: SHELL_CALL.callId, status: 'scheduled' },
  SAMPLE_EVENTS.tool_call_updated,
  { type: 'tool_call_updated', callId: READ_CALL.callId, status: 'executing' },
  { type: 'tool_call_updated', callId: READ_CALL.callId, status: 'error' },
  {
    type: GeminiEventType.ToolCallResponse,
    value: {
      callId: READ_CALL.callId,
      responseParts: [
        {
          functionResponse: {
            id: READ_CALL.callId,
            name: 'read_file',
            response: { error: 'File not found: README.md' },
          },
        },
      ],
      resultDisplay: 'File not found.',
      error: new Error('File not found: README.md'),
      errorType: 'file_not_found',
    },
  },
  { type: 'tool_call_updated', callId: SHELL_CALL.callId, status: 'success' },
  SAMPLE_EVENTS[GeminiEventType.ToolCallResponse],
  SAMPLE_EVENTS[GeminiEventType.Content],
  SAMPLE_EVENTS[GeminiEventType.Citation],
  SAMPLE_EVENTS[GeminiEventType.Finished],
  SAMPLE_EVENTS.prompt_ended,

  ...endingPrompt(2, SAMPLE_EVENTS[GeminiEventType.Error], 'failed'),
  ...endingPrompt(3, SAMPLE_EVENTS[GeminiEventType.InvalidStream], 'invalid_stream'),
  ...endingPrompt(4, SAMPLE_EVENTS[GeminiEventType.UserCancelled], 'cancelled'),
  ...endingPrompt(5, SAMPLE_EVENTS[GeminiEventType.LoopDetected], 'loop_detected'),
  ...endingPrompt(6, SAMPLE_EVENTS[GeminiEventType.ContextWindowWillOverflow], 'overflow'),
  ...endingPrompt(7, SAMPLE_EVENTS[GeminiEventType.AgentExecutionStopped], 'stopped'),
  ...endingPrompt(8, SAMPLE_EVENTS[GeminiEventType.AgentExecutionBlocked], 'blocked'),
  ...endingPrompt(9, SAMPLE_EVENTS[GeminiEventType.MaxSessionTurns], 'max_turns'),
];

function endingPrompt(
  number: number,
  event: AgentEvent,
  outcome: AgentEventOf<'prompt_ended'>['outcome'],
): AgentEvent[] {
  const prompt_id = `session########${number}`;
  return [
    { type: 'prompt_started', prompt_id, text: `Prompt ${number}.` },
    event,
    { type: 'prompt_ended', prompt_id, outcome },
  ];
}
