/** Anthropic's Messages API, by itself and on Vertex AI, as a WireProtocol. */

import type { Content, GenerateContentParameters } from '../../protocol/content.ts';
import { encodeSegment } from '../wire/endpoint.ts';
import { createConversationWriter } from '../wire/conversation-json.ts';
import { findReportedError, judgeFailure } from '../wire/judge-failure.ts';
import { LARGER_WINDOW, PromptComparison } from '../wire/prompt-comparison.ts';
import { createNameReader } from '../wire/spelling.ts';
import { declaredNames } from '../wire/tool-schema.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';
import type { ProtocolOptions, RequestBody, WireProtocol } from '../wire/wire-protocol.ts';
import { EventReader } from './event-reader.ts';
import { hasOwnThinking, writeMessage } from './messages.ts';
import { settingsFields } from './request-body.ts';

/** The newer version takes no sampling; gateways and local servers speak the older one. */
const OFFICIAL_HOST = 'api.anthropic.com';
const VERSION = '2026-10-21';
const OLD_VERSION = '2023-06-01';
const VERTEX_VERSION = 'vertex-2023-10-16';
/** The words of a rejection that concerns thinking of earlier turns. */
const THINKING_WORDS = /signature.*thinking|thinking.*(?:signature|cannot be modified|must start with|expected)/is;

export function createAnthropicProtocol(options: ProtocolOptions): WireProtocol {
  const { provider, endpoint, factsOf, cloud } = options;
  const isOfficial = endpoint.host === OFFICIAL_HOST;
  const keyOf = (model: string) => ({ provider, protocol: 'anthropic', endpoint: endpoint.host, model });
  const takesFormBesideTools = !endpoint.isLocal;
  // Elsewhere a prompt holds signatures and sealed reasoning, which count as few tokens.
  const comparison = endpoint.isLocal ? new PromptComparison(LARGER_WINDOW) : undefined;
  /** Conversations whose thinking the server could not verify, by their first turn. */
  const unverified = new WeakSet<Content>();

  const optionsFor = (model: string, thinking: boolean) => {
    const { images = false, documents = false } = factsOf(model);
    return { origin: keyOf(model), images, documents, thinking };
  };
  const conversations = {
    plain: createConversationWriter('', (model) => (content) => writeMessage(content, optionsFor(model, false))),
    thinking: createConversationWriter('', (model) => (content) => writeMessage(content, optionsFor(model, true))),
  };

  /** The turns before the last two of the user are cached bytes; those two end with a breakpoint each. */
  function messages(model: string, contents: readonly Content[], thinking: boolean): Buffer[] {
    const lastUser = contents.findLastIndex(({ role }) => role !== 'model');
    const previous = contents.findLastIndex(({ role }, index) => role !== 'model' && index < lastUser);
    const marked = new Set([lastUser, previous]);
    const start = previous === -1 ? Math.max(lastUser, 0) : previous;
    const head = conversations[thinking ? 'thinking' : 'plain'].bytes(contents.slice(0, start), model);
    const tail = contents
      .slice(start)
      .map((content, index) => writeMessage(content, optionsFor(model, thinking), marked.has(start + index)))
      .filter((text) => text !== '')
      .join(',');
    return [head, Buffer.from(head.length > 0 && tail !== '' ? `,${tail}` : tail)];
  }

  function body(request: GenerateContentParameters): RequestBody {
    const { model, contents, config = {} } = request;
    const facts = factsOf(model);
    const [first] = contents;
    const isVerified = first === undefined || !unverified.has(first);
    // With a fixed budget, the calls being answered must have begun with thinking of this model.
    const answered = contents.findLast(({ role }) => role === 'model');
    const hasOpenCalls = answered?.parts?.some(({ functionCall }) => functionCall) ?? false;
    const mayThink =
      facts.thinking !== 'budget' ||
      !hasOpenCalls ||
      (isVerified && answered !== undefined && hasOwnThinking(answered, keyOf(model)));
    const settings = settingsFields(config, { facts, takesSampling: !isOfficial, mayThink, takesFormBesideTools });
    const fields = {
      ...(cloud === 'vertex' ? { anthropic_version: VERTEX_VERSION } : { model }),
      ...settings,
    };
    const written = [
      Buffer.from(`${toWellFormedJson(fields).slice(0, -1)},"messages":[`),
      ...messages(model, contents, isVerified),
      Buffer.from(']}'),
    ];
    comparison?.sent(request, written);
    return written;
  }

  return {
    name: 'anthropic',
    framing: 'sse',
    path: (model) => (cloud === 'vertex' ? `models/${encodeSegment(model)}:streamRawPredict` : 'v1/messages'),
    headers: () => (cloud === 'vertex' ? {} : { 'anthropic-version': isOfficial ? VERSION : OLD_VERSION }),
    body,
    takesFormBesideTools: () => takesFormBesideTools,
    reader: (request) =>
      new EventReader({
        origin: keyOf(request.model),
        readName: createNameReader(declaredNames(request.config ?? {})),
        onUsage: (usage) => comparison?.counted(request, usage),
      }),
    toError: (answer) => judgeFailure(answer, findReportedError(answer.body) ?? { types: [] }),

    adapt(error, { contents }) {
      if (error.reason !== 'invalid_request') return undefined;
      const [first] = contents;
      if (first && !unverified.has(first) && THINKING_WORDS.test(error.message)) {
        unverified.add(first);
        return { notice: 'The provider could not verify earlier reasoning; it was left out of this conversation.' };
      }
      return undefined;
    },
  };
}
