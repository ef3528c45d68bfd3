/**
 * Floor B: the minimal program for the same answer. It fetches the stream, parses every frame and prints the text. No
 * retries, no checks, no events.
 */

const [, , url, model] = process.argv;

const response = await fetch(`${url}/v1beta/models/${model}:streamGenerateContent?alt=sse`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-goog-api-key': 'bench' },
  body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
});

const decoder = new TextDecoder();
let rest = '';
let text = '';
for await (const chunk of response.body) {
  rest += decoder.decode(chunk, { stream: true });
  const lines = rest.split('\r\n');
  rest = lines.pop();
  for (const line of lines) {
    if (!line.startsWith('data: ')) continue;
    const frame = JSON.parse(line.slice(6));
    text += frame.candidates[0].content.parts[0].text;
  }
}
process.stdout.write(`${text}\n`);
