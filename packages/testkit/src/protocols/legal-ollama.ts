/**
 * Judges a request to Ollama. The server itself ignores unknown fields and torn pairs of calls and results; the pairs
 * are judged all the same, since its template then shows the model a wrong history.
 */

import type { ModelRequest } from '../answer.ts';
import { isObject } from '../json-object.ts';
import { judgeOllamaForm } from './legal-answer-form.ts';
import { bad, objectsOf } from './legal-fields.ts';
import type { ProtocolOptions, Verdict } from './protocol.ts';

type Fields = Record<string, unknown>;

const ROLES = ['system', 'user', 'assistant', 'tool'];
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export function judgeOllama(request: ModelRequest, options: ProtocolOptions): Verdict[] {
  const body: unknown = request.body;
  if (!isObject(body)) return [bad('json: cannot unmarshal array into Go value of type api.ChatRequest')];
  const messages = objectsOf(body['messages']).map(({ value }) => value);
  return [
    ...(request.model === undefined ? [bad('model is required')] : []),
    ...(messages.length === 0 ? [bad('messages is required')] : []),
    ...abilityVerdicts(body, request.model, options),
    ...judgeOllamaForm(body),
    ...messages.flatMap(messageVerdicts),
    ...answerVerdicts(messages),
  ];
}

/** The list of models says what each can, as `/api/tags` of newer versions does. */
function abilityVerdicts(body: Fields, model: string | undefined, { models = [] }: ProtocolOptions): Verdict[] {
  const capabilities = models.find((row) => row['name'] === model || row['model'] === model)?.['capabilities'];
  if (!Array.isArray(capabilities)) return [];
  const lacks = (ability: string) => !capabilities.includes(ability);
  const thinks = body['think'] !== undefined && body['think'] !== false;
  return [
    ...(objectsOf(body['tools']).length > 0 && lacks('tools') ? [bad(`${model} does not support tools`)] : []),
    ...(thinks && lacks('thinking') ? [bad(`"${model}" does not support thinking`)] : []),
  ];
}

function messageVerdicts(message: Fields): Verdict[] {
  const { role, content, images } = message;
  const type = Array.isArray(content) ? 'array' : content === null ? 'null' : typeof content;
  return [
    ...(ROLES.includes(String(role)) ? [] : [bad(`invalid role: ${String(role)}`)]),
    ...(content === undefined || typeof content === 'string' ? [] : [wrongType(type, 'content', 'string')]),
    ...(Array.isArray(images) && !images.every((image) => typeof image === 'string' && BASE64.test(image))
      ? [bad('illegal base64 data at input byte 0')]
      : []),
    ...objectsOf(message['tool_calls']).flatMap(({ value }) => {
      const args = isObject(value['function']) ? value['function']['arguments'] : undefined;
      if (isObject(args)) return [];
      return [wrongType(typeof args, 'tool_calls.function.arguments', 'api.ToolCallFunctionArguments')];
    }),
  ];
}

function wrongType(given: string, name: string, wanted: string): Verdict {
  return bad(`json: cannot unmarshal ${given} into Go struct field ChatRequest.messages.${name} of type ${wanted}`);
}

function answerVerdicts(messages: readonly Fields[]): Verdict[] {
  const verdicts: Verdict[] = [];
  let open: string[] = [];
  const close = () => {
    verdicts.push(...open.map((name) => bad(`the call of ${name} has no result right after it`)));
    open = [];
  };
  for (const message of messages) {
    if (message['role'] === 'tool') {
      const place = open.indexOf(String(message['tool_name']));
      if (place < 0) verdicts.push(bad(`the result of ${String(message['tool_name'])} has no call before it`));
      else open.splice(place, 1);
      continue;
    }
    close();
    open = objectsOf(message['tool_calls']).map(({ value }) =>
      String(isObject(value['function']) ? value['function']['name'] : undefined),
    );
  }
  close();
  return verdicts;
}
