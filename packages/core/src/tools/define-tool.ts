/**
 * defineTool: the one constructor of tools. It checks arguments against the schema, fills in defaults and gives the
 * definition the shape of a `DefinedTool`. Tools do not ask policy, do not cut their output for the model and do not
 * fire hooks: the executor does.
 */

import type { Validator } from '@cfworker/json-schema';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { PartListUnion } from '../protocol/content.ts';
import { ToolError } from '../protocol/errors.ts';
import type {
  ChildSession,
  DefinedTool,
  ToolCallConfirmationDetails,
  ToolContext,
  ToolInvocation,
  ToolKind,
  ToolLocation,
  ToolResult,
} from '../protocol/tools.ts';
import { createAbortError } from '../util/clock.ts';
import { partListUnionToString } from '../util/part-list.ts';
import { createValidator, loadValidator } from './argument-validator.ts';
import type { ArgsOf, JsonSchema } from './from-schema.ts';

/**
 * The definition of a tool: the first four members suffice. `P` is the type of its
 * arguments, which `defineTool` infers from the schema.
 */
export interface ToolDefinition<P extends object, S extends JsonSchema = JsonSchema> {
  name: string;
  /** Read by the model; it costs tokens in every request. */
  description: string;
  /** JSON Schema of the arguments; invalid calls never reach the tool. */
  schema: S;
  /** An async generator yields updates while it runs: text as live output, events of a child session as events. */
  execute(
    params: P,
    context: ExecuteContext,
  ): ToolOutput | Promise<ToolOutput> | AsyncGenerator<ToolUpdate, ToolOutput>;
  /** Shown to the user. Default: `name`. */
  displayName?: string;
  /** The kind a policy decides by; default `other`, which runs alone and which all our policies ask about. */
  kind?: ToolKind;
  /** Whether the result for the user is markdown. Default true. */
  isOutputMarkdown?: boolean;
  /** Default: whether `execute` is an async generator. */
  canUpdateOutput?: boolean;
  /** Checks what the schema cannot express; returns a sentence the model can act on, or undefined. */
  validate?(params: P): string | undefined;
  /** One line for the user. Default: the arguments as JSON. */
  describe?(params: P): string;
  locations?(params: P): ToolLocation[];
  confirm?(params: P, signal: AbortSignal): Promise<ToolCallConfirmationDetails | false>;
  /** For tools whose proposal the user may edit: the arguments that produce this content instead, marked EDITED_BY_PERSON. */
  modifyArgs?(params: P, newContent: string): Record<string, unknown>;
}

export interface ExecuteContext extends ToolContext {
  /**
   * Runs a prompt of a child session until the call is cancelled, and yields its events. While it runs, the caller
   * answers the child's questions at the parent's session.
   */
  runChild(this: void, session: ChildSession, input: PartListUnion): AsyncGenerator<AgentEvent, void>;
}

/** What a tool may return: the text for the model, or a result; the user sees the same text unless the result overrides it. */
export type ToolOutput = string | (Omit<ToolResult, 'returnDisplay'> & Partial<Pick<ToolResult, 'returnDisplay'>>);

/** What a tool may yield while it runs: printed text, or an event of a child session. */
export type ToolUpdate = string | AgentEvent;

/**
 * Marks arguments that come from the user's edit, with the value `modifyArgs` needs again
 * at execution. A model cannot write a symbol, so only arguments marked with it may have
 * names the schema does not list.
 */
export const EDITED_BY_PERSON: unique symbol = Symbol('edited by person');

/** Data on a proposal the user changed, in addition to the tool's own arguments. */
export interface EditedParams {
  modified_by_user?: boolean;
  /** The whole content the model proposed. */
  ai_proposed_content?: string;
}

/** The scheduler handles it for every tool, so tools need not know it. */
const WAIT_FOR_PREVIOUS = 'wait_for_previous';

/** The maximum length of the arguments shown for a tool without `describe`. */
const MAX_DESCRIBED = 200;

