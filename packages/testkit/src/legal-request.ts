/**
 * Validates what the service checks in a request body before the conversation: unknown fields and invalid declarations.
 * Reads untrusted JSON, never throws.
 */

import { isObject } from './json-object.ts';

const BODY_KEYS = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'cachedContent',
  'generationConfig',
  'labels',
]);

const GENERATION_KEYS = new Set([
  'stopSequences',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'candidateCount',
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'speechConfig',
  'thinkingConfig',
  'mediaResolution',
  'imageConfig',
]);

const DECLARATION_NAME = /^[A-Za-z_][\w.:-]{0,63}$/;

/** Sentences, one per fault; none means the body is well formed (its contents apart). */
export function findRequestViolations(body: unknown): string[] {
  if (!isObject(body)) return ['the body is not a JSON object'];
  return [
    ...unknownKeys(body, BODY_KEYS, 'the body'),
    ...findInstructionViolations(body['systemInstruction']),
    ...findGenerationViolations(body['generationConfig']),
    ...findToolViolations(body['tools']),
    ...(body['toolConfig'] === undefined || isObject(body['toolConfig']) ? [] : ['toolConfig is not an object']),
  ];
}

function findInstructionViolations(instruction: unknown): string[] {
  if (instruction === undefined) return [];
  const parts: unknown = isObject(instruction) ? instruction['parts'] : undefined;
  if (!Array.isArray(parts) || parts.length === 0) return ['systemInstruction has no parts'];
  const isText = (part: unknown) => isObject(part) && typeof part['text'] === 'string' && part['text'] !== '';
  return parts.every(isText) ? [] : ['systemInstruction has a part without text'];
}

function findGenerationViolations(config: unknown): string[] {
  if (config === undefined) return [];
  return isObject(config)
    ? unknownKeys(config, GENERATION_KEYS, 'generationConfig')
    : ['generationConfig is not an object'];
}

function findToolViolations(tools: unknown): string[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) return ['tools is not a list'];
  const seen = new Set<unknown>();
  return tools.flatMap((tool: unknown) => {
    if (!isObject(tool) || Object.keys(tool).length === 0) return ['a tool is empty'];
    const declarations: unknown = tool['functionDeclarations'];
    if (declarations === undefined) return [];
    if (!Array.isArray(declarations) || declarations.length === 0) return ['functionDeclarations is empty'];
    return declarations.flatMap((declaration: unknown) => {
      const name: unknown = isObject(declaration) ? declaration['name'] : undefined;
      if (typeof name !== 'string' || !DECLARATION_NAME.test(name)) {
        return [`${JSON.stringify(name)} is not a name for a function of at most 64 characters`];
      }
      if (seen.has(name)) return [`the function ${name} is declared twice`];
      seen.add(name);
      return [];
    });
  });
}

function unknownKeys(value: object, known: ReadonlySet<string>, where: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => `${where} has the unknown field ${JSON.stringify(key)}`);
}
