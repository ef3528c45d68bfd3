/** Joins a protocol, the options of a fake model and its memory to what the server asks for each request. */

import type { Answer, ModelRequest, Step } from '../answer.ts';
import { answerAside } from '../answer-aside.ts';
import { geminiRoute, refuse } from '../refuse.ts';
import type { Refusal } from '../refuse.ts';
import { statusAnswer } from '../status-faults.ts';
import { toUnaryAnswer } from '../unary-answer.ts';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { findForeignSignatures, rememberSignatures } from './legal-gemini-signatures.ts';
import { Memory } from './memory.ts';
import { ollama } from './ollama.ts';
import { field } from './protocol.ts';
import type { Protocol, ProtocolName, ProtocolOptions, Verdict } from './protocol.ts';
import { responses } from './responses.ts';
import { translate } from './translate.ts';

export interface Service {
  readonly route: Protocol['route'];
  /** Undefined when the vendor accepts the request. */
  refuse(request: ModelRequest): Refusal | undefined;
  /** Undefined when the script answers the request. */
  aside(request: ModelRequest): Step | undefined;
  /** The script's answer as the protocol sends it for this request. */
  translate(answer: Answer, request: ModelRequest, stamp: Readonly<Record<string, string>>): Answer;
}

const PROTOCOLS: Record<Exclude<ProtocolName, 'gemini'>, Protocol> = { chat, responses, anthropic, ollama };
const KEYLESS_PATH = /\/health$/;

export function createService(options: ProtocolOptions): Service {
  const { protocol = 'gemini' } = options;
  return protocol === 'gemini' ? geminiService(options) : protocolService(PROTOCOLS[protocol], options);
}

function geminiService(options: ProtocolOptions): Service {
  return {
    route: geminiRoute,
    refuse: (request) => refuse(request, options) ?? refuseSignatures(request, options),
    aside: (request) => answerAside(request, options),
    translate(answer, request, stamp) {
      if (options.memory) rememberSignatures(answer, request.model ?? '', options.memory);
      return request.action === 'streamGenerateContent' ? answer : toUnaryAnswer(answer, stamp);
    },
  };
}

/** Gemini's signatures are judged only if the test shares a memory. */
function refuseSignatures({ body }: ModelRequest, { memory }: ProtocolOptions): Refusal | undefined {
  const messages = memory ? findForeignSignatures(field(body, 'contents'), memory) : [];
  if (messages.length === 0) return undefined;
  return { answer: statusAnswer(400, { message: 'Corrupted thought signature.' }), messages };
}

function protocolService(protocol: Protocol, options: ProtocolOptions): Service {
  const memory = options.memory ?? new Memory();
  return {
    route: (method, path, body) => protocol.route(method, path, body),
    refuse: (request) => refuseKey(request, protocol, options) ?? refuseRequest(request, protocol, options, memory),
    aside: (request) => protocol.aside(request, options),
    translate: (answer, request) => translate(answer, protocol, request, options, memory),
  };
}

function refuseKey(request: ModelRequest, protocol: Protocol, { key }: ProtocolOptions): Refusal | undefined {
  if (key === null || (key === undefined && protocol.isKeyless) || KEYLESS_PATH.test(request.path)) return undefined;
  const given = protocol.keyOf(request);
  if (given && (key === undefined || key === given)) return undefined;
  const reason = given ? 'the key is not the one the server requires' : 'the request carries no key';
  return { answer: statusAnswer(401), messages: [reason] };
}

function refuseRequest(
  request: ModelRequest,
  protocol: Protocol,
  options: ProtocolOptions,
  memory: Memory,
): Refusal | undefined {
  const { action, method, path, body } = request;
  if (action !== 'streamGenerateContent' && action !== 'generateContent') {
    if (protocol.aside(request, options) !== undefined) return undefined;
    return refusal([{ status: 404, message: `Invalid URL (${method} ${path})` }]);
  }
  if (body === undefined)
    return refusal([{ status: 400, message: 'We could not parse the JSON body of your request.' }]);
  const verdicts = options.strict === false ? [] : protocol.judge(request, options, memory);
  return verdicts.length === 0 ? undefined : refusal(verdicts);
}

/** The vendor tells the first fault only; the record has all. */
function refusal(verdicts: readonly Verdict[]): Refusal {
  const { status, ...content } = verdicts[0]!;
  return { answer: statusAnswer(status, content), messages: verdicts.map(({ message }) => message) };
}