/** Infers the type of the arguments from a literal schema; any other schema gives a plain record. */
export function defineTool<const S extends JsonSchema>(definition: ToolDefinition<ArgsOf<S>, S>): DefinedTool {
  type P = ArgsOf<S>;
  const { name, displayName = name, kind = 'other', description } = definition;
  const schema: Record<string, unknown> = definition.schema;
  let validator: Validator | undefined;

  function build(args: Record<string, unknown>): ToolInvocation {
    validator ??= createValidator(schema);
    const { [WAIT_FOR_PREVIOUS]: _scheduling, ...params } = args;
    const { valid, errors } = validator.validate(EDITED_BY_PERSON in args ? listed(params) : params);
    if (!valid) throw invalidParams(name, describeErrors(errors, schema));
    const problem = definition.validate?.(params as P);
    if (problem !== undefined) throw invalidParams(name, problem);
    return {
      params,
      describe: () => definition.describe?.(params as P) ?? describeArgs(params),
      locations: () => definition.locations?.(params as P) ?? [],
      confirm: async (signal) => (await definition.confirm?.(params as P, signal)) ?? false,
      ...(definition.modifyArgs && {
        modifyArgs: (newContent: string) => definition.modifyArgs?.(params as P, newContent) ?? params,
      }),
      execute: async (context) =>
        toResult(await settle(definition.execute(params as P, withChildren(context)), context)),
    };
  }

  return {
    name,
    displayName,
    kind,
    description,
    isOutputMarkdown: definition.isOutputMarkdown ?? true,
    canUpdateOutput: definition.canUpdateOutput ?? isGenerator(definition.execute),
    schema: { name, description, parametersJsonSchema: schema },
    build,
    async execute(params, signal = new AbortController().signal) {
      const ignore = () => undefined;
      await loadValidator();
      return build(params).execute({ callId: name, signal, onOutput: ignore, onPid: ignore });
    },
    async shouldConfirmExecute(params, signal) {
      await loadValidator();
      return build(params).confirm(signal);
    },
  };
}

function withChildren(context: ToolContext): ExecuteContext {
  return {
    ...context,
    async *runChild(session, input) {
      const release = context.adopt?.(session);
      try {
        yield* session.prompt(input, context.signal);
      } finally {
        release?.();
      }
    },
  };
}

/** Forwards what a generator yields until it returns. On abort it leaves the generator, whose `finally` runs. */
async function settle(
  work: ToolOutput | Promise<ToolOutput> | AsyncGenerator<ToolUpdate, ToolOutput>,
  { signal, onOutput, onEvent }: ToolContext,
): Promise<ToolOutput> {
  if (typeof work === 'string' || !(Symbol.asyncIterator in work)) return work;
  for (;;) {
    const step = await work.next();
    if (step.done) return step.value;
    if (typeof step.value === 'string') onOutput(step.value);
    else onEvent?.(step.value);
    if (signal.aborted) {
      await work.return(undefined as never);
      throw createAbortError();
    }
  }
}

function toResult(output: ToolOutput): ToolResult {
  if (typeof output === 'string') return { llmContent: output, returnDisplay: output };
  const { returnDisplay = partListUnionToString(output.llmContent), ...rest } = output;
  return { ...rest, returnDisplay };
}

function describeArgs(params: Record<string, unknown>): string {
  const text = JSON.stringify(params);
  return text.length <= MAX_DESCRIBED ? text : `${text.slice(0, MAX_DESCRIBED).toWellFormed()}…`;
}

function isGenerator(execute: (...args: never[]) => unknown): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
}

function listed({
  modified_by_user: _flag,
  ai_proposed_content: _content,
  ...params
}: Record<string, unknown>): Record<string, unknown> {
  return params;
}

function invalidParams(name: string, problem: string): ToolError {
  return new ToolError(`Invalid parameters for ${name}: ${problem}`, 'invalid_tool_params');
}

interface SchemaComplaint {
  instanceLocation: string;
  keyword: string;
  error: string;
}

/** Only the innermost errors: the validator also reports every level above them. */
function describeErrors(errors: SchemaComplaint[], schema: Record<string, unknown>): string {
  const inner = errors.filter(({ keyword }) => !['properties', 'items', 'false'].includes(keyword));
  return (inner.length > 0 ? inner : errors).map((complaint) => describeError(complaint, schema)).join(' ');
}

function describeError({ instanceLocation, keyword, error }: SchemaComplaint, { properties }: Record<string, unknown>) {
  const place = instanceLocation.replace(/^#\/?/, 'params/');
  if (keyword === 'minLength') return `${place} must be non-empty.`;
  const unknown = /^Property "(.*)" does not match additional/s.exec(error)?.[1];
  if (unknown === undefined) return `${place}: ${error}`;
  const known = instanceLocation === '#' ? ` The parameters are: ${Object.keys(properties ?? {}).join(', ')}.` : '';
  return `${place}: unknown parameter ${JSON.stringify(unknown)}.${known}`;
}
