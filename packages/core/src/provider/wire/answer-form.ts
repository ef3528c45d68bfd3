/** The form that a request wants for its answer, and how much of it a provider takes. */

import type { GenerateContentConfig } from '../../protocol/content.ts';
import { isRecord } from '../../util/is-record.ts';

export interface AnswerForm {
  /** Absent: any JSON. */
  schema?: Record<string, unknown>;
}

/** Undefined: the answer is free. */
export function answerForm(config: GenerateContentConfig): AnswerForm | undefined {
  const { responseJsonSchema, responseSchema, responseMimeType } = config;
  const schema: unknown = responseJsonSchema ?? responseSchema;
  if (isRecord(schema)) return { schema };
  return responseMimeType === 'application/json' ? {} : undefined;
}

/** Whether the request offers functions that the model may call. */
export function hasFunctions({ tools = [] }: GenerateContentConfig): boolean {
  return tools.some(({ functionDeclarations = [] }) => functionDeclarations.length > 0);
}

/** What a request says in words where its form is not sent. */
export function wordsFor({ schema }: AnswerForm): string {
  const words = 'Answer with one JSON value and nothing else.';
  return schema ? `${words} It must match this schema: ${JSON.stringify(schema)}` : words;
}

export interface OpenAiForm extends AnswerForm {
  /** Whether the service enforces the schema. */
  strict: boolean;
}

/**
 * The form in the dialects of OpenAI. Most servers that speak them reject a form beside tools, or let the model call
 * none of them any more; OpenAI itself takes both, and an object only.
 */
export function openAiForm(
  config: GenerateContentConfig,
  { hasTools, formBesideTools = false }: { hasTools: boolean; formBesideTools?: boolean | undefined },
): OpenAiForm | undefined {
  const form = hasTools && !formBesideTools ? undefined : answerForm(config);
  if (!form?.schema) return form && { strict: false };
  if (!formBesideTools) return { ...form, strict: false };
  return form.schema['type'] === 'object' ? { ...form, strict: isStrict(form.schema) } : undefined;
}

/** Keywords that OpenAI enforces in every model. */
const STRICT_KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', '$ref', '$defs'],
  ...['description', 'title'],
]);
const MOST_STRICT_LEVELS = 10;

/**
 * Whether a schema can be enforced as it is. One that cannot is sent unchanged and not enforced: a change, such as
 * making every property required, would ask for answers that the schema itself rejects.
 */
function isStrict(schema: unknown, level = 1): boolean {
  if (!isRecord(schema) || level > MOST_STRICT_LEVELS) return false;
  if (!Object.keys(schema).every((keyword) => STRICT_KEYWORDS.has(keyword))) return false;
  const { type, properties, required, additionalProperties, items, anyOf, $defs } = schema;
  const isObject = type === 'object' || properties !== undefined || additionalProperties !== undefined;
  if (level === 1 && (!isObject || anyOf !== undefined)) return false;
  if (isObject) {
    if (!isRecord(properties) || additionalProperties !== false || !Array.isArray(required)) return false;
    if (!Object.keys(properties).every((name) => required.includes(name))) return false;
  }
  const inner = [
    ...(isRecord(properties) ? Object.values(properties) : []),
    ...(isRecord($defs) ? Object.values($defs) : []),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items]),
  ];
  return inner.every((one) => isStrict(one, level + 1));
}
