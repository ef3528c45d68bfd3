/**
 * Our request as the bytes of the JSON the service takes. Contents never change
 * once they are part of a history, so the bytes of each are kept and a long
 * history is not serialised again on every turn. What leaves here is well-formed
 * Unicode.
 */

import type {
  Content,
  CountTokensParameters,
  EmbedContentParameters,
  GenerateContentConfig,
  GenerateContentParameters,
} from '../../protocol/content.ts';
import { modelPath } from './endpoint.ts';

/** A larger content is rather serialised again than held in memory twice. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** So many contents that stay together are kept as one piece: putting thousands together takes its time too. */
const RUN_LENGTH = 32;

interface Run {
  contents: readonly Content[];
  bytes: Buffer;
}

const keptBytes = new WeakMap<Content, Buffer>();
/** By the first content of each. */
const keptRuns = new WeakMap<Content, Run>();

/** Settings that stand beside `generationConfig` on the wire. */
const TOP_LEVEL_SETTINGS: ReadonlySet<string> = new Set(['tools', 'toolConfig', 'safetySettings', 'cachedContent']);
/** Settings of the call, not of the request. */
const LOCAL_SETTINGS: ReadonlySet<string> = new Set(['abortSignal', 'httpOptions', 'systemInstruction']);

export function toGenerateBody({ contents, config = {} }: GenerateContentParameters): Buffer {
  return withContents(contents, settingsToJson(config));
}

export function toCountTokensBody({ contents }: CountTokensParameters): Buffer {
  return withContents(contents, '');
}

export function toEmbedBody({ model, contents, config = {} }: EmbedContentParameters): Buffer {
  const { abortSignal: _abortSignal, ...settings } = config;
  const requests = contents.map((content) => ({ model: modelPath(model), content: toContent(content), ...settings }));
  return Buffer.from(toWellFormedJson({ requests }));
}

function withContents(contents: readonly Content[], settings: string): Buffer {
  const pieces: Buffer[] = [];
  for (let index = 0; index < contents.length;) {
    const run = index % RUN_LENGTH === 0 ? runAt(contents, index) : undefined;
    pieces.push(run?.bytes ?? contentBytes(contents[index]!));
    index += run?.contents.length ?? 1;
  }
  if (pieces[0]) pieces[0] = pieces[0].subarray(1);
  return Buffer.concat([Buffer.from('{"contents":['), ...pieces, Buffer.from(`]${settings}}`)]);
}

/** Contents that follow each other as they did before; undefined where there are too few, or too large ones. */
function runAt(contents: readonly Content[], index: number): Run | undefined {
  const first = contents[index];
  if (!first || index + RUN_LENGTH > contents.length) return undefined;
  const known = keptRuns.get(first);
  if (known?.contents.every((content, offset) => content === contents[index + offset])) return known;
  const members = contents.slice(index, index + RUN_LENGTH);
  const pieces = members.flatMap((content) => keptBytes.get(content) ?? []);
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  if (pieces.length < RUN_LENGTH || size > MAX_KEPT_BYTES) return undefined;
  const run = { contents: members, bytes: Buffer.concat(pieces) };
  keptRuns.set(first, run);
  for (const content of members) keptBytes.delete(content);
  return run;
}

/** With the comma that parts it from the one before. */
function contentBytes(content: Content): Buffer {
  const kept = keptBytes.get(content);
  if (kept !== undefined) return kept;
  const bytes = Buffer.from(`,${toWellFormedJson(content)}`);
  if (bytes.length <= MAX_KEPT_BYTES) keptBytes.set(content, bytes);
  return bytes;
}

function settingsToJson(config: GenerateContentConfig): string {
  const body: Record<string, unknown> = {};
  const generationConfig: Record<string, unknown> = {};
  if (config.systemInstruction !== undefined) body['systemInstruction'] = toContent(config.systemInstruction);
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined || LOCAL_SETTINGS.has(name)) continue;
    (TOP_LEVEL_SETTINGS.has(name) ? body : generationConfig)[name] = value;
  }
  if (Object.keys(generationConfig).length > 0) body['generationConfig'] = generationConfig;
  const json = toWellFormedJson(body);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}

function toContent(content: Content | string): Content {
  return typeof content === 'string' ? { parts: [{ text: content }] } : content;
}

/**
 * JSON.stringify writes a surrogate without its partner as an escape, which the
 * service refuses. Only a text with such an escape is gone through again.
 */
function toWellFormedJson(value: object): string {
  const json = JSON.stringify(value);
  return json.includes('\\ud') ? JSON.stringify(toWellFormed(JSON.parse(json))) : json;
}

function toWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), toWellFormed(item)]));
}
