/** Decodes a downloaded page to text; rejects anything that is not text. */

import { ToolError } from '../../protocol/errors.ts';
import type { Download } from './download.ts';
import { htmlToText } from './html-to-text.ts';

const TEXT_TYPES =
  /^(text\/|application\/(json|xml|javascript|ecmascript|x-ndjson|yaml|x-yaml|toml|sql|rtf|x-sh|graphql)|.*\+(json|xml|yaml)$)/;

export function toPageText(page: Download): string {
  const isHtml = page.contentType === 'text/html' || page.contentType === 'application/xhtml+xml';
  const isText = page.contentType === '' ? !page.body.includes(0) : TEXT_TYPES.test(page.contentType);
  if (!isText) {
    throw new ToolError(
      `${page.url}: the content is ${page.contentType || 'binary'}, not text.`,
      'web_fetch_processing_error',
    );
  }
  const text = decode(page, isHtml);
  return isHtml ? htmlToText(text) : text;
}

function decode({ body, charset }: Download, isHtml: boolean): string {
  const declared = isHtml
    ? /<meta[^>]{0,200}charset=["']?([\w-]+)/i.exec(body.toString('latin1', 0, 4096))?.[1]
    : undefined;
  try {
    return new TextDecoder(charset ?? declared ?? 'utf-8').decode(body);
  } catch {
    // Unknown character set; most pages that declare one are UTF-8.
    return new TextDecoder('utf-8').decode(body);
  }
}
