/**
 * Finds lines that stand for code the model left out ("// ... rest of the methods ..."),
 * so that a placeholder never replaces code.
 */

/** Comment signs and brackets around the placeholder. */
const WRAPPING = /^(?:\/\/+|#+|--+|;+|%+|\/\*+|\*+|<!--|\{\/\*|\(|\[|"""|''')\s*|\s*(?:\*+\/\}?|-->|\)|\]|"""|''')$/g;
const DOTS = /^(?:\.{3,}|…)\s*|\s*(?:\.{3,}|…)[.;]?$/g;
const REMARK =
  /^(?:(?:all|and|keep|with|the)\s+)*(?:rest|remainder|remaining|unchanged|existing|other|previous|same)(?:\s+(?:of|the|your|this|as|in|is|are|stays?|remains?|above|before|below|here|original|existing|other|unchanged|same|class|file|function|component))*\s*(?:code|methods?|functions?|file|contents?|implementations?|class(?:es)?|lines?|logic|imports?|components?|fields?|properties|tests?|unchanged|same)?(?:\s+(?:here|unchanged|stays?|remains?|as|is|the|same|above|below|before|follows?|goes|code))*$/i;

/** The first placeholder line of `text` that `known` does not contain. */
export function findOmissionPlaceholder(text: string, known = ''): string | undefined {
  if (!/\.{3}|…/.test(text)) return undefined;
  return text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => isPlaceholder(line) && !known.includes(line));
}

function isPlaceholder(line: string): boolean {
  if (!/\.{3}|…/.test(line) || line.length > 120) return false;
  const inner = line.replaceAll(WRAPPING, '').trim();
  const remark = inner.replaceAll(DOTS, '').trim();
  if (remark === inner) return false;
  const isWrapped = inner !== line || /^(?:\.{3}|…)/.test(line);
  return isWrapped && REMARK.test(remark);
}
