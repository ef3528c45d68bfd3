/**
 * Ollama's own protocol as a WireProtocol. Its Chat Completions cannot set the context window and cut a longer prompt in
 * silence; this one sets the window, forbids the cut, and compares the server's count with ours.
 */

import type { GenerateContentParameters } from '../../protocol/content.ts';
import { createConversationWriter } from '../wire/conversation-json.ts';
import { PromptComparison } from '../wire/prompt-comparison.ts';
import { findReportedError, judgeFailure } from '../wire/judge-failure.ts';
import { createNameReader } from '../wire/spelling.ts';
import { systemText } from '../wire/system-text.ts';
import { declaredNames, declaredTools } from '../wire/tool-schema.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';
import type { ProtocolOptions, RequestBody, WireProtocol } from '../wire/wire-protocol.ts';
import { LineReader } from './line-reader.ts';
import { writeMessages } from './messages.ts';
import { settingsFields } from './request-body.ts';

const CURE =
  'Set a larger contextWindow for the model in the settings (it is sent as num_ctx), or OLLAMA_CONTEXT_LENGTH on the server.';

export function createOllamaProtocol(options: ProtocolOptions): WireProtocol {
  const { provider, endpoint, factsOf, quirks } = options;
  const keyOf = (model: string) => ({ provider, protocol: 'ollama', endpoint: endpoint.host, model });
  const comparison = new PromptComparison(CURE);

  const conversation = createConversationWriter('', (model) => {
    const { images = false } = factsOf(model);
    return (content) => writeMessages(content, { origin: keyOf(model), images });
  });

  function body(request: GenerateContentParameters): RequestBody {
    const { model, contents, config = {} } = request;
    const system = systemText(config.systemInstruction);
    const opening = system === '' ? '' : toWellFormedJson({ role: 'system', content: system });
    const messages = conversation.bytes(contents, model);
    const comma = opening !== '' && messages.length > 0 ? ',' : '';
    const settings = toWellFormedJson(settingsFields(model, config, factsOf(model)));
    const written = [Buffer.from(`{"messages":[${opening}${comma}`), messages, Buffer.from(`],${settings.slice(1)}`)];
    comparison.sent(request, written);
    return written;
  }

  return {
    name: 'ollama',
    framing: 'ndjson',
    path: () => 'api/chat',
    body,
    reader(request) {
      const { model, config = {} } = request;
      const offered = new Set(declaredTools(config).map(({ name }) => name));
      return new LineReader({
        origin: keyOf(model),
        isLocal: endpoint.isLocal,
        readName: createNameReader(declaredNames(config)),
        isOffered: quirks.textCalls && offered.size > 0 ? (name) => offered.has(name) : undefined,
        onUsage: (usage) => comparison.counted(request, usage),
      });
    },
    toError: (answer) => judgeFailure(answer, findReportedError(answer.body) ?? { types: [] }),
  };
}
