/** Builds the result of an ended call for the model and for the user. */

import type { Part } from '../protocol/content.ts';
import { ToolError, getErrorMessage } from '../protocol/errors.ts';
import type { CompletedToolCall, OutputTruncation, ToolCallRequestInfo } from '../protocol/tool-calls.ts';
import type { ToolErrorType, ToolResult, ToolResultDisplay } from '../protocol/tools.ts';
import { isProgramStopped } from '../util/program-stop.ts';
import { toErrorResponse, toFunctionResponse } from '../tools/tool-output.ts';

interface Told {
  responseParts: Part[];
  resultDisplay?: ToolResultDisplay;
  outputFile?: string | undefined;
  truncation?: OutputTruncation | undefined;
  data?: Record<string, unknown> | undefined;
}

/** From the parts of a response, or from what a tool returned, as the documents show it. */
export function createSuccessResult(request: ToolCallRequestInfo, told: Told | ToolResult): CompletedToolCall {
  if ('responseParts' in told) return complete(request, 'success', told);
  const { llmContent, returnDisplay: resultDisplay, data } = told;
  const converted = toFunctionResponse({ ...answerTo(request), mediaInResponses: false }, llmContent);
  const responseParts = [...converted.responseParts, ...converted.injectedParts];
  return complete(request, 'success', { responseParts, resultDisplay, data });
}

/** A failure the model should read and act on. The documents pass its type, the executor the tool's result. */
export function createErrorResult(
  request: ToolCallRequestInfo,
  error: unknown,
  typeOrResult?: ToolErrorType | ToolResult,
): CompletedToolCall {
  const [type, result] = typeof typeOrResult === 'string' ? [typeOrResult] : [undefined, typeOrResult];
  const failure = toToolError(error, type);
  const display = failure.display ?? (typeof result?.returnDisplay === 'string' ? result.returnDisplay : undefined);
  return complete(
    request,
    'error',
    {
      responseParts: toErrorResponse(answerTo(request), failure.message),
      resultDisplay: display || failure.message,
      ...(result?.data && { data: result.data }),
    },
    failure,
  );
}

/** Of a tool that ran and reports its failure. */
export function createFailedResult(
  request: ToolCallRequestInfo,
  result: ToolResult,
  { message, type = 'execution_failed' }: NonNullable<ToolResult['error']>,
): CompletedToolCall {
  return createErrorResult(request, new ToolError(message, type), result);
}

/** Keeps the output up to the cancel: the call may already have had effects. */
export function createCancelledResult(request: ToolCallRequestInfo, reason: string, output = ''): CompletedToolCall {
  const message = `[Operation Cancelled] ${reason}`;
  const { callId, toolName } = answerTo(request);
  const response = { error: message, ...(output && { output }) };
  return complete(request, 'cancelled', {
    responseParts: [{ functionResponse: { id: callId, name: toolName, response } }],
    resultDisplay: output || message,
  });
}

/** What a call that the end of the program cut off is to the model, here and when its session is resumed. */
export const CUT_OFF = {
  not_started: 'The program stopped before this call started. The call had no effect.',
  unknown: 'The program stopped while this call was running. Its effect is unknown: check before you repeat it.',
  unchanged:
    'The program stopped while this call was running, so its result is lost. The call changes nothing, so you can repeat it.',
} as const;

/** Of a call whose signal was aborted: by the user, or by the end of the program, which is not the user's decision. */
export function createAbortedResult(
  request: ToolCallRequestInfo,
  signal: AbortSignal,
  state: keyof typeof CUT_OFF,
  output = '',
): CompletedToolCall {
  if (!isProgramStopped(signal)) return createCancelledResult(request, 'User cancelled operation', output);
  const { callId, toolName } = answerTo(request);
  const status = state === 'not_started' ? state : 'unknown';
  const response = { error: CUT_OFF[state], status, ...(output && { output }) };
  const responseParts = [{ functionResponse: { id: callId, name: toolName, response } }];
  const error = new ToolError(CUT_OFF[state], 'execution_failed');
  return complete(request, 'error', { responseParts, resultDisplay: output || CUT_OFF[state] }, error);
}

/** The response carries the name the model called, also when another tool did the work. */
export function answerTo(request: ToolCallRequestInfo): { callId: string; toolName: string } {
  return { callId: request.callId, toolName: request.originalRequestName ?? request.name };
}

function complete(
  request: ToolCallRequestInfo,
  status: CompletedToolCall['status'],
  told: Told,
  error?: ToolError,
): CompletedToolCall {
  const { responseParts, resultDisplay, outputFile, truncation, data } = told;
  const contentLength = contentLengthOf(responseParts);
  return {
    status,
    request,
    response: {
      callId: request.callId,
      responseParts,
      resultDisplay,
      error,
      errorType: error?.type,
      ...(outputFile !== undefined && { outputFile }),
      ...(truncation && { truncation }),
      ...(contentLength !== undefined && { contentLength }),
      ...(data && { data }),
    },
  };
}

/** The number of characters of the result that the model reads: of its output, else of the error. */
function contentLengthOf(responseParts: readonly Part[]): number | undefined {
  const response = responseParts.find((part) => part.functionResponse)?.functionResponse?.response;
  const text = response?.['output'] ?? response?.['error'];
  return typeof text === 'string' ? text.length : undefined;
}

function toToolError(error: unknown, type: ToolErrorType = 'unhandled_exception'): ToolError {
  if (error instanceof ToolError) return error;
  return new ToolError(getErrorMessage(error), type, { cause: error });
}
