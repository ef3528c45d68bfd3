/** Opens a provider at a scripted model, and the little that every test of a protocol reads from its frames. */

import { type FakeModelOptions, type Script, fakeModel } from '@castor/testkit';
import type {
  Content,
  FunctionCall,
  GenerateContentConfig,
  GenerateContentResponse,
  Part,
} from '../../protocol/content.ts';
import { ORIGIN, originOf, withOrigin } from '../../protocol/origin.ts';
import { type ProviderAccess, openProvider } from '../open-provider.ts';
import type { ProtocolName } from '../providers.ts';
import { createEndpoint } from './endpoint.ts';

/** The path below the server's address that a base URL has. */
const BASES: Readonly<Record<ProtocolName, string>> = {
  gemini: '/v1beta',
  chat: '/v1',
  responses: '/v1',
  anthropic: '',
  ollama: '',
};

export const TEST_KEY = 'test-key-0123456789';

export const user = (words: string): Content => ({ role: 'user', parts: [{ text: words }] });

export const result = ({ id, name }: FunctionCall, response: Record<string, unknown>): Content => ({
  role: 'user',
  parts: [{ functionResponse: { ...(id !== undefined && { id }), ...(name !== undefined && { name }), response } }],
});

/** A system text and one tool, `read_file`. */
export const WITH_TOOL: GenerateContentConfig = {
  systemInstruction: 'Be brief.',
  tools: [
    {
      functionDeclarations: [
        {
          name: 'read_file',
          description: 'Reads a file.',
          parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
        },
      ],
    },
  ],
};

export interface OpenedModel extends AsyncDisposable {
  model: Awaited<ReturnType<typeof fakeModel>>;
  provider: Awaited<ReturnType<typeof openProvider>>;
}

export async function openAt(
  protocol: ProtocolName,
  script: Script,
  options: FakeModelOptions = {},
  access: Partial<ProviderAccess> = {},
): Promise<OpenedModel> {
  const model = await fakeModel(script, { protocol, ...options });
  const endpoint = createEndpoint({
    baseUrl: `${model.url}${BASES[protocol]}`,
    key: { value: TEST_KEY, header: protocol === 'anthropic' ? 'x-api-key' : 'authorization', source: 'TEST_KEY' },
  });
  const provider = await openProvider({ id: 'test', name: 'Test', protocol, endpoint, ...access });
  return { model, provider, [Symbol.asyncDispose]: () => model.close() };
}

export interface Sent {
  frames: GenerateContentResponse[];
  /** All parts, thoughts included. */
  parts: Part[];
  text: string;
  thoughts: string;
  calls: FunctionCall[];
  finishReason: string | undefined;
  /** The turn as the chat accepts it: without thoughts, texts joined, with its origin. */
  turn: Content;
}

export async function sendTo(
  { provider }: OpenedModel,
  contents: readonly Content[],
  config: GenerateContentConfig = WITH_TOOL,
  model = 'm',
): Promise<Sent> {
  const frames: GenerateContentResponse[] = [];
  const stream = await provider.generator.generateContentStream({ model, contents, config }, 'p', 'main');
  for await (const frame of stream) frames.push(frame);
  const candidates = frames.flatMap(({ candidates: [candidate] = [] }) => (candidate ? [candidate] : []));
  const parts = candidates.flatMap(({ content }) => content?.parts ?? []);
  const last = candidates.findLast(({ content }) => content && ORIGIN in content)?.content;
  return {
    frames,
    parts,
    text: parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join(''),
    thoughts: parts.map((part) => (part.thought ? (part.text ?? '') : '')).join(''),
    calls: parts.flatMap(({ functionCall }) => (functionCall ? [functionCall] : [])),
    finishReason: candidates.findLast(({ finishReason }) => finishReason)?.finishReason,
    turn: withOrigin({ role: 'model', parts: acceptedParts(parts) }, last && originOf(last)),
  };
}

function acceptedParts(parts: readonly Part[]): Part[] {
  const accepted: Part[] = [];
  let joins = false;
  for (const part of parts) {
    const before = accepted.at(-1);
    if (part.thought) joins = false;
    else if (joins && part.text !== undefined && before?.text !== undefined) {
      accepted[accepted.length - 1] = { text: before.text + part.text };
    } else {
      accepted.push(part);
      joins = part.text !== undefined;
    }
  }
  return accepted;
}
