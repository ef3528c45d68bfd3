/**
 * The script of a scripted MCP server: what it offers, and the rules that replace its honest answers. A script is plain
 * JSON, so that the same one drives a process over stdio and a server over HTTP; only `McpTool.result` may be a function,
 * in a script that is a module.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

/** The revisions the server accepts by default, newest first. */
export const MCP_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Default `{ type: 'object' }`; null leaves the field out. */
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: JsonObject;
  /** The result of `tools/call`. Default the arguments as JSON text, or the client's last answer to a `request` of `run`. */
  readonly result?: JsonObject | ((call: JsonObject) => JsonObject);
  /** Played before the result of every call. */
  readonly run?: readonly McpAction[];
  /** More fields of the tool in the list, verbatim. */
  readonly extra?: JsonObject;
}

export interface McpPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[];
  /** The messages of `prompts/get`; `{{name}}` in a text becomes the argument. Default one user text with all arguments. */
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  /** What `completion/complete` offers, by argument. */
  readonly completions?: Readonly<Record<string, readonly string[]>>;
}

export interface McpResource {
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
  /** The whole `contents` of `resources/read`, instead of `text` or `blob`. */
  readonly contents?: readonly JsonObject[];
}

export interface McpTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** The text of every URI that fits the template; `{{uri}}` becomes the URI. */
  readonly text?: string;
  readonly completions?: Readonly<Record<string, readonly string[]>>;
}

/** How lists are cut into pages. */
export interface McpPages {
  readonly size: number;
  /**
   * `end` (default): the last page has no cursor; `loop`: it leads to the first page again; `same`: every page has the
   * same cursor and the same content; `endless`: after the last page come empty pages, each with a new cursor.
   */
  readonly cursors?: 'end' | 'loop' | 'same' | 'endless';
}

/** One thing the server does. `actions.ts` has a constructor for each. */
export type McpAction =
  | ({ readonly do: 'answer' } & AnswerChanges)
  | { readonly do: 'send'; readonly message: unknown }
  | { readonly do: 'notify'; readonly method: string; readonly params?: JsonObject }
  | { readonly do: 'request'; readonly method: string; readonly params?: JsonObject; readonly isAwaited?: boolean }
  | { readonly do: 'progress'; readonly progress: number; readonly more?: JsonObject }
  | { readonly do: 'raw'; readonly text: string; readonly repeat?: number; readonly encoding?: 'utf8' | 'base64' }
  | { readonly do: 'stderr'; readonly text: string; readonly repeat?: number }
  | { readonly do: 'gate'; readonly name: string }
  | { readonly do: 'delay'; readonly milliseconds: number }
  | { readonly do: 'cancelled' }
  | { readonly do: 'change'; readonly change: McpOffer }
  | { readonly do: 'crash'; readonly code?: number; readonly signal?: string }
  | { readonly do: 'close'; readonly stream: 'stdin' | 'stdout' }
  | { readonly do: 'grandchild'; readonly isDetached?: boolean; readonly ignores?: readonly string[] }
  | {
      readonly do: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly do: 'reset' }
  | { readonly do: 'drop' }
  | { readonly do: 'forget' }
  | { readonly do: 'pass' };

/** How an answer deviates from the honest one. */
export interface AnswerChanges {
  /** Instead of the honest result. */
  readonly result?: unknown;
  /** An error instead of a result. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** Instead of the request's id; null is an id, too. */
  readonly id?: string | number | null;
  /** On the same line, before and after the JSON. */
  readonly prefix?: string;
  readonly suffix?: string;
  /** Into how many writes the line is cut. */
  readonly pieces?: number;
  /** Only the first half of the line is sent, without its end. */
  readonly isHalf?: boolean;
  /** Bytes of padding in `_meta`, for a huge line. */
  readonly padding?: number;
  /** Instead of `\n`. */
  readonly lineEnd?: string;
  /** Answers a cancelled request as well. */
  readonly isLate?: boolean;
}

/** Replaces the honest answer to what it matches by its actions; without `answer` among them, no answer is sent. */
export interface McpRule {
  /** A JSON-RPC method, `*` for every message, `start` for the process, or `GET /path` for a request over HTTP. */
  readonly on: string;
  /** Only for this `params.name` (tool, prompt) or `params.uri`. */
  readonly name?: string;
  /** Only for this match, from 1; `[2, 4]` is a range, `[3, null]` all from the third. */
  readonly nth?: number | readonly [number, number | null];
  /** Only in this start of the process, from 1, or in these. */
  readonly start?: number | readonly [number, number | null];
  readonly do: readonly McpAction[];
}

