/**
 * Serialises a request into the JSON bytes the service accepts: the conversation, which is cached, and the small
 * remainder. The output is well-formed Unicode.
 */

import type {
  Content,
  CountTokensParameters,
  EmbedContentParameters,
  GenerateContentConfig,
  GenerateContentParameters,
} from '../../protocol/content.ts';
import { createConversationWriter } from '../wire/conversation-json.ts';
import type { RequestBody } from '../wire/wire-protocol.ts';
import { modelPath } from './endpoint.ts';
import { toWellFormedJson } from '../wire/well-formed-json.ts';

const conversation = createConversationWriter('{"contents":[', () => toWellFormedJson);

/** Settings that stand beside `generationConfig` on the wire. */
const TOP_LEVEL_SETTINGS: ReadonlySet<string> = new Set(['tools', 'toolConfig', 'safetySettings', 'cachedContent']);
/** Settings of the call, not of the request. */
const LOCAL_SETTINGS: ReadonlySet<string> = new Set(['abortSignal', 'httpOptions', 'systemInstruction']);
const NONE: ReadonlySet<string> = new Set();

/** What says that the answer must be JSON. */
const FORM_SETTINGS: ReadonlySet<string> = new Set(['responseMimeType', 'responseJsonSchema', 'responseSchema']);

/** Models before the third generation reject a form for the answer beside functions. */
export function takesFormBesideTools(model: string): boolean {
  return /(?:^|\/)gemini-(?:[3-9]|\d\d)/.test(model);
}

export function toGenerateBody({ model, contents, config = {} }: GenerateContentParameters): RequestBody {
  const isFormless = config.tools?.some((tool) => tool.functionDeclarations) && !takesFormBesideTools(model);
  return [conversation.bytes(contents), Buffer.from(`]${settingsToJson(config, isFormless ? FORM_SETTINGS : NONE)}}`)];
}

export function toCountTokensBody({ contents }: CountTokensParameters): RequestBody {
  return [conversation.bytes(contents), Buffer.from(']}')];
}

export function toEmbedBody({ model, contents, config = {} }: EmbedContentParameters): RequestBody {
  const { abortSignal: _abortSignal, ...settings } = config;
  const requests = contents.map((content) => ({ model: modelPath(model), content: toContent(content), ...settings }));
  return [Buffer.from(toWellFormedJson({ requests }))];
}

function settingsToJson(config: GenerateContentConfig, without: ReadonlySet<string>): string {
  const body: Record<string, unknown> = {};
  const generationConfig: Record<string, unknown> = {};
  if (config.systemInstruction !== undefined) body['systemInstruction'] = toContent(config.systemInstruction);
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined || LOCAL_SETTINGS.has(name) || without.has(name)) continue;
    (TOP_LEVEL_SETTINGS.has(name) ? body : generationConfig)[name] = value;
  }
  if (Object.keys(generationConfig).length > 0) body['generationConfig'] = generationConfig;
  const json = toWellFormedJson(body);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}

function toContent(content: Content | string): Content {
  return typeof content === 'string' ? { parts: [{ text: content }] } : content;
}
