/**
 * Our wire types against those of `@google/genai`: a library user may hand either
 * where the other is expected. Checked by the compiler in `npm run check`; nothing
 * of it runs.
 */

import type * as Sdk from '@google/genai';
import type * as Ours from './content.ts';

/** Fails to compile unless a value of the first type may stand where the second is expected. */
type Fits<From extends To, To> = [From, To];

/** The SDK's answers are classes with getters; only their data is the wire. */
type Data<T> = { [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: T[K] };

export type BothWays = [
  Fits<Sdk.Part, Ours.Part>,
  Fits<Ours.Part, Sdk.Part>,
  Fits<Sdk.Content, Ours.Content>,
  Fits<Ours.Content, Sdk.Content>,
  Fits<Sdk.PartListUnion, Ours.PartListUnion>,
  Fits<Ours.PartListUnion, Sdk.PartListUnion>,
  Fits<Sdk.FunctionCall, Ours.FunctionCall>,
  Fits<Ours.FunctionCall, Sdk.FunctionCall>,
  Fits<Sdk.FunctionResponse, Ours.FunctionResponse>,
  Fits<Ours.FunctionResponse, Sdk.FunctionResponse>,
  Fits<Sdk.FunctionDeclaration, Ours.FunctionDeclaration>,
  Fits<Ours.FunctionDeclaration, Sdk.FunctionDeclaration>,
  Fits<Sdk.GenerateContentResponseUsageMetadata, Ours.UsageMetadata>,
  Fits<Ours.UsageMetadata, Sdk.GenerateContentResponseUsageMetadata>,
];

/** What we receive: the SDK's is more specific than ours. */
export type Received = [
  Fits<Data<Sdk.GenerateContentResponse>, Ours.GenerateContentResponse>,
  Fits<Sdk.Candidate, Ours.Candidate>,
  Fits<`${Sdk.FinishReason}`, Ours.FinishReason>,
  Fits<Sdk.CountTokensResponse, Ours.CountTokensResponse>,
  Fits<Sdk.EmbedContentResponse, Ours.EmbedContentResponse>,
];

/** What we send: ours is a part of what the SDK takes. */
export type Sent = [
  Fits<Ours.Tool, Sdk.Tool>,
  Fits<Ours.ToolConfig, Sdk.ToolConfig>,
  Fits<Ours.ThinkingConfig, Sdk.ThinkingConfig>,
  Fits<Ours.GenerateContentConfig, Sdk.GenerateContentConfig>,
];

/** Every finish reason the SDK knows is one of ours by name. */
export type Known = Fits<`${Sdk.FinishReason}`, keyof typeof Ours.FinishReason>;