/** What a server offers; `change` replaces these while it runs. */
export interface McpOffer {
  readonly tools?: readonly McpTool[];
  readonly prompts?: readonly McpPrompt[];
  readonly resources?: readonly McpResource[];
  readonly templates?: readonly McpTemplate[];
}

/** Settings of the process over stdio. */
export interface McpProcess {
  /** Signals without effect, SIGKILL excluded. */
  readonly ignores?: readonly string[];
  /** The process goes on after the client has closed its stdin. */
  readonly ignoresStdinEnd?: boolean;
}

export interface McpHttp {
  /** What the server speaks, at `/mcp` and at `/sse`. Default both. */
  readonly transports?: readonly ('streamable' | 'sse')[];
  /** Answers to POST. Default `sse`. */
  readonly answers?: 'sse' | 'json';
  /** `none`: no `mcp-session-id`. Default `header`. */
  readonly sessions?: 'header' | 'none';
  /** The optional listening stream; false answers GET with 405. Default true. */
  readonly stream?: boolean;
  /** DELETE ends a session; false answers with 405. Default true. */
  readonly canDelete?: boolean;
  /** Events have ids and are sent again after `last-event-id`. */
  readonly isResumable?: boolean;
  /** The `retry:` field of streams, in milliseconds. */
  readonly retry?: number;
  /** Headers every request needs, by lower-case name; another value is answered with 401. */
  readonly requires?: Readonly<Record<string, string>>;
}

export interface McpOAuth {
  /** Default `['read', 'write']`. */
  readonly scopes?: readonly string[];
  /** The path of the issuer. Default none. */
  readonly issuerPath?: string;
  /** The authorization server has a port of its own. */
  readonly isSeparate?: boolean;
  /** Where the protected resource metadata is announced: in the header of the 401 and at the well-known path. */
  readonly resourceMetadata?: 'header' | 'well-known' | 'none';
  /** The `resource` of the metadata, if it lies. */
  readonly resource?: string;
  /** Which well-known document the authorization server has. Default `oauth`. */
  readonly metadata?: 'oauth' | 'openid' | 'none';
  /** Fields over those of the authorization server's metadata; null removes one. */
  readonly metadataFields?: JsonObject;
  /** Dynamic registration. Default true; `secret` hands out a client secret. */
  readonly registration?: boolean | 'secret';
  /** Clients that need no registration. */
  readonly clients?: readonly {
    readonly id: string;
    readonly secret?: string;
    readonly redirectUris?: readonly string[];
  }[];
  /** The user's answer at the authorization endpoint. Default `grant`; `wrong_state` returns another state. */
  readonly consent?: 'grant' | 'deny' | 'wrong_state' | 'no_code';
  /** `expires_in` in seconds; null leaves it out. Default 3600. */
  readonly expiresIn?: number | null;
  /** Default `rotate`: a new refresh token with each use; `keep`: none in the answer; `none`: never one. */
  readonly refresh?: 'rotate' | 'keep' | 'none';
  /** Access tokens the server accepts from the start. */
  readonly tokens?: readonly string[];
  /** Refresh tokens the server accepts from the start, for any client. */
  readonly refreshTokens?: readonly string[];
}

export interface McpScript extends McpOffer {
  /** Default `{ name: 'scripted', version: '1.0.0' }`. */
  readonly serverInfo?: JsonObject;
  readonly instructions?: string;
  /** Revisions the server accepts, newest first: it answers with the client's, or with its newest. */
  readonly versions?: readonly string[];
  /** The version `initialize` answers with, whatever the client offers. */
  readonly version?: string;
  /** Instead of the capabilities that follow from the offer. */
  readonly capabilities?: JsonObject;
  readonly pages?: McpPages;
  /** Every list begins one item later than the one before. */
  readonly isRotating?: boolean;
  readonly rules?: readonly McpRule[];
  readonly process?: McpProcess;
  readonly http?: McpHttp;
  readonly oauth?: McpOAuth;
}
