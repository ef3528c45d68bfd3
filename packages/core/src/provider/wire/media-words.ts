/** Says in words what a model cannot be sent: the kind and size of media it does not see. */

import type { Blob, FileData, Part } from '../../protocol/content.ts';

/** `[image/png, 12 kB: this model does not see images]`. */
export function describeMedia(media: { inlineData?: Blob; fileData?: FileData }): string {
  const { inlineData, fileData } = media;
  const type = inlineData?.mimeType ?? fileData?.mimeType ?? 'a file';
  const size = inlineData?.data === undefined ? '' : `, ${Math.ceil((inlineData.data.length * 3) / 4 / 1_000)} kB`;
  const name = inlineData?.displayName ?? fileData?.displayName ?? fileData?.fileUri;
  return `[${name === undefined ? '' : `${name}: `}${type}${size}, which this model cannot be sent]`;
}

/** The text of parts that only Gemini knows. */
export function describeCode({ executableCode, codeExecutionResult }: Part): string | undefined {
  if (executableCode) return `\`\`\`\n${executableCode.code ?? ''}\n\`\`\``;
  return codeExecutionResult?.output;
}

/** The text of a tool's result as the model reads it: `output` or `error` alone as it is, everything else as JSON. */
export function describeResult(response: Record<string, unknown> | undefined): { text: string; isError: boolean } {
  const { output, error, ...others } = response ?? {};
  const isError = error !== undefined;
  const value = isError ? error : output;
  const isAlone = Object.keys(others).length === 0 && value !== undefined;
  const whole: unknown = isAlone ? value : (response ?? {});
  return { text: typeof whole === 'string' ? whole : JSON.stringify(whole), isError };
}

/** The images that every provider reads; others, such as SVG and HEIC, are rejected. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** The type and bytes of an image that a provider reads; undefined for everything else. */
export function imageIn({ inlineData }: { inlineData?: Blob }): { type: ImageType; data: string } | undefined {
  const type = IMAGE_TYPES.find((known) => known === inlineData?.mimeType);
  return type && inlineData?.data !== undefined ? { type, data: inlineData.data } : undefined;
}

export function isPdf({ inlineData }: { inlineData?: Blob }): boolean {
  return inlineData?.data !== undefined && inlineData.mimeType === 'application/pdf';
}

export function toDataUrl({ data = '', mimeType = 'application/octet-stream' }: Blob): string {
  return `data:${mimeType};base64,${data}`;
}
