/**
 * The quirks of servers that speak Chat Completions, as data: a provider is a row, never code of its own. A setting may
 * override each. Types and the defaults only.
 */

export interface ReasoningQuirk {
  /** The field of a message that carries reasoning. */
  field?: 'reasoning_content' | 'reasoning' | 'reasoning_details' | undefined;
  /** When it must come back: on every assistant message, on those with calls, or never. Default `never`. */
  echo?: 'always' | 'calls' | 'never' | undefined;
  /** How thinking is asked for. Default: not at all. */
  knob?: 'effort' | 'openrouter' | 'deepseek' | 'thinking-type' | 'enable-thinking' | undefined;
}

export interface ChatQuirks {
  /** The role of the system text. Default `system`. */
  systemRole?: 'system' | 'developer' | undefined;
  /** The field that limits the answer. Default `max_tokens`. */
  maxTokensField?: 'max_tokens' | 'max_completion_tokens' | undefined;
  /** Whether usage is asked for with `stream_options`. Default true. */
  streamOptions?: boolean | undefined;
  /** Whether `tool_choice` is sent. Default true. */
  toolChoice?: boolean | undefined;
  /** Whether `prompt_cache_key` is sent. Default false. */
  cacheKey?: boolean | undefined;
  /** Whether text parts take `cache_control`, for Anthropic's models behind a gateway. Default false. */
  cacheControl?: boolean | undefined;
  /** The exact length of a call id, of letters and digits. */
  callIdLength?: number | undefined;
  /** Whether a short assistant message must stand between a tool message and a user message. */
  bridgeAfterTool?: boolean | undefined;
  /** Whether `additionalProperties: false` is removed from schemas. */
  openSchemas?: boolean | undefined;
  /** Whether the schema of an answer is sent beside tools, and enforced as OpenAI does it. Default false. */
  formBesideTools?: boolean | undefined;
  /** Whether reasoning tokens are counted beside the completion tokens instead of among them. */
  reasoningApart?: boolean | undefined;
  /** Whether a call written as plain text is recognised, when it is the whole answer. Only for local servers. */
  textCalls?: boolean | undefined;
  /** Whether `extra_content` carries Gemini's signatures. */
  extraContent?: boolean | undefined;
  /** The version of Azure's older path, in which the model is a deployment. Absent: the usual path. */
  deploymentVersion?: string | undefined;
  reasoning?: ReasoningQuirk | undefined;
  /** How long a server may take before its first header. */
  headersTimeoutMs?: number | undefined;
}
