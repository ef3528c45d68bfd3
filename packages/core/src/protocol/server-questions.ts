/** Questions that an MCP server has for the user or for the model, and the answers. Plain data; types only. */

import type { Content } from './content.ts';

/** One field of a form. Every text in it is the server's. */
export interface FormField {
  /** The key in the answer. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  readonly isRequired: boolean;
  /** Whether its name suggests a password, a key or a token. */
  readonly isSecret: boolean;
  readonly preset?: string | number | boolean | readonly string[] | undefined;
  /** For `choice` and `choices`. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  readonly format?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
}

export type FormValue = string | number | boolean | readonly string[];

/** The server asks for data. */
export interface ServerForm {
  readonly type: 'form';
  readonly server: string;
  readonly message: string;
  readonly fields: readonly FormField[];
  /** Castor itself asks, under this title: the answer goes to no server. */
  readonly ownTitle?: string;
}

export type ServerQuestion =
  | ServerForm
  /** The server asks the user to open a page. */
  | { readonly type: 'url'; readonly server: string; readonly message: string; readonly url: string }
  /** The server asks for an answer of the model. */
  | { readonly type: 'sampling'; readonly server: string; readonly request: SamplingRequest };

export type ServerAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, FormValue>>; readonly isLasting?: boolean }
  | { readonly action: 'decline' | 'cancel' };

/** Resolves with the user's answer; `cancel` when the question is withdrawn. */
export type AskForServer = (question: ServerQuestion, signal: AbortSignal) => Promise<ServerAnswer>;

/** A request of a server to the model of the session. */
export interface SamplingRequest {
  readonly system?: string | undefined;
  readonly contents: readonly Content[];
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  readonly stopSequences?: string[] | undefined;
}

export interface SamplingAnswer {
  readonly text: string;
  readonly model: string;
  readonly isCut: boolean;
}
