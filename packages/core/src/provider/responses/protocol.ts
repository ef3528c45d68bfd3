/** OpenAI's Responses API as a WireProtocol: stateless, with encrypted reasoning that goes back. */

import type { Content, GenerateContentParameters } from '../../protocol/content.ts';
import type { ApiError } from '../../protocol/errors.ts';
import { createConversationWriter } from '../wire/conversation-json.ts';
import { findReportedError, judgeFailure } from '../wire/judge-failure.ts';
import { LARGER_WINDOW, PromptComparison } from '../wire/prompt-comparison.ts';
import { createNameReader } from '../wire/spelling.ts';
import { declaredNames } from '../wire/tool-schema.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';
import type { ProtocolOptions, RequestBody, WireProtocol } from '../wire/wire-protocol.ts';
import { EventReader, UNREAD } from './event-reader.ts';
import { writeItems } from './items.ts';
import { settingsFields } from './request-body.ts';

/** Fields that a request works without; a server that rejects one gets the next requests without it. */
const DISPENSABLE = ['include', 'store', 'prompt_cache_key', 'reasoning', 'tool_choice'];
/** The words of a rejection that concerns reasoning of earlier turns. */
const STATE_WORDS =
  /encrypted content.*(?:verified|decrypt)|required following item|required 'reasoning' item|item with id '?(?:rs|fc|msg)_/is;

export function createResponsesProtocol(options: ProtocolOptions): WireProtocol {
  const { provider, endpoint, factsOf, quirks, cacheKey } = options;
  const keyOf = (model: string) => ({ provider, protocol: 'responses', endpoint: endpoint.host, model });
  // Elsewhere a prompt holds signatures and sealed reasoning, which count as few tokens.
  const comparison = endpoint.isLocal ? new PromptComparison(LARGER_WINDOW) : undefined;
  /** Conversations whose reasoning the server could not verify, by their first turn. */
  const unverified = new WeakSet<Content>();
  const without = new Set<string>();
  const formBesideTools = !endpoint.isLocal && (quirks.formBesideTools ?? false);

  const writerFor = (state: boolean) =>
    createConversationWriter('', (model) => {
      const { images = false, documents = false } = factsOf(model);
      return (content) => writeItems(content, { origin: keyOf(model), images, documents, state });
    });
  const conversations = { whole: writerFor(true), reduced: writerFor(false) };

  function body(request: GenerateContentParameters): RequestBody {
    const { model, contents, config = {} } = request;
    const [first] = contents;
    const isReduced = first !== undefined && unverified.has(first);
    const settings = settingsFields(model, config, {
      facts: factsOf(model),
      cacheKey: quirks.cacheKey ? cacheKey : undefined,
      formBesideTools,
      without,
    });
    const written = [
      Buffer.from(`${toWellFormedJson(settings).slice(0, -1)},"input":[`),
      conversations[isReduced ? 'reduced' : 'whole'].bytes(contents, model),
      Buffer.from(']}'),
    ];
    comparison?.sent(request, written);
    return written;
  }

  return {
    name: 'responses',
    framing: 'sse',
    skips: UNREAD,
    path: () => 'responses',
    body,
    takesFormBesideTools: () => formBesideTools,
    reader: (request) =>
      new EventReader({
        origin: keyOf(request.model),
        readName: createNameReader(declaredNames(request.config ?? {})),
        maxOutputTokens: request.config?.maxOutputTokens,
        onUsage: (usage) => comparison?.counted(request, usage),
      }),
    toError: (answer) => judgeFailure(answer, findReportedError(answer.body) ?? { types: [] }),

    adapt(error, { contents }) {
      const [first] = contents;
      if (first && !unverified.has(first) && STATE_WORDS.test(error.message)) {
        unverified.add(first);
        return { notice: 'The provider could not verify earlier reasoning; it was left out of this conversation.' };
      }
      const field = error.reason === 'invalid_request' ? rejectedField(error, without) : undefined;
      if (field === undefined) return undefined;
      without.add(field);
      return {};
    },
  };
}

function rejectedField({ message }: ApiError, without: ReadonlySet<string>): string | undefined {
  const isAboutField = /unknown|unrecognized|unsupported|not supported|unexpected|extra inputs/i.test(message);
  if (!isAboutField) return undefined;
  return DISPENSABLE.find((field) => !without.has(field) && new RegExp(`\\b${field}\\b`).test(message));
}
