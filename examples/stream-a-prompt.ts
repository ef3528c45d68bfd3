/**
 * The library in one page: an agent with a tool of its own answers a prompt and
 * prints every event as a line of JSON.
 *
 *   GEMINI_API_KEY=… node examples/stream-a-prompt.ts "How many words are in 'to be or not to be'?"
 */

import { createAgent, createGeminiGenerator, defineTool, ToolRegistry } from '@castor/core';

const countWords = defineTool({
  name: 'count_words',
  kind: 'read',
  description: 'Counts the words of a text.',
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => `${text.split(/\s+/).filter(Boolean).length} words`,
});

const { GEMINI_API_KEY: apiKey = '', GOOGLE_GEMINI_BASE_URL: baseUrl } = process.env;
const { session, ledger } = createAgent({
  generator: createGeminiGenerator({ apiKey, baseUrl }),
  model: 'gemini-2.5-flash',
  tools: new ToolRegistry([countWords]),
});

const prompt = process.argv[2] ?? "How many words are in 'to be or not to be'?";
for await (const event of session.prompt(prompt, new AbortController().signal)) {
  console.log(JSON.stringify(event));
  if (event.type !== 'prompt_ended') continue;
  if (event.outcome !== 'completed') process.exitCode = 1;
  break; // behind the last event, a rejected key is also an exception
}
console.error(`${ledger.metrics().tools.totalCalls} call(s), ${ledger.spentTokens} tokens`);
