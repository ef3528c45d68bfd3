/** OpenAI's Chat Completions, the dialect most servers speak, as a WireProtocol. Servers differ by a row of quirks. */

import type { GenerateContentConfig, GenerateContentParameters } from '../../protocol/content.ts';
import type { ApiError } from '../../protocol/errors.ts';
import { createConversationWriter } from '../wire/conversation-json.ts';
import { encodeSegment } from '../wire/endpoint.ts';
import { LARGER_WINDOW, PromptComparison } from '../wire/prompt-comparison.ts';
import { findReportedError, judgeFailure } from '../wire/judge-failure.ts';
import { createNameReader } from '../wire/spelling.ts';
import { systemText } from '../wire/system-text.ts';
import { declaredNames, declaredTools } from '../wire/tool-schema.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';
import type { ProtocolOptions, RequestBody, WireProtocol } from '../wire/wire-protocol.ts';
import { ChunkReader } from './chunk-reader.ts';
import { writeMessages } from './messages.ts';
import type { ChatQuirks } from './quirks.ts';
import { settingsFields } from './request-body.ts';

/** Fields that a request works without; a server that rejects one gets the next requests without it. */
const DISPENSABLE = ['stream_options', 'tool_choice', 'prompt_cache_key', 'reasoning_effort', 'reasoning', 'seed'];

export function createChatProtocol(options: ProtocolOptions): WireProtocol {
  const { provider, endpoint, factsOf, cacheKey } = options;
  // Behind an address on this machine is another server than the row's, and few of those take a form beside tools.
  const formBesideTools = !endpoint.isLocal && (options.quirks.formBesideTools ?? false);
  const quirks: ChatQuirks = { ...options.quirks, formBesideTools };
  /** The provider's, with the deviations of one model. */
  function quirksOf(model: string): ChatQuirks {
    const { reasoning } = factsOf(model);
    return reasoning === undefined ? quirks : { ...quirks, reasoning: { ...quirks.reasoning, ...reasoning } };
  }
  const originOf = (model: string) => ({ provider, protocol: 'chat', endpoint: endpoint.host, model });
  /** Fields this server has rejected. */
  const without = new Set<string>();
  /** Models whose answers begin inside reasoning. */
  const startsInThought = new Set<string>();

  const comparison = new PromptComparison(LARGER_WINDOW);

  const conversation = createConversationWriter('', (model) => {
    const { images = false, documents = false } = factsOf(model);
    const own = quirksOf(model);
    return (content) => writeMessages(content, { quirks: own, origin: originOf(model), images, documents });
  });

  function body(request: GenerateContentParameters): RequestBody {
    const { model, contents, config = {} } = request;
    const system = systemText(config.systemInstruction);
    const opening = system === '' ? '' : toWellFormedJson({ role: quirks.systemRole ?? 'system', content: system });
    const messages = conversation.bytes(contents, model);
    const comma = opening !== '' && messages.length > 0 ? ',' : '';
    const settings = settingsFields(model, config, {
      quirks: quirksOf(model),
      facts: factsOf(model),
      cacheKey,
      without,
    });
    const written = [
      Buffer.from(`{"messages":[${opening}${comma}`),
      messages,
      Buffer.from(`],${toWellFormedJson(settings).slice(1)}`),
    ];
    comparison.sent(request, written);
    return written;
  }

  return {
    name: 'chat',
    framing: 'sse',
    path: (model) => pathOf(model, quirks.deploymentVersion),
    body,
    takesFormBesideTools: () => formBesideTools,

    reader(request) {
      const { model, config = {} } = request;
      return new ChunkReader({
        origin: originOf(model),
        isLocal: endpoint.isLocal,
        quirks: quirksOf(model),
        startsInThought: startsInThought.has(model),
        onLoneClosing: () => startsInThought.add(model),
        readName: createNameReader(declaredNames(config)),
        onUsage: (usage) => comparison.counted(request, usage),
        isOffered: quirks.textCalls ? offeredIn(config) : undefined,
      });
    },

    toError: (answer) => judgeFailure(answer, findReportedError(answer.body) ?? { types: [] }),

    adapt(error) {
      const field = error.reason === 'invalid_request' ? rejectedField(error, without) : undefined;
      if (field === undefined) return undefined;
      without.add(field);
      return {};
    },
  };
}

/** Undefined for a request without tools: no text of its answer is a call. */
function offeredIn(config: GenerateContentConfig): ((name: string) => boolean) | undefined {
  const offered = new Set(declaredTools(config).map(({ name }) => name));
  return offered.size > 0 ? (name) => offered.has(name) : undefined;
}

function pathOf(model: string, version: string | undefined): string {
  if (version === undefined) return 'chat/completions';
  return `deployments/${encodeSegment(model)}/chat/completions?api-version=${encodeURIComponent(version)}`;
}

function rejectedField({ message }: ApiError, without: ReadonlySet<string>): string | undefined {
  return DISPENSABLE.find((field) => !without.has(field) && new RegExp(`\\b${field}\\b`).test(message));
}
