/**
 * The Gemini wire vocabulary as plain JSON. It owns the shapes we send and receive and contains no behaviour. Every
 * type is structurally compatible with the one of the same name in `@google/genai` (enforced by content.test-d.ts),
 * so that library users can mix both without casts.
 */

/**
 * A field we carry through untouched and never read. The SDK types it with an
 * enum, to which no string type is assignable; `any` is the one type that mixes
 * with it in both directions.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see the sentence above
type CarriedThrough = any;

export interface Blob {
  /** Base64. */
  data?: string;
  mimeType?: string;
  displayName?: string;
}

export interface FileData {
  fileUri?: string;
  mimeType?: string;
  displayName?: string;
}

export interface FunctionCall {
  id?: string;
  name?: string;
  args?: Record<string, unknown>;
}

export interface FunctionResponsePart {
  inlineData?: Blob;
  fileData?: FileData;
}

export interface FunctionResponse {
  id?: string;
  name?: string;
  /** `{output: …}` on success, `{error: …}` on failure. */
  response?: Record<string, unknown>;
  /** Media that belongs to the response; gemini-3 models only. */
  parts?: FunctionResponsePart[];
  willContinue?: boolean;
  scheduling?: CarriedThrough;
}

/** One piece of a turn. Exactly one payload key is set, beside the flags. */
export interface Part {
  text?: string;
  /** The text is the model's reasoning, not its answer. */
  thought?: boolean;
  /** Opaque proof of reasoning; must be sent back on the part it came with. */
  thoughtSignature?: string;
  inlineData?: Blob;
  fileData?: FileData;
  functionCall?: FunctionCall;
  functionResponse?: FunctionResponse;
  executableCode?: { code?: string; language?: CarriedThrough; id?: string };
  codeExecutionResult?: { outcome?: CarriedThrough; output?: string; id?: string };
  videoMetadata?: { startOffset?: string; endOffset?: string; fps?: number };
  mediaResolution?: CarriedThrough;
}

export interface Content {
  /** `user` or `model`. */
  role?: string;
  parts?: Part[];
}

export type PartUnion = Part | string;
export type PartListUnion = PartUnion[] | PartUnion;

/** Open: a service may add reasons, and an unknown one must be preserved. */
export const FinishReason = {
  FINISH_REASON_UNSPECIFIED: 'FINISH_REASON_UNSPECIFIED',
  STOP: 'STOP',
  MAX_TOKENS: 'MAX_TOKENS',
  SAFETY: 'SAFETY',
  RECITATION: 'RECITATION',
  LANGUAGE: 'LANGUAGE',
  OTHER: 'OTHER',
  BLOCKLIST: 'BLOCKLIST',
  PROHIBITED_CONTENT: 'PROHIBITED_CONTENT',
  SPII: 'SPII',
  MALFORMED_FUNCTION_CALL: 'MALFORMED_FUNCTION_CALL',
  UNEXPECTED_TOOL_CALL: 'UNEXPECTED_TOOL_CALL',
  IMAGE_SAFETY: 'IMAGE_SAFETY',
  IMAGE_PROHIBITED_CONTENT: 'IMAGE_PROHIBITED_CONTENT',
  NO_IMAGE: 'NO_IMAGE',
  IMAGE_RECITATION: 'IMAGE_RECITATION',
  IMAGE_OTHER: 'IMAGE_OTHER',
  TOO_MANY_TOOL_CALLS: 'TOO_MANY_TOOL_CALLS',
  CONTINUATION: 'CONTINUATION',
} as const;
export type FinishReason = (typeof FinishReason)[keyof typeof FinishReason] | (string & {});

export interface Citation {
  uri?: string;
  title?: string;
  license?: string;
  startIndex?: number;
  endIndex?: number;
}

export interface GroundingChunk {
  web?: { uri?: string; title?: string; domain?: string };
}

export interface GroundingMetadata {
  groundingChunks?: GroundingChunk[];
  groundingSupports?: {
    groundingChunkIndices?: number[];
    segment?: { startIndex?: number; endIndex?: number; partIndex?: number; text?: string };
  }[];
  webSearchQueries?: string[];
}

export interface Candidate {
  content?: Content;
  finishReason?: FinishReason;
  finishMessage?: string;
  citationMetadata?: { citations?: Citation[] };
  groundingMetadata?: GroundingMetadata;
  index?: number;
}

export interface UsageMetadata {
  promptTokenCount?: number;
  candidatesTokenCount?: number;
  totalTokenCount?: number;
  cachedContentTokenCount?: number;
  /** Ours, for services that charge it: the tokens of the prompt that were written to the cache. */
  cacheWriteTokenCount?: number;
  thoughtsTokenCount?: number;
  toolUsePromptTokenCount?: number;
}

export interface PromptFeedback {
  blockReason?: string;
  blockReasonMessage?: string;
}

/** One streamed frame, or a whole unstreamed answer. */
export interface GenerateContentResponse {
  candidates?: Candidate[];
  usageMetadata?: UsageMetadata;
  promptFeedback?: PromptFeedback;
  modelVersion?: string;
  responseId?: string;
  /** Sentences for the user about this request; ours, never read from the wire. */
  notices?: string[];
  /** Set by SDK objects only; ours are read through `chat/response.ts`. */
  readonly functionCalls?: FunctionCall[] | undefined;
}

export interface FunctionDeclaration {
  name?: string;
  description?: string;
  /** JSON Schema. The older `parameters` dialect is carried through. */
  parametersJsonSchema?: unknown;
  parameters?: CarriedThrough;
  responseJsonSchema?: unknown;
}

export interface Tool {
  functionDeclarations?: FunctionDeclaration[];
  googleSearch?: Record<string, unknown>;
  urlContext?: Record<string, unknown>;
}

export interface ToolConfig {
  functionCallingConfig?: {
    /** AUTO, ANY, NONE or VALIDATED. */
    mode?: CarriedThrough;
    allowedFunctionNames?: string[];
  };
}

export interface ThinkingConfig {
  includeThoughts?: boolean;
  thinkingBudget?: number;
  thinkingLevel?: CarriedThrough;
}

export interface GenerateContentConfig {
  systemInstruction?: Content | string;
  tools?: Tool[];
  toolConfig?: ToolConfig;
  temperature?: number;
  topP?: number;
  topK?: number;
  maxOutputTokens?: number;
  candidateCount?: number;
  stopSequences?: string[];
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  responseMimeType?: string;
  responseSchema?: CarriedThrough;
  responseJsonSchema?: unknown;
  thinkingConfig?: ThinkingConfig;
  safetySettings?: CarriedThrough[];
  cachedContent?: string;
  /** Cancels the request and its stream. */
  abortSignal?: AbortSignal;
}

export interface GenerateContentParameters {
  model: string;
  contents: readonly Content[];
  config?: GenerateContentConfig;
}

export interface CountTokensParameters {
  model: string;
  contents: readonly Content[];
  config?: { abortSignal?: AbortSignal };
}

export interface CountTokensResponse {
  totalTokens?: number;
}

export interface EmbedContentParameters {
  model: string;
  contents: readonly (Content | string)[];
  config?: { taskType?: string; outputDimensionality?: number; abortSignal?: AbortSignal };
}

export interface EmbedContentResponse {
  embeddings?: { values?: number[] }[];
}
