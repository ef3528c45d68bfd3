/** Decides which requests get an error before the model sees them, and its message. */

import type { Answer, ModelRequest } from './answer.ts';
import { findConversationViolations } from './legal-conversation.ts';
import { findRequestViolations } from './legal-request.ts';
import { findGeminiFormViolations } from './protocols/legal-answer-form.ts';
import type { ProtocolOptions, Route } from './protocols/protocol.ts';
import { statusAnswer } from './status-faults.ts';

export interface Refusal {
  readonly answer: Answer;
  readonly messages: readonly string[];
}

export type DoorOptions = Pick<ProtocolOptions, 'strict' | 'key' | 'models'>;

const ACTIONS = new Set<unknown>([
  ...['streamGenerateContent', 'generateContent', 'countTokens', 'batchEmbedContents'],
  // Vertex embeds under this name.
  'predict',
]);

/** Any prefix may precede the version, as behind a gateway; Vertex names the project and the publisher. */
const MODEL_PATH = /\/v\w+\/(projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/google\/)?models\/([^/:]+):(\w+)$/;

export function geminiRoute(_method: string, path: string): Route {
  const [, , model, action] = MODEL_PATH.exec(path.split('?')[0]!) ?? [];
  return { model: model === undefined ? undefined : decodeURIComponent(model), action };
}

export function refuse(request: ModelRequest, options: DoorOptions): Refusal | undefined {
  const isList = options.models !== undefined && request.method === 'GET' && /\/models(\?|$)/.test(request.path);
  if (isList) return refuseKey(request, options.key);
  return refusePath(request) ?? refuseKey(request, options.key) ?? refuseBody(request, options.strict ?? true);
}

function refusePath({ method, path, action }: ModelRequest): Refusal | undefined {
  if (method !== 'POST' || !ACTIONS.has(action)) {
    const message = `${method} ${path} is not part of this API.`;
    return { answer: statusAnswer(404, { message }), messages: [message] };
  }
  if (action === 'streamGenerateContent' && !/[?&]alt=sse(&|$)/.test(path)) {
    const message = 'The fake model streams server-sent events only: ask with alt=sse.';
    return { answer: statusAnswer(400, { message }), messages: [message] };
  }
  return undefined;
}

function refuseKey({ headers, path }: ModelRequest, wanted: string | null | undefined): Refusal | undefined {
  const token = /^Bearer (.+)$/.exec(headers['authorization'] ?? '')?.[1];
  const isProject = MODEL_PATH.exec(path.split('?')[0]!)?.[1] !== undefined;
  const given = isProject ? token : (headers['x-goog-api-key'] ?? token);
  if (!given && wanted !== null) {
    const message = isProject
      ? 'API keys are not supported by this API. Expected OAuth2 access token.'
      : 'The request carries neither an API key nor a bearer token.';
    return { answer: statusAnswer(401, { message }), messages: [message] };
  }
  if (wanted === undefined || wanted === null || given === wanted) return undefined;
  const message = 'API key not valid. Please pass a valid API key.';
  const errorInfo = { reason: 'API_KEY_INVALID', metadata: { service: 'generativelanguage.googleapis.com' } };
  return { answer: statusAnswer(400, { message, errorInfo }), messages: [message] };
}

function refuseBody(request: ModelRequest, strict: boolean): Refusal | undefined {
  const messages = request.body === undefined ? ['the body is not JSON'] : strict ? illegalities(request) : [];
  if (messages.length === 0) return undefined;
  return { answer: statusAnswer(400, { message: `Illegal request: ${messages.join('; ')}.` }), messages };
}

function illegalities({ action, body, model }: ModelRequest): string[] {
  if (action !== 'generateContent' && action !== 'streamGenerateContent') return [];
  const inBody = [...findRequestViolations(body), ...findGeminiFormViolations(body, model)];
  const inTurns = findConversationViolations((body as { contents?: unknown } | null)?.contents, model);
  return [...inBody, ...inTurns.map(({ turn, message }) => `turn ${turn}: ${message}`)];
}
