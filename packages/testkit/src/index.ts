export type {
  Answer,
  BytesPiece,
  EndingPiece,
  FramePiece,
  Gate,
  Head,
  ModelAction,
  ModelRequest,
  Piece,
  Step,
} from './answer.ts';
export { chaos, TRANSIENT_FAULTS } from './chaos.ts';
export type { ChaosOptions } from './chaos.ts';
export type { Chunking } from './chunking.ts';
export { BODY_ENCODINGS } from './encode-body.ts';
export type { BodyEncoding, EncodingEnd } from './encode-body.ts';
export { createFakeClock } from './fake-clock.ts';
export type { FakeClock, FakeClockOptions } from './fake-clock.ts';
export { fakeModel } from './fake-model.ts';
export type { FakeModel, FakeModelOptions, Script, Violation } from './fake-model.ts';
export { BAD_FINISH_REASONS, fault, FAULTS, MALFORMED_CALL_SHAPES } from './faults.ts';
export type { AfterOptions, FaultName, MalformedCall } from './faults.ts';
export { normalise, readGolden } from './golden.ts';
export type { Replacements } from './golden.ts';
export { ERROR_STATUSES, googleError, PER_DAY_QUOTA, PER_MINUTE_QUOTA } from './google-errors.ts';
export type { ErrorContent, ErrorInfo, ErrorStatus, GoogleError } from './google-errors.ts';
export { findConversationViolations } from './legal-conversation.ts';
export type { ConversationRule, ConversationViolation } from './legal-conversation.ts';
export { findRequestViolations } from './legal-request.ts';
export { mcpServer } from './mcp/http-server.ts';
export type { McpServer } from './mcp/http-server.ts';
export type { AuthorizationServer } from './mcp/oauth-server.ts';
export { McpRecord } from './mcp/record.ts';
export type { McpEntry, McpHttpRequest, McpMessage } from './mcp/record.ts';
export { MCP_VERSIONS } from './mcp/script.ts';
export type {
  AnswerChanges,
  McpAction,
  McpHttp,
  McpOAuth,
  McpOffer,
  McpPages,
  McpPrompt,
  McpResource,
  McpRule,
  McpScript,
  McpTemplate,
  McpTool,
} from './mcp/script.ts';
export { mcpStdioCommand } from './mcp/stdio-command.ts';
export type { McpStdioCommand, McpStdioEntry } from './mcp/stdio-command.ts';
export type { StdioFaultName } from './mcp/stdio-faults.ts';
export * as mcp from './mcp/vocabulary.ts';
export { mergeFrames } from './merge-frames.ts';
export { Memory } from './protocols/memory.ts';
export type { ScriptUsage } from './protocols/planned-turn.ts';
export type { ChatVendor, ProtocolName, ProtocolOptions } from './protocols/protocol.ts';
export type { Quirks, ReasoningField } from './protocols/quirks.ts';
export { refusedUrl } from './refused-url.ts';
export { Condition } from './condition.ts';
export { cleanEnvironment, runCli, startCli, TEST_API_KEY } from './run-cli.ts';
export type { CliOptions, CliProcess, CliResult } from './run-cli.ts';
export {
  answer,
  bigFrame,
  bytes,
  call,
  citation,
  DEFAULT_USAGE,
  dialect,
  ending,
  finish,
  gate,
  raw,
  say,
  text,
  thought,
  together,
  usage,
} from './script.ts';
export type { FinishOptions } from './script.ts';
export { seededRandom } from './seeded-random.ts';
export { DIALECTS, sseBody } from './sse-body.ts';
export type { Dialect, Wire } from './sse-body.ts';
export { jsonAnswer } from './status-faults.ts';
export type { StatusOptions } from './status-faults.ts';
export { startTerminal } from './terminal.ts';
export type { Terminal, TerminalExit, TerminalOptions } from './terminal.ts';
export { toolContractCases } from './tool-contract.ts';
export type { ContractCase } from './tool-contract.ts';
export type { ContractSubject, ContractTool } from './contract-tool.ts';
export { createWorkspace } from './workspace.ts';
export type { Workspace, WorkspaceOptions } from './workspace.ts';
