/**
 * How a server may deviate from its protocol, as data: every option writes the same step in another way that was seen
 * on a real server. The default of each is what the vendor itself sends. A protocol ignores options it has no use for.
 */

export interface Quirks {
  /** Streamed arguments in pieces of this many characters. Default: one piece. */
  readonly argumentPieces?: number;
  /** `object`: arguments that are not a string. `whole`: the call in one fragment. `omitted`: no arguments at all. */
  readonly argumentsAs?: 'object' | 'whole' | 'omitted';
  /** `zero`: every call at index 0. `none`, `null`: no index. */
  readonly indexes?: 'zero' | 'none' | 'null';
  /** `late`: in the last fragment of the call. `every`: repeated in each. `same`: `call_0` for all calls of all turns. */
  readonly ids?: 'none' | 'empty' | 'late' | 'every' | 'same';
  /** `repeated`: in each fragment of the call. `pieces`: in two fragments before the arguments. */
  readonly names?: 'repeated' | 'pieces';
  /** The fragments of parallel calls alternate. */
  readonly interleavedCalls?: boolean;
  /** Each frame repeats the whole text so far. */
  readonly cumulativeText?: boolean;
  /** The field of visible reasoning in Chat Completions. Default the vendor's, else `reasoning_content`. */
  readonly reasoning?: ReasoningField;
  /** Anthropic: `omitted` sends thinking as `""` with its signature. */
  readonly thinking?: 'omitted';
  /**
   * Where Chat Completions reports usage. Default: a last chunk without choices if the request includes it. `always`:
   * without being asked. `finish`: with the finish reason. `choice`: inside the choice.
   */
  readonly usage?: 'none' | 'every' | 'always' | 'finish' | 'choice';
  /** `missing`: no `[DONE]`. `only`: `[DONE]` without a finish reason. */
  readonly done?: 'missing' | 'only';
  /** The reason as the server writes it, whatever the script says: `stop` after calls, `tool_calls` without. */
  readonly finishReason?: string;
  /** A `ping` event before each frame (Anthropic). */
  readonly pings?: boolean;
  /** A first frame without choices, as Azure sends it. */
  readonly emptyFirstChoices?: boolean;
  /** Anthropic as llama.cpp writes it: blocks stop only at the end, `tool_use` starts without `input`. */
  readonly overlappingBlocks?: boolean;
  /** Responses as llama.cpp writes it: no `output_index`, no `sequence_number`, no `arguments.done`. */
  readonly noOutputIndex?: boolean;
  /** Responses: the `phase` of a message. */
  readonly phase?: 'commentary' | 'final_answer';
  /** The model named in the answer, when it is not the requested one. */
  readonly reportedModel?: string;
}

export type ReasoningField =
  | 'reasoning_content'
  | 'reasoning'
  | 'both'
  | 'reasoning_details'
  | 'content_parts'
  | 'think_tags'
  | 'closing_tag';

/** A text in pieces of so many characters; at least one piece. */
export function inPieces(text: string, size: number | undefined): string[] {
  if (size === undefined || text === '') return [text];
  const characters = [...text];
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(''));
}
