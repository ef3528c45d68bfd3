/** Exports a conversation as Markdown from its turns. Pure. */

import type { Content, Part } from '@castor/core';

export function toMarkdown(history: readonly Content[]): string {
  const sections = history.map(({ role, parts = [] }) => {
    const heading = role === 'model' ? '## Model' : '## You';
    return [heading, ...parts.flatMap(toParagraph)].join('\n\n');
  });
  return `${sections.join('\n\n')}\n`;
}

function toParagraph({ text, thought, functionCall, functionResponse, inlineData, fileData }: Part): string[] {
  if (functionCall) return [`Call of \`${functionCall.name}\`:\n\n${toFence(functionCall.args ?? {})}`];
  if (functionResponse)
    return [`Result of \`${functionResponse.name}\`:\n\n${toFence(functionResponse.response ?? {})}`];
  if (inlineData ?? fileData) return [`(${(inlineData ?? fileData)?.mimeType ?? 'a file'})`];
  return text === undefined || text === '' || thought ? [] : [text];
}

/** Longer than any fence inside the text. */
function toFence(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${text}\n${fence}`;
}
